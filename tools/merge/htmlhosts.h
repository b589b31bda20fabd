/* SPDX-License-Identifier: GPL-2.0-only */
/* The hosts of a fleet on its page. */
#ifndef TUESDAY_TOOLS_MERGE_HTMLHOSTS_H
#define TUESDAY_TOOLS_MERGE_HTMLHOSTS_H

struct fleet;
struct str;

/* The worst hosts, as many as are shown at once; the script puts others in their place. */
void html_hosts(struct str *out, const struct fleet *fleet);
/* All hosts, for the script. */
void html_data(struct str *out, const struct fleet *fleet);

#endif
