/* SPDX-License-Identifier: GPL-2.0-only */
/* An experiment's answer in words. */
#ifndef TUESDAY_EXPERIMENT_TRIAL_TEXT_H
#define TUESDAY_EXPERIMENT_TRIAL_TEXT_H

#include "report/report.h"

struct ab_test;
struct experiment_result;
struct trial;

/* The result of one that was not run, for the reason given or that of its plan. */
void trial_not_run(const struct trial *trial, enum answer answer, const char *why,
	struct experiment_result *out);

/* Used while it runs: all of a result that is known before, what the course says, the line on the
 * terminal, and one more note. out is of a struct experiment_result, trial of a struct trial. */
void trial_describe(const struct trial *trial, struct experiment_result *out);
void trial_answer(
	const struct trial *trial, const struct ab_test *course, struct experiment_result *out);
void trial_show_progress(void *trial, const struct ab_test *course);
void experiment_note(void *out, const char *text);

/* What is watched, for people. */
const char *trial_observed(const struct trial *trial);

#endif
