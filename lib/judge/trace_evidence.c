/* SPDX-License-Identifier: GPL-2.0-only */
/* Which verdict has each instance of a check by its traces? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "check/check.h"
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

struct trace_evidence *trace_evidence_find(
	const struct trace_evidences *evidences, const char *trace)
{
	size_t len = strcspn(trace, "."), i;

	for (i = 0; i < evidences->n; i++)
		if (strlen(evidences->list[i].trace) == len &&
			!strncmp(evidences->list[i].trace, trace, len))
			return &evidences->list[i];
	return NULL;
}

/* Whether it has a verdict of this one instance, which is then in *out. */
static bool trace_evidence_has(
	const struct trace_evidence *evidence, const char *instance, enum verdict *out)
{
	long i = *instance && evidence->instances ? instances_find(evidence->instances, instance)
						  : -1;

	if (i >= 0)
		*out = evidence->verdicts[i];
	return i >= 0;
}

static void take_worse(enum verdict *worst, enum verdict verdict)
{
	if (verdict_is_worse(verdict, *worst))
		*worst = verdict;
}

enum testimony trace_evidence_of(const struct trace_evidences *evidences,
	const struct metric *metric, const char *instance, enum verdict *out, bool *meanwhile)
{
	enum verdict one = VERDICT_GOOD, all = VERDICT_GOOD;
	bool judged = false, apart = false, has = false;
	size_t i;

	*meanwhile = false;
	for (i = 0; i < evidences->n; i++) {
		const struct trace_evidence *evidence = &evidences->list[i];
		enum verdict verdict;
		bool saw;

		if (!metric_has_witness(metric, evidence->trace) ||
			(evidence->always && !metric->witness))
			continue;
		/* Where one tells them apart, what it did not see another has not seen either. */
		apart |= evidence->apart;
		if (!evidence->judged)
			continue;
		judged = true;
		take_worse(&all, evidence->harm);
		saw = trace_evidence_has(evidence, instance, &verdict);
		*meanwhile |= evidence->always && (saw || !evidence->apart);
		if (!saw)
			continue;
		has = true;
		take_worse(&one, verdict);
	}
	*out = has ? one : all;
	if (!judged)
		return TESTIMONY_NONE;
	return has || !*instance || !apart ? TESTIMONY_INSTANCE : TESTIMONY_ANOTHER;
}

void trace_evidences_free(struct trace_evidences *evidences)
{
	size_t i;

	for (i = 0; i < evidences->n; i++) {
		instances_free(evidences->list[i].instances);
		free(evidences->list[i].verdicts);
	}
	free(evidences->list);
}
