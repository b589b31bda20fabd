/* SPDX-License-Identifier: GPL-2.0-only */
/* A file says what to do: which of that may a person follow? */
#include "base/banned.h"

#include "base/str.h"
#include "check/check.h"
#include "judge/steps.h"
#include "tools/report/advice.h"

#define SAID_MAX 100 /* as many as there are next steps of our own at most */
#define SAYS "the report says: "

static const struct metric *advice_find_metric(const struct check *check, const char *name)
{
	size_t i;

	for (i = 0; check && i < check->n_metrics; i++)
		if (!strcmp(check->metrics[i]->name, name))
			return check->metrics[i];
	return NULL;
}

/* A text of the report's own, which says so wherever it is shown. */
static char *advice_says(struct advice *advice, const char *text)
{
	char *labelled, *kept;

	if (!text || !*text)
		return NULL;
	labelled = mem_printf(SAYS "%s", text);
	kept = arena_copy(&advice->arena, labelled, strlen(labelled));
	free(labelled);
	return kept;
}

/* The report's number with the texts of our own check file; one that it does not know keeps the
 * report's. */
static const struct metric *advice_metric(
	struct advice *advice, const struct metric *said, const struct metric *ours)
{
	struct metric *metric = arena_alloc(&advice->arena, sizeof(*metric));

	*metric = *said;
	metric->why = ours ? ours->why : advice_says(advice, said->why);
	metric->source = ours ? ours->source : advice_says(advice, said->source);
	metric->however = ours ? ours->however : advice_says(advice, said->however);
	metric->ends = ours ? ours->ends : advice_says(advice, said->ends);
	return metric;
}

static struct metric_result *advice_metrics(
	struct advice *advice, const struct metric_result *list, size_t n, const struct check *own)
{
	struct metric_result *copy = arena_alloc(&advice->arena, (n + 1) * sizeof(*copy));
	size_t i;

	for (i = 0; i < n; i++) {
		copy[i] = list[i];
		copy[i].metric = advice_metric(
			advice, list[i].metric, advice_find_metric(own, list[i].metric->name));
	}
	return copy;
}

/* Of the metrics that accuse, those that our check file has too, without a name of the report's. */
static size_t advice_accusers(struct metric_result *to, const struct metric_result *list, size_t n,
	const struct check *own)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++) {
		const struct metric *metric = advice_find_metric(own, list[i].metric->name);

		if (metric)
			to[kept++] = (struct metric_result){.metric = metric,
				.instance = (char *)"",
				.verdict = list[i].verdict};
	}
	return kept;
}

/* The steps of our own check file. */
static void advice_take_steps(
	struct check_result *ours, const struct check_result *said, const struct check *own)
{
	size_t n = said->n_metrics;
	struct metric_result *metrics =
		mem_realloc_array(NULL, n + said->n_past + 1, sizeof(*metrics));

	*ours = (struct check_result){.check = own, .verdict = said->verdict, .metrics = metrics};
	ours->n_metrics = advice_accusers(metrics, said->metrics, n, own);
	ours->n_metrics +=
		advice_accusers(metrics + ours->n_metrics, said->past, said->n_past, own);
	judge_add_steps(own, ours);
	free(metrics);
	ours->metrics = NULL;
	ours->n_metrics = 0;
}

static void advice_quote(struct advice *advice, const char *check, char *const *texts, size_t n)
{
	size_t i;

	for (i = 0; i < n && advice->n < SAID_MAX; i++) {
		ARRAY_GROW(advice->list, advice->n, advice->room);
		advice->list[advice->n++] = (struct said){check, texts[i]};
	}
}

static void advice_take_experiments(struct advice *advice, struct check_result *result)
{
	const struct experiment_result *said = result->experiments;
	size_t n = result->n_experiments, i;
	struct experiment_result *copy = arena_alloc(&advice->arena, (n + 1) * sizeof(*copy));

	for (i = 0; i < n; i++) {
		copy[i] = said[i];
		copy[i].left = advice_says(advice, said[i].left);
	}
	result->experiments = copy;
}

static void advice_take_check(struct advice *advice, struct check_result *result,
	struct check_result *ours, const struct check *own)
{
	const struct check_result said = *result;

	result->next = result->remedies = NULL;
	result->n_next = result->n_remedies = 0;
	if (own) {
		advice_take_steps(ours, &said, own);
		result->next = ours->next;
		result->n_next = ours->n_next;
		result->remedies = ours->remedies;
		result->n_remedies = ours->n_remedies;
	} else {
		advice_quote(advice, said.check->name, said.next, said.n_next);
		advice_quote(advice, said.check->name, said.remedies, said.n_remedies);
	}
	result->metrics = advice_metrics(advice, said.metrics, said.n_metrics, own);
	result->past = advice_metrics(advice, said.past, said.n_past, own);
	result->missing = advice_says(advice, said.missing);
	advice_take_experiments(advice, result);
}

void advice_make(struct advice *advice, const struct report *of, const struct checks *own)
{
	struct check_result *checks;
	size_t i;

	*advice = (struct advice){.report = *of};
	checks = arena_alloc(&advice->arena, (of->n_checks + 1) * sizeof(*checks));
	advice->ours = mem_zalloc((of->n_checks + 1) * sizeof(*advice->ours));
	advice->report.checks = checks;
	for (i = 0; i < of->n_checks; i++) {
		checks[i] = of->checks[i];
		/* Whatever the report says of itself as a whole. */
		if (verdict_is_worse(checks[i].verdict, advice->report.verdict))
			advice->report.verdict = checks[i].verdict;
		advice_take_check(advice, &checks[i], &advice->ours[i],
			checks_find(own, checks[i].check->name));
	}
}

void advice_free(struct advice *advice)
{
	size_t i;

	for (i = 0; advice->ours && i < advice->report.n_checks; i++)
		check_result_free(&advice->ours[i]);
	free(advice->ours);
	free(advice->list);
	arena_free(&advice->arena);
}
