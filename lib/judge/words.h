/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be said of each metric that accuses, by itself. */
#ifndef TUESDAY_JUDGE_WORDS_H
#define TUESDAY_JUDGE_WORDS_H

struct check_result;

/*
 * Fills in words of the metrics that accuse, of a result whose verdict and culprits are known: its
 * sentence, its own doubts, its remedy and its commands. What was filled in before is replaced.
 */
void judge_add_words(struct check_result *result);

#endif
