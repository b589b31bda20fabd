/* SPDX-License-Identifier: GPL-2.0-only */
/* Experiments in the verdict of a check. */
#ifndef TUESDAY_JUDGE_EXPERIMENT_VERDICT_H
#define TUESDAY_JUDGE_EXPERIMENT_VERDICT_H

struct check_result;

/* What the answers of a check's experiments do to its verdict. */
void experiments_judge(struct check_result *result);

#endif
