/* SPDX-License-Identifier: GPL-2.0-only */
/* A story as a page. */
#ifndef TUESDAY_TOOLS_REPORT_HTML_H
#define TUESDAY_TOOLS_REPORT_HTML_H

#include <stddef.h>

struct story;
struct str;

/* No page grows beyond it: what does not fit is counted. */
#define PAGE_BYTES_MAX ((size_t)1 << 20)

/* One page that needs nothing else. */
void story_as_html(struct str *out, const struct story *story);

#endif
