/* SPDX-License-Identifier: GPL-2.0-only */
/* A fleet for people in a browser. */
#ifndef TUESDAY_TOOLS_MERGE_HTML_H
#define TUESDAY_TOOLS_MERGE_HTML_H

struct fleet;
struct str;

/* One page that needs nothing else. */
void fleet_as_html(struct str *out, const struct fleet *fleet);

#endif
