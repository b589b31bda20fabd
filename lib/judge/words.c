/* SPDX-License-Identifier: GPL-2.0-only */
/* Which doubts, remedies and commands are a metric's own? */
#include "base/banned.h"

#include "base/str.h"
#include "check/check.h"
#include "judge/steps.h"
#include "judge/summary.h"
#include "judge/words.h"
#include "report/report.h"

static void words_begin_anew(struct metric_words *words)
{
	struct metric_words kept = {.applied = words->applied, .n_applied = words->n_applied};

	words->applied = NULL;
	words->n_applied = 0;
	metric_words_free(words);
	*words = kept;
}

static void words_fill(struct metric_result *metric, const struct check_result *result)
{
	struct metric_words *words = &metric->words;
	struct str say = STR_INIT;
	size_t i;

	words_begin_anew(words);
	if ((metric->verdict != VERDICT_MAYBE && metric->verdict != VERDICT_BAD) || metric->idle)
		return;
	summary_add_accusation(&say, metric, result);
	words->say = str_take(&say);
	for (i = 0; i < words->n_applied; i++)
		texts_add_once(&words->howevers, &words->n_howevers, words->applied[i]);
	texts_add_once(&words->howevers, &words->n_howevers, metric->metric->however);
	judge_add_metric_steps(metric, result);
}

void judge_add_words(struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		words_fill(&result->metrics[i], result);
	for (i = 0; i < result->n_past; i++)
		words_fill(&result->past[i], result);
}
