/* SPDX-License-Identifier: GPL-2.0-only */
/* A story for people, on a terminal and in a browser. */
#ifndef TUESDAY_REPORT_PRINT_H
#define TUESDAY_REPORT_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/report/model.h"

struct str;

/* No page grows beyond it: what does not fit is counted. */
#define PAGE_BYTES_MAX ((size_t)1 << 20)

void story_as_text(struct str *out, const struct story *story, bool color, size_t columns);
/* One page that needs nothing else. */
void story_as_html(struct str *out, const struct story *story);

/* The sections of the page, for html.c only. Each appends one, or nothing. */
void page_diagram(struct str *out, const struct story *story);
void page_accused(struct str *out, const struct story *story);
void page_changed(struct str *out, const struct story *story);
void page_next(struct str *out, const struct story *story);
void page_ledger(struct str *out, const struct story *story);
void page_numbers(struct str *out, const struct story *story);
void page_notes(struct str *out, const struct story *story);

/* Whether a list may go on: half of the page is for the numbers. */
bool page_has_room(const struct str *out);

/* A number's course as a picture, with lines at its limits; nothing where there is no course. */
void svg_trail(struct str *out, const struct trail *trail, const struct metric_result *metric);

#endif
