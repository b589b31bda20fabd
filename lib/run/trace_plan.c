/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be traced after the counters have spoken? */
#include "base/banned.h"

#include "base/str.h"
#include "check/check.h"
#include "judge/judge.h"
#include "report/report.h"
#include "run/options.h"
#include "run/trace_plan.h"
#include "trace/spec.h"

#define QUICK_TRACE_SECONDS 2

void trace_plan_make(
	struct trace_plan *plan, const struct report *report, const struct options *options)
{
	size_t i, k;

	*plan = (struct trace_plan){0};
	for (i = 0; i < report->n_checks; i++) {
		const struct check *check = report->checks[i].check;

		if (!judge_wants_trace(&report->checks[i], options->deep))
			continue;
		for (k = 0; k < check->n_traces; k++) {
			ARRAY_GROW(plan->specs, plan->n, plan->room);
			plan->specs[plan->n++] = check->traces[k];
		}
	}
	plan->copies = mem_zalloc((plan->n + 1) * sizeof(*plan->copies));
	for (i = 0; i < plan->n; i++) {
		plan->copies[i] = *plan->specs[i];
		if (options->quick && plan->copies[i].run_seconds > QUICK_TRACE_SECONDS)
			plan->copies[i].run_seconds = QUICK_TRACE_SECONDS;
		plan->specs[i] = &plan->copies[i];
	}
}

void trace_plan_free(struct trace_plan *plan)
{
	free(plan->specs);
	free(plan->copies);
}

void trace_plan_note_missing(struct report *report, const struct options *options, const char *why)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		struct check_result *result = &report->checks[i];

		if (result->tier == TIER_COUNTERS && !result->missing &&
			judge_wants_trace(result, options->deep))
			result->missing = mem_strdup(why);
	}
}
