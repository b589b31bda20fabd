/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be traced after the counters have spoken? */
#include "base/banned.h"

#include "base/str.h"
#include "check/check.h"
#include "judge/judge.h"
#include "report/report.h"
#include "run/options.h"
#include "run/trace_plan.h"
#include "run/select.h"
#include "trace/result.h"
#include "trace/spec.h"

#define QUICK_TRACE_SECONDS 2

/* Adds the traces of a check that are always on, or all others. */
static void trace_plan_add(struct trace_plan *plan, const struct check *check, bool always)
{
	size_t i;

	for (i = 0; i < check->n_traces; i++) {
		if (check->traces[i]->always != always)
			continue;
		ARRAY_GROW(plan->specs, plan->n, plan->room);
		plan->specs[plan->n++] = check->traces[i];
	}
}

void trace_plan_make_sentinels(struct trace_plan *plan, const struct selection *selection)
{
	size_t i;

	*plan = (struct trace_plan){0};
	for (i = 0; i < selection->n; i++)
		if (!selection->skipped[i])
			trace_plan_add(plan, selection->checks[i], true);
}

void trace_plan_make(
	struct trace_plan *plan, const struct report *report, const struct options *options)
{
	size_t i;

	*plan = (struct trace_plan){0};
	for (i = 0; i < report->n_checks; i++) {
		if (judge_wants_trace(&report->checks[i], options->deep))
			trace_plan_add(plan, report->checks[i].check, false);
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

/* Whether any of its traces was run when it was asked; that one had no result, it says itself. */
static bool was_traced(const struct check *check, const struct traces *traces)
{
	size_t i;

	for (i = 0; i < check->n_traces; i++)
		if (!check->traces[i]->always &&
			traces_find(traces, check->name, check->traces[i]->name))
			return true;
	return false;
}

void trace_plan_note_missing(struct report *report, const struct options *options,
	const struct traces *traces, const char *why)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		struct check_result *result = &report->checks[i];

		if (!was_traced(result->check, traces) && !result->missing &&
			judge_wants_trace(result, options->deep))
			result->missing = mem_strdup(why);
	}
}
