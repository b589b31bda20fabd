/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a number grow steadily towards its limit while we look, and when is it there? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "check/check.h"
#include "check/trend_rule.h"
#include "expr/eval.h"
#include "judge/limit_trend.h"
#include "sample/instances.h"
#include "sample/sweep.h"
#include "stats/growth.h"

struct limit_trend {
	const struct metric *metric;
	struct expr_context whole;
	const struct value *last;
	struct value *samples; /* from the first on; those not evaluated yet are empty */
	double *times;	       /* seconds since the first */
	double *course;	       /* of one instance */
	size_t n;
};

struct limit_trend *limit_trend_new(
	const struct metric *metric, const struct expr_context *whole, const struct value *last)
{
	struct limit_trend *trend;
	size_t i;

	if (metric->trend.looks != TREND_ALL || !(metric->trend.within_seconds > 0) ||
		!metric_can_have_trend(metric) || whole->from >= whole->to ||
		whole->to - whole->from + 1 < STATS_GROWTH_LEAST ||
		sweep_stands(whole->sweep, whole->from, whole->to))
		return NULL;
	trend = mem_zalloc(sizeof(*trend));
	trend->metric = metric;
	trend->whole = *whole;
	trend->last = last;
	trend->n = whole->to - whole->from + 1;
	trend->samples = mem_zalloc(trend->n * sizeof(*trend->samples));
	trend->times = mem_realloc_array(NULL, trend->n, sizeof(*trend->times));
	trend->course = mem_realloc_array(NULL, trend->n, sizeof(*trend->course));
	for (i = 0; i < trend->n; i++)
		trend->times[i] = sweep_seconds(whole->sweep, whole->from, whole->from + i);
	return trend;
}

void limit_trend_free(struct limit_trend *trend)
{
	size_t i;

	if (!trend)
		return;
	for (i = 0; i < trend->n; i++)
		value_free(&trend->samples[i]);
	free(trend->samples);
	free(trend->times);
	free(trend->course);
	free(trend);
}

/* What an instance was in a sample, which is evaluated when it is first asked for. */
static double limit_trend_value(struct limit_trend *trend, size_t sample, size_t instance)
{
	struct value *value = &trend->samples[sample];
	struct expr_context context = trend->whole;

	if (!value->v) {
		context.to = trend->whole.from + sample;
		*value = expr_eval(trend->metric->value, &context);
	}
	return instance < value->n ? value->v[instance] : (double)NAN;
}

/* Whether the first and the last sample alone could make it due: most stand still. */
static bool limit_trend_is_near(
	struct limit_trend *trend, size_t instance, double side, double left)
{
	double grown = side * (trend->last->v[instance] - limit_trend_value(trend, 0, instance));

	return grown > 0 &&
		left * trend->times[trend->n - 1] <= grown * trend->metric->trend.within_seconds;
}

static bool limit_trend_is_believed(
	const struct limit_trend *trend, double value, double full, double seconds)
{
	const struct trend_rule *rule = &trend->metric->trend;
	double way = limit_way(trend->metric->unit, metric_side(trend->metric), value, full);

	return seconds < rule->within_seconds &&
		(way >= rule->from || seconds <= rule->times * trend->times[trend->n - 1]);
}

struct forecast limit_trend_of(struct limit_trend *trend, size_t i, double maybe, double bad)
{
	const double side = metric_side(trend->metric);
	struct forecast forecast = {0};
	struct stats_growth growth;
	double value = trend->last->v[i];
	double full = limit_full(trend->metric->unit, (int)side, maybe, bad);
	double left = side * (full - value);
	size_t k;

	if (isnan(left) || left <= 0 || !limit_trend_is_near(trend, i, side, left))
		return forecast;
	for (k = 0; k < trend->n; k++)
		trend->course[k] = side * limit_trend_value(trend, k, i);
	if (!stats_growth(trend->times, trend->course, trend->n, &growth) ||
		growth.ends < side * full)
		return forecast;
	forecast = (struct forecast){
		.known = true,
		.source = FORECAST_WINDOWS,
		.seconds = left / growth.slope,
		.low = left / growth.high,
		.high = left / growth.low,
		.target = full,
		.over_seconds = trend->times[trend->n - 1],
	};
	forecast.due = limit_trend_is_believed(trend, value, full, forecast.seconds);
	return forecast;
}

bool limit_is_near(const struct metric_result *result)
{
	const struct metric *metric = result->metric;
	int side = metric_side(metric);
	double full = limit_full(metric->unit, side, result->maybe, result->bad);

	return metric->trend.looks != TREND_NONE && metric->trend.within_seconds > 0 &&
		metric_can_have_trend(metric) && !result->idle &&
		limit_way(metric->unit, side, result->value, full) >= metric->trend.from;
}

/* How much instance number i of a value grew; who was not there has grown from nothing. */
static double limit_trend_grown(const struct value *first, const struct value *last, size_t i)
{
	double before = i < first->n && !isnan(first->v[i]) ? first->v[i] : 0;

	return i < last->n && !isnan(last->v[i]) ? last->v[i] - before : 0;
}

static bool limit_trend_is_below(const char *name, const char *above)
{
	size_t len = strcmp(above, "/") ? strlen(above) : 0;

	return !strncmp(name, above, len) && name[len] == '/' && name[len + 1];
}

/* The number of who grew most, above nothing; where above is not negative, of those below that
 * cgroup. -1: none did. */
static long limit_trend_most(const struct value *first, const struct value *last, long above)
{
	const char *top = above >= 0 ? instances_name(last->instances, (size_t)above) : NULL;
	double most = 0;
	long who = -1;
	size_t i;

	for (i = 0; i < last->n; i++) {
		double grown = limit_trend_grown(first, last, i);

		if (grown <= most ||
			(top && !limit_trend_is_below(instances_name(last->instances, i), top)))
			continue;
		most = grown;
		who = (long)i;
	}
	return who;
}

/* A cgroup grows by what all below it do: the lowest that has most of it is told. */
static long limit_trend_lowest(const struct value *first, const struct value *last)
{
	long who = limit_trend_most(first, last, -1), below = who;

	while (below >= 0) {
		below = limit_trend_most(first, last, who);
		if (below >= 0 &&
			2 * limit_trend_grown(first, last, (size_t)below) <
				limit_trend_grown(first, last, (size_t)who))
			break;
		who = below >= 0 ? below : who;
	}
	return who;
}

bool limit_trend_grower(
	const struct metric *metric, const struct expr_context *whole, struct culprit *out)
{
	struct expr_context before = *whole;
	struct value first, last;
	struct culprit found;
	bool known = false;
	long who;

	if (!metric->trend.grower)
		return false;
	before.to = whole->from;
	first = expr_eval(metric->trend.grower, &before);
	last = expr_eval(metric->trend.grower, whole);
	who = last.instances && last.reference >= 0 ? limit_trend_lowest(&first, &last) : -1;
	if (who >= 0)
		known = sweep_culprit(whole->sweep, last.reference,
			instances_name(last.instances, (size_t)who), &found);
	if (known)
		*out = found;
	value_free(&first);
	value_free(&last);
	return known;
}
