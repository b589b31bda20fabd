/* SPDX-License-Identifier: GPL-2.0-only */
/* Which traces the verdicts of the counters ask for. */
#ifndef TUESDAY_RUN_TRACE_PLAN_H
#define TUESDAY_RUN_TRACE_PLAN_H

#include <stddef.h>

struct options;
struct report;
struct selection;
struct trace_spec;
struct traces;

struct trace_plan {
	const struct trace_spec **specs;
	size_t n, room;
	struct trace_spec *copies; /* what specs points to: those of the checks, with the seconds
				      of this run */
};

/* The traces of each check that judge_wants_trace says yes of. The caller frees; the checks have to
 * outlive the plan. */
void trace_plan_make(
	struct trace_plan *plan, const struct report *report, const struct options *options);
void trace_plan_free(struct trace_plan *plan);

/* The sentinels of each check that is not known to be skipped: they run while counters are sampled.
 */
void trace_plan_make_sentinels(struct trace_plan *plan, const struct selection *selection);

/* Says in every result that wanted a trace and got none why, unless that was said before. traces:
 * those that were run when they were asked, or NULL. */
void trace_plan_note_missing(struct report *report, const struct options *options,
	const struct traces *traces, const char *why);

#endif
