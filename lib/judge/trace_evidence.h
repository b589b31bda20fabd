/* SPDX-License-Identifier: GPL-2.0-only */
/* What have the traces of a check said of whom? The numbers of its counters are held against it. */
#ifndef TUESDAY_JUDGE_TRACE_EVIDENCE_H
#define TUESDAY_JUDGE_TRACE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct instances;

/* All 0 where nothing has been traced; the caller frees with testimony_free. */
struct testimony {
	bool judged; /* a trace saw enough to say anything */
	bool apart;  /* one tells instances apart, and says nothing of whom it saw too little */
	enum verdict harm; /* the worst that was said, of anybody or of the machine as a whole */
	struct instances *instances; /* of whom something was said; NULL: of nobody */
	enum verdict *verdicts;	     /* by their number */
};

/* Adds what was said of one instance: good, maybe or bad. Of several the worst stands. */
void testimony_add(struct testimony *testimony, const char *instance, enum verdict verdict);

/*
 * What was said of an instance in *out; of "", and of whom nothing was said where no trace tells
 * instances apart, what was said of all. Returns false where nothing was said: it was not seen.
 */
bool testimony_of(const struct testimony *testimony, const char *instance, enum verdict *out);

void testimony_free(struct testimony *testimony);

#endif
