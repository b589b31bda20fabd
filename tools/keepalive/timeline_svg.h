/* SPDX-License-Identifier: GPL-2.0-only */
/* A timeline for a browser. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_TIMELINE_SVG_H
#define TUESDAY_TOOLS_KEEPALIVE_TIMELINE_SVG_H

struct conclusion;
struct str;

/* The same for a browser. */
void picture_svg(struct str *out, const struct conclusion *answer);

#endif
