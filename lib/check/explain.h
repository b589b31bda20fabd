/* SPDX-License-Identifier: GPL-2.0-only */
/* All that a check file says, printed for people: the same text for help, manual and README. */
#ifndef TUESDAY_CHECK_EXPLAIN_H
#define TUESDAY_CHECK_EXPLAIN_H

#include <stdio.h>

struct check;

/* The question, every metric with its value, limits, source and however, and the traces. */
void explain_check(FILE *out, const struct check *check);

/* The same of what a word is about: of the whole check, or of those of its metrics that have the
 * keyword. */
void explain_about(FILE *out, const struct check *check, const char *word);

#endif
