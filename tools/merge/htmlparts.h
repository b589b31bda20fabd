/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of the page, for html.c only. Each appends one. */
#ifndef TUESDAY_TOOLS_MERGE_HTMLPARTS_H
#define TUESDAY_TOOLS_MERGE_HTMLPARTS_H

#include <stddef.h>

struct fleet;
struct str;

void html_outliers(struct str *out, const struct fleet *fleet);
void html_patterns(struct str *out, const struct fleet *fleet);
void html_ledger(struct str *out, const struct fleet *fleet);
void html_notes(struct str *out, const struct fleet *fleet);

#endif
