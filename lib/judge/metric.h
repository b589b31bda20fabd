/* SPDX-License-Identifier: GPL-2.0-only */
/* One metric judged: every instance against the limits in force for it, the worst one reported. */
#ifndef TUESDAY_JUDGE_METRIC_H
#define TUESDAY_JUDGE_METRIC_H

#include "judge/judge.h"

struct trace_result;
struct sweep;
struct trace_evidences;

/* What a however said when it held something back; appended to by metric_judge. */
struct applied {
	const char **list; /* points into the check */
	size_t n, room;
};

/*
 * Judges a metric of the check in the tier that it belongs to. What it says of single instances is
 * added to the evidence of its trace if it is traced, and else held against it: see
 * docs/verdicts.md. NULL for none. raw, if not NULL, gets the worst verdict before it was capped
 * for want of a deeper tier's confirmation. Strings of out are owned by it.
 */
void metric_judge(const struct check *check, const struct metric *metric,
	const struct judge_context *context, struct trace_evidences *evidences,
	struct metric_result *out, enum verdict *raw, struct applied *applied);

/*
 * Whether what a trace says counts. One that lost most of what happened says nothing. One that had
 * no room for all, of whom one may be the very one, that ran for less than half of its time, that
 * took itself away, or that stood in for one that sees more may accuse: what it did not see may
 * have happened all the same.
 */
bool trace_verdict_counts(const struct trace_result *trace, enum verdict verdict);

/*
 * Judges a metric of counters over the time since the run before, which the sweep has as
 * SWEEP_EARLIER. Errors and limits: every event counts, whenever it was; a limit above one event is
 * held against as many as there were in a time as long as this run, on average. Harm: by the mean,
 * with delta() likewise scaled to the length of this run, and no further than maybe: it is over, or
 * the windows of this run say so themselves. Causes are not judged, nor what is only true of one
 * moment, nor what is counted for single processes. Returns whether it accuses; out is then the
 * caller's to free with metric_result_free, and not touched otherwise.
 */
bool metric_judge_past(const struct check *check, const struct metric *metric,
	const struct judge_context *context, struct metric_result *out, struct applied *applied);

/* Whether what a metric counts is kept from run to run, so that metric_judge_past can judge it. */
bool metric_is_kept(const struct metric *metric, const struct sweep *sweep);

/* Whether a source says that there is no such thing here as what the metric is about. */
bool metric_is_absent(const struct metric *metric, const struct sweep *sweep);

/* Whether all that it needs was read, and what it is about was there for a part of the time only,
 * so that it has no value. */
bool metric_came_or_went(const struct metric *metric, const struct sweep *sweep);

/* The trace that a metric is about, or NULL: not traced, or it could not run. */
const struct trace_result *metric_trace(const struct check *check, const struct metric *metric,
	const struct judge_context *context);

#endif
