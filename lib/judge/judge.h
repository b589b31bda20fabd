/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From numbers to verdicts, by the rules of the check file and no others.
 */
#ifndef TUESDAY_JUDGE_JUDGE_H
#define TUESDAY_JUDGE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct sweep;
struct traces;
struct capture;

struct judge_context {
	struct capture *fs;
	const struct sweep *sweep;
	const struct traces *traces; /* NULL: counters only. Sentinels are in the first judgement */
	double cpus;
	const char *only;  /* patterns of the only instances to judge, or NULL for all */
	const char *since; /* when the run before was, for people; outlives the results, or NULL */
	size_t from;	   /* the sample that judging begins at: 0 for the whole run */
	/* The samples between which the traces looked, the last of which may be one beside those
	 * that are judged; the same number twice: what the counters did meanwhile is not known. */
	size_t traced_from, traced_to;
};

/*
 * Judges one check, which has something to say of this machine (see judge_why_skipped) and is bound
 * in context->sweep. Without traces it gives the verdict of the counters tier; with them the deeper
 * tier overrules harm and causes, and confirms what was capped. Never fails. The caller frees the
 * result with check_result_free.
 */
void judge_check(const struct check *check, const struct judge_context *context,
	struct check_result *result);

/* Whether the traces of a check that are not always on would be run after this result. */
bool judge_wants_trace(const struct check_result *result, bool deep);

/* Adds to a check that accuses what stands beside an accusation: the howevers of the metric and
 * whom it points at, and what to run next. */
void judge_tell_accused(struct check_result *result, const struct metric_result *metric);

/* The report's worst verdict and its type, from its checks. */
void judge_report(struct report *report);

#endif
