/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers and notes on the page. */
#ifndef TUESDAY_TOOLS_REPORT_NUMBERS_H
#define TUESDAY_TOOLS_REPORT_NUMBERS_H

struct story;
struct str;

/* Sections of the page. Each appends one, or nothing. */
void page_numbers(struct str *out, const struct story *story);
void page_notes(struct str *out, const struct story *story);

#endif
