/* SPDX-License-Identifier: GPL-2.0-only */
/* Which verdict has each instance of a check by its traces? The judge combines it with the verdict
 * of the counters. */
#ifndef TUESDAY_JUDGE_TRACE_EVIDENCE_H
#define TUESDAY_JUDGE_TRACE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct instances;
struct metric;

/* What one trace says. */
struct trace_evidence {
	const char *trace; /* its name; the check's */
	bool always;	   /* a sentinel, which nobody needs to ask: a witness only by its name */
	bool judged;	   /* it observed enough events to be judged */
	bool apart; /* it has a verdict for each instance, and none where it saw too few events */
	enum verdict harm; /* the worst verdict of any instance, or of the machine as a whole */
	struct instances *instances; /* those that have a verdict; NULL where none has */
	enum verdict *verdicts;	     /* by the number of the instance */
};

/* Of all traces of a check. All 0 where there are none; the caller frees with
 * trace_evidences_free. */
struct trace_evidences {
	struct trace_evidence *list;
	size_t n;
};

/* Of the trace of that name, or of a field of it ("turns.read"); NULL where there is none. */
struct trace_evidence *trace_evidence_find(
	const struct trace_evidences *evidences, const char *trace);

/* Adds the verdict of one trace on one instance: good, maybe or bad. The worst of several is kept.
 */
void trace_evidence_add(
	struct trace_evidence *evidence, const char *instance, enum verdict verdict);

/* What the witnesses of a metric say of an instance. */
enum testimony {
	TESTIMONY_NONE,	    /* it has no witness, or none could judge anything */
	TESTIMONY_ANOTHER,  /* they judged, and did not observe this instance */
	TESTIMONY_INSTANCE, /* they observed it */
};

/*
 * Writes the worst that the witnesses of the metric say to *out: of the instance; for "", and where
 * none of them tells instances apart, of all; of all too where they did not observe the instance.
 * *meanwhile: whether a sentinel is among those that observed it, which looked while the counters
 * did; the others came afterwards.
 */
enum testimony trace_evidence_of(const struct trace_evidences *evidences,
	const struct metric *metric, const char *instance, enum verdict *out, bool *meanwhile);

void trace_evidences_free(struct trace_evidences *evidences);

#endif
