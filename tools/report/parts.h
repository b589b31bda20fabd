/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands out, what changed, and what it is not, on the page. */
#ifndef TUESDAY_TOOLS_REPORT_PARTS_H
#define TUESDAY_TOOLS_REPORT_PARTS_H

#include <stdbool.h>

struct story;
struct str;

/* Sections of the page. Each appends one, or nothing. */
void page_accused(struct str *out, const struct story *story);
void page_changed(struct str *out, const struct story *story);
void page_next(struct str *out, const struct story *story);
void page_ledger(struct str *out, const struct story *story);

/* Whether a list may go on: half of the page is for the numbers. */
bool page_has_room(const struct str *out);

#endif
