/* SPDX-License-Identifier: GPL-2.0-only */
/* Which commands and remedies belong to what accuses, and which names belong into them? */
#include "base/banned.h"

#include "base/own_name.h"
#include "base/str.h"
#include "check/check.h"
#include "check/next_steps.h"
#include "judge/steps.h"
#include "report/report.h"

static bool is_process(const struct culprit *culprit)
{
	return !strcmp(culprit->kind, "process") && *culprit->id &&
		strspn(culprit->id, "0123456789") == strlen(culprit->id);
}

/* Whom a metric points at, or else whom the check does. A number of a process is that of the first
 * culprit that is one. */
static struct step_names step_names_of(
	const struct metric_result *metric, const struct check_result *result)
{
	struct step_names names = {.instance = metric->instance};
	size_t i;

	if (*metric->who.kind)
		names.who = metric->who.name;
	else if (result->n_culprits)
		names.who = result->culprits[0].name;
	if (is_process(&metric->who))
		names.pid = metric->who.id;
	for (i = 0; i < result->n_culprits && !*metric->who.kind && !names.pid; i++)
		if (is_process(&result->culprits[i]))
			names.pid = result->culprits[i].id;
	return names;
}

/* Adds the commands that need no name that is not known. Returns whether there were any. */
static bool add_commands(char ***next, size_t *n, const char *list, const struct step_names *names)
{
	bool added = false;
	char *command;

	while (list && (command = next_step_take(&list))) {
		struct str filled = STR_INIT, called = STR_INIT;

		added |= next_step_fill(&filled, command, names);
		own_command(&called, str_text(&filled), false);
		texts_add_once(next, n, str_text(&called));
		str_free(&called);
		str_free(&filled);
		free(command);
	}
	return added;
}

/* Returns whether it has commands of its own that a person can paste. */
static bool add_steps_of(struct check_result *result, const struct metric_result *metric)
{
	const struct step_names names = step_names_of(metric, result);
	bool added = add_commands(&result->next, &result->n_next, metric->metric->next, &names);
	struct str remedy = STR_INIT;

	if (metric->metric->remedy)
		next_step_fill_remedy(&remedy, metric->metric->remedy, &names);
	texts_add_once(&result->remedies, &result->n_remedies, str_text(&remedy));
	str_free(&remedy);
	return added;
}

void judge_add_metric_steps(struct metric_result *metric, const struct check_result *result)
{
	const struct step_names names = step_names_of(metric, result);
	struct metric_words *words = &metric->words;
	struct str remedy = STR_INIT;

	if (!add_commands(&words->next, &words->n_next, metric->metric->next, &names))
		add_commands(&words->next, &words->n_next, result->check->next, &names);
	if (metric->metric->remedy)
		next_step_fill_remedy(&remedy, metric->metric->remedy, &names);
	words->remedy = remedy.len ? str_take(&remedy) : NULL;
	str_free(&remedy);
}

static bool steps_accuses(const struct metric_result *metric)
{
	return metric->verdict == VERDICT_MAYBE || metric->verdict == VERDICT_BAD;
}

/* The steps of the metrics that accuse, of those with the check's own verdict or of all others.
 * Returns the first that has no commands of its own, or NULL. */
static const struct metric_result *add_steps_of_all(struct check_result *result, bool heavy)
{
	const struct metric_result *without = NULL;
	size_t i;

	for (i = 0; i < result->n_metrics + result->n_past; i++) {
		const struct metric_result *metric = i < result->n_metrics
			? &result->metrics[i]
			: &result->past[i - result->n_metrics];

		if (steps_accuses(metric) && (metric->verdict == result->verdict) == heavy &&
			!add_steps_of(result, metric) && !without)
			without = metric;
	}
	return without;
}

void judge_add_steps(const struct check *check, struct check_result *result)
{
	const struct metric_result none = {.instance = ""}, *without;
	struct step_names names = step_names_of(&none, result);
	struct str called = STR_INIT;
	char *explain;
	int heavy;

	if (result->verdict != VERDICT_MAYBE && result->verdict != VERDICT_BAD)
		return;
	for (heavy = 1; heavy >= 0; heavy--) {
		without = add_steps_of_all(result, heavy);
		if (!without)
			continue;
		names = step_names_of(without, result);
		add_commands(&result->next, &result->n_next, check->next, &names);
	}
	/* No metric has any: an experiment accuses, or a plugin. */
	if (!result->n_next)
		add_commands(&result->next, &result->n_next, check->next, &names);
	explain = mem_printf("tuesday explain %s", check->name);
	own_command(&called, explain, false);
	texts_add_once(&result->next, &result->n_next, str_text(&called));
	str_free(&called);
	free(explain);
}
