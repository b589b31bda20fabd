/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of a check that was good, and whose limit is reached soon as earlier runs know? */
#include "base/banned.h"

#include "base/str.h"
#include "check/check.h"
#include "judge/judge.h"
#include "judge/raise.h"
#include "judge/summary.h"
#include "judge/words.h"
#include "report/report.h"

static void raise_metric(struct metric_result *metric)
{
	metric->verdict = VERDICT_MAYBE;
	metric->remains = VERDICT_MAYBE;
	metric->accused = 1;
	metric->acquits = false;
	free(metric->doubt.label);
	metric->doubt = (struct doubt){0};
}

static void raise_check(struct check_result *check, const struct metric_result *metric)
{
	check->verdict = VERDICT_MAYBE;
	check->confidence = CONFIDENCE_LOW;
	check->idle = false;
	check->exonerated = false;
	free(check->evidence);
	check->evidence = NULL;
	free(check->reason);
	check->reason = NULL;
	judge_tell_accused(check, metric);
}

bool judge_raise_due(struct check_result *check, struct metric_result *metric)
{
	bool raises = check->verdict == VERDICT_GOOD;

	if (metric->verdict == VERDICT_GOOD) {
		raise_metric(metric);
		if (check->verdict == VERDICT_MAYBE)
			judge_tell_accused(check, metric);
	}
	if (raises)
		raise_check(check, metric);
	free(check->summary);
	summarize(check);
	return raises;
}

static bool raise_is_accused(const struct check_result *check)
{
	size_t i;

	for (i = 0; i < check->n_metrics; i++)
		if (check->metrics[i].verdict == VERDICT_MAYBE ||
			check->metrics[i].verdict == VERDICT_BAD)
			return true;
	return check->n_past || check->verdict != VERDICT_MAYBE;
}

static void raise_forget(char ***list, size_t *n)
{
	while (*n)
		free((*list)[--*n]);
}

bool judge_hold_back(struct check_result *check, struct metric_result *metric, const char *why)
{
	metric->verdict = VERDICT_GOOD;
	metric->remains = VERDICT_GOOD;
	metric->accused = 0;
	metric->capped = true;
	if (!raise_is_accused(check)) {
		check->verdict = VERDICT_GOOD;
		free(check->reason);
		check->reason = mem_strdup(why);
		check->n_culprits = 0;
		raise_forget(&check->howevers, &check->n_howevers);
		raise_forget(&check->next, &check->n_next);
	}
	free(check->summary);
	summarize(check);
	judge_add_words(check);
	return check->verdict == VERDICT_GOOD;
}
