/* SPDX-License-Identifier: GPL-2.0-only */
/* Which verdict has each instance of a check by its traces? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "judge/trace_evidence.h"
#include "sample/instances.h"

void trace_evidence_add(struct trace_evidence *evidence, const char *instance, enum verdict verdict)
{
	size_t known, i;

	if (!evidence->instances)
		evidence->instances = instances_new();
	known = instances_count(evidence->instances);
	i = instances_intern(evidence->instances, instance);
	if (i == known) {
		evidence->verdicts = mem_realloc_array(
			evidence->verdicts, known + 1, sizeof(*evidence->verdicts));
		evidence->verdicts[i] = verdict;
	} else if (verdict_is_worse(verdict, evidence->verdicts[i])) {
		evidence->verdicts[i] = verdict;
	}
}

bool trace_evidence_of(
	const struct trace_evidence *evidence, const char *instance, enum verdict *out)
{
	long i = *instance && evidence->instances ? instances_find(evidence->instances, instance)
						  : -1;

	if (!evidence->judged)
		return false;
	*out = i < 0 ? evidence->harm : evidence->verdicts[i];
	return i >= 0 || !*instance || !evidence->apart;
}

void trace_evidence_free(struct trace_evidence *evidence)
{
	instances_free(evidence->instances);
	free(evidence->verdicts);
}
