/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the answer of an experiment do to the verdict of its check? */
#include "base/banned.h"
#include "report/report.h"
#include "base/str.h"
#include "judge/experiment_verdict.h"

/* A present setting that makes things worse is a cause that was seen at work: one step further than
 * all that was only counted or traced. */
static enum verdict confirmed(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_MAYBE:
	case VERDICT_BAD:
		return VERDICT_BAD;
	default:
		return VERDICT_MAYBE;
	}
}

static bool experiment_accuses(const struct experiment_result *experiment)
{
	return experiment->answer == ANSWER_CHANGED && experiment->better;
}

static void add_to_summary(struct check_result *result, const struct experiment_result *experiment)
{
	struct str out = STR_INIT;

	if (result->summary && *result->summary)
		str_addf(&out, "%s; ", result->summary);
	str_add(&out, experiment->summary);
	free(result->summary);
	result->summary = str_take(&out);
}

void experiments_judge(struct check_result *result)
{
	enum verdict before = result->verdict;
	size_t i;

	for (i = 0; i < result->n_experiments; i++) {
		const struct experiment_result *experiment = &result->experiments[i];

		/* One that has no answer, or was not run, has not spoken. */
		if (experiment->answer != ANSWER_CHANGED && experiment->answer != ANSWER_SAME)
			continue;
		result->tier = TIER_EXPERIMENT;
		if (!experiment_accuses(experiment))
			continue;
		result->verdict = confirmed(before);
		result->exonerated = false;
		result->idle = false;
		result->confidence = CONFIDENCE_HIGH;
		free(result->reason);
		result->reason = NULL;
		add_to_summary(result, experiment);
	}
}
