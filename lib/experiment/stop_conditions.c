/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the machine bear the experiment that is under way? */
#include "base/banned.h"

#include <math.h>

#include "check/check.h"
#include "check/experiment.h"
#include "experiment/stop_conditions.h"
#include "judge/metric.h"
#include "judge/summary.h"
#include "sample/sweep.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "expr/condition.h"
#include "expr/eval.h"

#define WORSE_FACTOR 2

void stop_conditions_open(struct stop_conditions *guards)
{
	size_t n = guards->guard ? guards->guard->n_metrics : 0, i;

	guards->beyond_before = mem_zalloc((n + 1) * sizeof(bool));
	guards->worst_before = mem_realloc_array(NULL, n + 1, sizeof(double));
	for (i = 0; i < n; i++)
		guards->worst_before[i] = NAN;
	guards->accused_before = mem_zalloc((guards->check->n_metrics + 1) * sizeof(bool));
}

void stop_conditions_close(struct stop_conditions *guards)
{
	free(guards->beyond_before);
	free(guards->worst_before);
	free(guards->accused_before);
	str_free(&guards->said);
}

void guards_bind(const struct stop_conditions *guards, struct sweep *sweep)
{
	experiment_bind(guards->experiment, sweep);
	check_bind(guards->check, sweep);
	if (guards->guard)
		check_bind(guards->guard, sweep);
}

static size_t stop_last_sample(const struct stop_conditions *guards)
{
	size_t n = sweep_samples(guards->sweep);

	return n ? n - 1 : 0;
}

static struct expr_context last_window(const struct stop_conditions *guards)
{
	size_t last = stop_last_sample(guards);

	return (struct expr_context){
		.check = guards->check->name,
		.sweep = guards->sweep,
		.from = last ? last - 1 : 0,
		.to = last,
		.cpus = guards->cpus,
	};
}

bool stop_conditions_can_look(const struct stop_conditions *guards, struct str *why)
{
	const struct experiment_rules *rules = &guards->experiment->guards;
	struct expr_context context = last_window(guards);
	size_t i;

	for (i = 0; i < rules->n; i++) {
		const struct experiment_rule *rule = &rules->list[i];

		struct str missing = STR_INIT;
		bool blind;

		/* No value because nothing happened is another thing than no value to be had. */
		blind = condition_holds(rule->when, &context, guards->instance) < 0 &&
			condition_why_missing(rule->when, &context, &missing);
		if (blind)
			str_addf(why, "its guard '%s' cannot be watched: %s", rule->name,
				missing.text);
		str_free(&missing);
		if (blind)
			return false;
	}
	return true;
}

static bool own_guard_ends_it(const struct stop_conditions *guards, struct str *why)
{
	const struct experiment_rules *rules = &guards->experiment->guards;
	struct expr_context context = last_window(guards);
	size_t i;

	for (i = 0; i < rules->n; i++) {
		if (condition_holds(rules->list[i].when, &context, guards->instance) != 1)
			continue;
		str_add(why, rules->list[i].say);
		return true;
	}
	return false;
}

static void add_why(struct str *why, const char *check, const struct metric_result *result)
{
	const struct metric *metric = result->metric;

	str_addf(why, "%s: %s", check, metric->name);
	if (*result->label)
		str_addf(why, " of %s", result->label);
	str_add(why, " is ");
	value_for_people(why, result->value, metric->unit);
}

/* The sample that the last windows begin with. */
static size_t stop_first_sample(const struct stop_conditions *guards)
{
	size_t last = stop_last_sample(guards);

	return last > STOP_CONDITIONS_WINDOWS ? last - STOP_CONDITIONS_WINDOWS : 0;
}

/* A metric over the last windows; beyond: its bad limit, whatever caps the verdict. */
static struct metric_result stop_judge_metric(const struct stop_conditions *guards,
	const struct check *check, const struct metric *metric, bool *beyond)
{
	const struct judge_context context = {
		.fs = guards->fs,
		.sweep = guards->sweep,
		.cpus = guards->cpus,
		.from = stop_first_sample(guards),
	};
	struct applied applied = {0};
	struct metric_result result;
	enum verdict raw;

	metric_judge(check, metric, &context, NULL, &result, &raw, &applied);
	free(applied.list);
	*beyond = !result.idle && raw == VERDICT_BAD;
	return result;
}

/* Whether a metric of the guard ends it; else what it was before anything was changed is kept. */
static bool weigh(struct stop_conditions *guards, size_t i, const struct metric_result *result,
	bool beyond, bool turned)
{
	double *worst = &guards->worst_before[i];

	if (result->metric->class == CLASS_ERROR)
		return beyond;
	if (turned)
		return beyond && !(result->value <= WORSE_FACTOR * *worst);
	guards->beyond_before[i] |= beyond;
	if (!result->idle && !(result->value <= *worst))
		*worst = result->value;
	return false;
}

/* What it costs to turn the knob is not what it is like to be without. */
static bool is_too_soon(const struct stop_conditions *guards, const struct metric *metric)
{
	return metric->class == CLASS_HARM && stop_first_sample(guards) < guards->from;
}

static void stop_note_end(
	struct stop_conditions *guards, size_t i, const struct metric_result *result)
{
	const struct check_result of_guard = {.check = guards->guard};

	guards->ended_by = result->metric->class == CLASS_HARM ? result->metric : NULL;
	guards->ended_at = result->value;
	guards->ended_before = guards->worst_before[i];
	str_clear(&guards->said);
	summary_add_value(&guards->said, result, &of_guard, result->label, result->value);
}

void stop_conditions_begin_anew(struct stop_conditions *guards)
{
	guards->from = stop_last_sample(guards);
}

bool stop_conditions_over(const struct stop_conditions *guards, double *value)
{
	struct metric_result result;
	bool beyond;

	*value = NAN;
	if (is_too_soon(guards, guards->ended_by))
		return false;
	result = stop_judge_metric(guards, guards->guard, guards->ended_by, &beyond);
	*value = result.value;
	metric_result_free(&result);
	return !beyond && *value * WORSE_FACTOR <= guards->ended_at;
}

static bool guard_ends_it(struct stop_conditions *guards, bool turned, struct str *why)
{
	size_t i;
	bool over = false;

	for (i = 0; guards->guard && i < guards->guard->n_metrics && !over; i++) {
		const struct metric *metric = guards->guard->metrics[i];
		struct metric_result result;
		bool beyond;

		if (metric->trace || guards->beyond_before[i] || is_too_soon(guards, metric))
			continue;
		result = stop_judge_metric(guards, guards->guard, metric, &beyond);
		over = weigh(guards, i, &result, beyond, turned);
		if (over) {
			add_why(why, guards->guard->name, &result);
			stop_note_end(guards, i, &result);
		}
		metric_result_free(&result);
	}
	return over;
}

/* An error that the check saw before is what it is about; a new one is not to be waited for. */
static bool check_ends_it(struct stop_conditions *guards, bool turned, struct str *why)
{
	const struct check *check = guards->check;
	bool over = false;
	size_t i;

	for (i = 0; i < check->n_metrics && !over; i++) {
		struct metric_result result;
		bool beyond;

		if (check->metrics[i]->class != CLASS_ERROR || check->metrics[i]->trace ||
			guards->accused_before[i] ||
			experiment_moves(guards->experiment, check->metrics[i]->name))
			continue;
		result = stop_judge_metric(guards, check, check->metrics[i], &beyond);
		beyond = result.verdict == VERDICT_MAYBE || result.verdict == VERDICT_BAD;
		over = beyond && turned;
		if (over)
			add_why(why, check->name, &result);
		guards->accused_before[i] |= beyond && !over;
		metric_result_free(&result);
	}
	return over;
}

bool stop_conditions_met(struct stop_conditions *guards, bool turned, struct str *why)
{
	if (stop_last_sample(guards) < 1)
		return false;
	return own_guard_ends_it(guards, why) || guard_ends_it(guards, turned, why) ||
		check_ends_it(guards, turned, why);
}

static void note_one(
	const char *check, const char *metric, void (*note)(void *, const char *), void *arg)
{
	char *text =
		mem_printf("%s was beyond its limit before (%s): it did not guard", metric, check);

	note(arg, text);
	free(text);
}

void stop_conditions_note(
	const struct stop_conditions *guards, void (*note)(void *arg, const char *text), void *arg)
{
	size_t i;

	for (i = 0; guards->guard && i < guards->guard->n_metrics; i++)
		if (guards->beyond_before[i])
			note_one(guards->guard->name, guards->guard->metrics[i]->name, note, arg);
	for (i = 0; i < guards->check->n_metrics; i++)
		if (guards->accused_before[i])
			note_one(guards->check->name, guards->check->metrics[i]->name, note, arg);
}
