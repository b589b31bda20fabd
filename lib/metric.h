/* SPDX-License-Identifier: GPL-2.0-only */
/* One metric judged: every instance against the limits in force for it, the worst one reported. */
#ifndef TUESDAY_METRIC_H
#define TUESDAY_METRIC_H

#include "judge.h"

/* What a however said when it held something back; appended to by metric_judge. */
struct applied {
	const char **list; /* points into the check */
	size_t n, room;
};

/*
 * Judges a metric of the check in the tier that it belongs to. raw, if not NULL, gets the verdict
 * before it was capped for want of a deeper tier's confirmation. Strings of out are owned by it.
 */
void metric_judge(const struct check *check, const struct metric *metric,
	const struct judge_context *context, struct metric_result *out, enum verdict *raw,
	struct applied *applied);

/* The trace that a metric is about, or NULL: not traced, or it could not run. */
const struct trace_result *metric_trace(const struct check *check, const struct metric *metric,
	const struct judge_context *context);

#endif
