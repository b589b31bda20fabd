/* SPDX-License-Identifier: GPL-2.0-only */
/* Which verdict has each instance of a check by its traces? The judge combines it with the verdict
 * of the counters. */
#ifndef TUESDAY_JUDGE_TRACE_EVIDENCE_H
#define TUESDAY_JUDGE_TRACE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct instances;

/* All 0 where nothing has been traced; the caller frees with trace_evidence_free. */
struct trace_evidence {
	bool judged; /* at least one trace observed enough events to be judged */
	bool apart;  /* one has a verdict for each instance, and none where it saw too few events */
	enum verdict harm; /* the worst verdict of any instance, or of the machine as a whole */
	struct instances *instances; /* those that have a verdict; NULL where none has */
	enum verdict *verdicts;	     /* by the number of the instance */
};

/* Adds the verdict of one trace on one instance: good, maybe or bad. The worst of several is kept.
 */
void trace_evidence_add(
	struct trace_evidence *evidence, const char *instance, enum verdict verdict);

/*
 * Writes the verdict of an instance to *out: its own; else, for "" and where no trace tells
 * instances apart, the worst of all. Returns false where the traces did not observe the instance.
 */
bool trace_evidence_of(
	const struct trace_evidence *evidence, const char *instance, enum verdict *out);

void trace_evidence_free(struct trace_evidence *evidence);

#endif
