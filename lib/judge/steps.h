/* SPDX-License-Identifier: GPL-2.0-only */
/* What whoever reads a result should do next. */
#ifndef TUESDAY_JUDGE_STEPS_H
#define TUESDAY_JUDGE_STEPS_H

struct check;
struct check_result;
struct metric_result;

/*
 * Fills in next and remedies of a result whose verdict, culprits and metrics are known, if it is
 * maybe or bad: of the metrics that accuse it, what is theirs; of those that say no commands of
 * their own, the check's.
 */
void judge_add_steps(const struct check *check, struct check_result *result);

/* The same of one metric that accuses: its remedy, and its commands or, where it has none, those of
 * the check. */
void judge_add_metric_steps(struct metric_result *metric, const struct check_result *result);

#endif
