/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the answer of an experiment do to the verdict of its check? */
#include "base/banned.h"
#include "check/check.h"
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

	/* That there was nothing to do is over. */
	if (result->summary && *result->summary && !result->idle)
		str_addf(&out, "%s; ", result->summary);
	str_add(&out, experiment->summary);
	free(result->summary);
	result->summary = str_take(&out);
}

/* The same of nothing is no answer: what has no work is no slower without anything. */
static bool experiment_clears(const struct experiment_result *experiment)
{
	return experiment->clears &&
		((experiment->answer == ANSWER_SAME && experiment->before > 0) ||
			(experiment->answer == ANSWER_CHANGED && !experiment->better));
}

/* Whether taking the component away can answer for what accuses: a device that fails, or a table
 * that is full, does so whether anybody waits for it or not. */
static bool experiment_may_clear(const struct check_result *result)
{
	size_t i;

	if (result->verdict == VERDICT_UNKNOWN || result->verdict == VERDICT_SKIP)
		return false;
	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];
		enum metric_class class = metric->metric->class;

		if (verdict_is_worse(metric->verdict, VERDICT_GOOD) &&
			(class == CLASS_ERROR || class == CLASS_LIMIT))
			return false;
	}
	return true;
}

static void experiment_overrule_metrics(struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		struct metric_result *metric = &result->metrics[i];

		if (metric->verdict != VERDICT_MAYBE && metric->verdict != VERDICT_BAD)
			continue;
		metric->overruled = metric->verdict;
		metric->verdict = VERDICT_GOOD;
	}
}

static void experiment_free_texts(char ***list, size_t *n)
{
	while (*n)
		free((*list)[--*n]);
	free(*list);
	*list = NULL;
}

static void experiment_clear(
	struct check_result *result, const struct experiment_result *experiment)
{
	bool accused = result->verdict != VERDICT_GOOD;
	struct str out = STR_INIT;

	if (accused)
		str_addf(&out, "was %s; ", verdict_text(result->verdict));
	str_add(&out, experiment->summary);
	free(result->summary);
	result->summary = str_take(&out);
	free(result->evidence);
	result->evidence = mem_printf("experiment %s: %s", experiment->name, experiment->summary);
	free(result->reason);
	result->reason = NULL;
	experiment_overrule_metrics(result);
	/* What to do about what is cleared is nothing. */
	experiment_free_texts(&result->next, &result->n_next);
	experiment_free_texts(&result->remedies, &result->n_remedies);
	result->verdict = VERDICT_GOOD;
	result->exonerated = true;
	result->confidence = CONFIDENCE_HIGH;
}

static void experiment_accuse(struct check_result *result,
	const struct experiment_result *experiment, enum verdict before)
{
	add_to_summary(result, experiment);
	result->verdict = confirmed(before);
	result->exonerated = false;
	result->idle = false;
	result->confidence = CONFIDENCE_HIGH;
	free(result->reason);
	result->reason = NULL;
}

/* What a program found that asked by itself is seen; that it found nothing is no answer for others
 * than it asked. */
static void experiment_believe(
	struct check_result *result, const struct experiment_result *experiment)
{
	result->tier = TIER_EXPERIMENT;
	if (experiment->told != VERDICT_MAYBE && experiment->told != VERDICT_BAD)
		return;
	add_to_summary(result, experiment);
	if (result->verdict == VERDICT_UNKNOWN ||
		verdict_is_worse(experiment->told, result->verdict))
		result->verdict = experiment->told;
	result->exonerated = false;
	result->idle = false;
	result->confidence = CONFIDENCE_HIGH;
	free(result->reason);
	result->reason = NULL;
}

void experiments_judge(struct check_result *result)
{
	const struct experiment_result *clears = NULL;
	enum verdict before = result->verdict;
	bool accused = false;
	size_t i;

	for (i = 0; i < result->n_experiments; i++) {
		const struct experiment_result *experiment = &result->experiments[i];

		if (experiment->answer == ANSWER_TOLD)
			experiment_believe(result, experiment);
		/* One that has no answer, or was not run, has not spoken. */
		if (experiment->answer != ANSWER_CHANGED && experiment->answer != ANSWER_SAME)
			continue;
		result->tier = TIER_EXPERIMENT;
		if (experiment_accuses(experiment)) {
			experiment_accuse(result, experiment, before);
			accused = true;
		} else if (experiment_clears(experiment)) {
			clears = experiment;
		}
	}
	if (clears && !accused && experiment_may_clear(result))
		experiment_clear(result, clears);
}
