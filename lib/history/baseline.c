/* SPDX-License-Identifier: GPL-2.0-only */
/* What is usual on this machine at this hour, and when is a limit reached? */
#include "base/banned.h"

#include <math.h>

#include "history/internal.h"
#include "base/str.h"
#include "base/unit.h"
#include "check/check.h"
#include "check/trend_rule.h"
#include "stats/quantile.h"
#include "stats/trend.h"
#include "history/baseline.h"
#include "history/read.h"

#define NORMAL_DAYS 14
#define NORMAL_BEFORE_AND_AFTER 1800
#define NORMAL_LEAST_RUNS 20
#define NORMAL_LEAST_DAYS 3
#define TREND_DAYS 7
/* Fewer hours than that are no trend. */
#define TREND_LEAST 24
/* Nobody knows what is further off than so many times what was seen, or a year. */
#define FARTHEST_TIMES 10
#define FARTHEST_SECONDS (366 * 86400.0)

/* The numbers that a report has, by their series. */
struct known {
	int64_t series;
	struct metric_result *result;
	double *values; /* at this hour of other days */
	size_t n, room;
	double *times, *points; /* one for each hour */
	size_t n_points, room_points, room_times;
	unsigned int days, last_day;
};

struct knowing {
	struct report *report;
	bool all;	    /* and not only the checks that accuse */
	struct known *list; /* by series, ascending */
	size_t n, room;
	unsigned int day; /* of the window that is read */
};

static int baseline_by_series(const void *a, const void *b)
{
	const struct known *left = a, *right = b;

	return (left->series > right->series) - (left->series < right->series);
}

static struct known *baseline_find_series(struct knowing *knowing, int64_t series)
{
	const struct known key = {.series = series};

	return bsearch(&key, knowing->list, knowing->n, sizeof(key), baseline_by_series);
}

static bool baseline_is_wanted(const struct knowing *knowing, const struct check_result *check)
{
	return knowing->all || check->verdict == VERDICT_BAD || check->verdict == VERDICT_MAYBE;
}

static int note_series(void *arg, const struct history_series *series)
{
	struct knowing *knowing = arg;
	struct check_result *check = report_check(knowing->report, series->check);
	size_t i;

	for (i = 0; check && baseline_is_wanted(knowing, check) && i < check->n_metrics; i++) {
		struct metric_result *result = &check->metrics[i];

		if (strcmp(result->metric->name, series->metric) != 0 ||
			strcmp(history_instance(result), series->instance) != 0 || result->idle ||
			isnan(result->value))
			continue;
		ARRAY_GROW(knowing->list, knowing->n, knowing->room);
		knowing->list[knowing->n++] =
			(struct known){.series = series->id, .result = result};
	}
	return 0;
}

static int note_value(void *arg, const struct history_value *value)
{
	struct knowing *knowing = arg;
	struct known *known = baseline_find_series(knowing, value->series);

	if (!known)
		return 0;
	ARRAY_GROW(known->values, known->n, known->room);
	if (known->last_day != knowing->day) {
		known->last_day = knowing->day;
		known->days++;
	}
	known->values[known->n++] = value->value;
	return 0;
}

static void set_normals(struct knowing *knowing)
{
	size_t i;

	for (i = 0; i < knowing->n; i++) {
		struct known *known = &knowing->list[i];

		if (known->n < NORMAL_LEAST_RUNS || known->days < NORMAL_LEAST_DAYS)
			continue;
		stats_sort(known->values, known->n);
		known->result->normal = (struct normal){
			.runs = known->n,
			.low = stats_quantile(known->values, known->n, 0.05),
			.middle = stats_median(known->values, known->n),
			.high = stats_quantile(known->values, known->n, 0.95),
		};
	}
}

/* The same time of so many days ago, by the clock on the wall: summer time moves it with people. */
static time_t days_ago(time_t time, int days)
{
	struct tm tm;

	if (!localtime_r(&time, &tm))
		return time - days * 86400;
	tm.tm_mday -= days;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

/* Of all checks at once, or of the few that are wanted, which is a tenth of the work. */
static void read_around(struct history *history, struct knowing *knowing, time_t then)
{
	time_t from = then - NORMAL_BEFORE_AND_AFTER, to = then + NORMAL_BEFORE_AND_AFTER;
	size_t i;

	if (knowing->all) {
		history_each_value(history, NULL, from, to, note_value, knowing);
		return;
	}
	for (i = 0; i < knowing->report->n_checks; i++)
		if (baseline_is_wanted(knowing, &knowing->report->checks[i]))
			history_each_value(history, knowing->report->checks[i].check->name, from,
				to, note_value, knowing);
}

static void recall_normals(struct history *history, struct knowing *knowing)
{
	int day;

	for (day = 1; day <= NORMAL_DAYS; day++) {
		time_t then = days_ago(knowing->report->time_start, day);

		knowing->day = (unsigned int)day;
		read_around(history, knowing, then);
	}
	set_normals(knowing);
}

struct forecast history_forecast(
	const double *times, const double *values, size_t n, double now, double target, bool above)
{
	struct forecast forecast = {0};
	struct stats_trend trend;
	double left, sign = above ? 1 : -1, slow, fast;

	if (n < TREND_LEAST || isnan(target) || stats_trend(times, values, n, 0.95, &trend) ||
		!trend.have_interval)
		return forecast;
	/* Towards the limit, or there is nothing to fear. */
	slow = sign * (above ? trend.interval.low : trend.interval.high);
	fast = sign * (above ? trend.interval.high : trend.interval.low);
	left = sign * (target - (trend.level + trend.slope * now));
	if (slow <= 0 || left <= 0)
		return forecast;
	forecast.over_seconds = times[n - 1] - times[0];
	forecast.seconds = left / (sign * trend.slope);
	forecast.low = left / fast;
	forecast.high = left / slow;
	forecast.target = target;
	forecast.known = forecast.seconds <= FARTHEST_TIMES * forecast.over_seconds &&
		forecast.seconds <= FARTHEST_SECONDS;
	return forecast;
}

static double target_of(const struct metric_result *result)
{
	const struct metric *metric = result->metric;

	/* What is a time to a limit already is a forecast itself. */
	if (metric->class != CLASS_LIMIT || metric->unit == UNIT_SECONDS ||
		metric->trend.looks == TREND_NONE)
		return NAN;
	return limit_full(metric->unit, metric_side(metric), result->maybe, result->bad);
}

static int note_point(void *arg, const struct history_value *value)
{
	struct known *known = baseline_find_series(arg, value->series);

	if (!known)
		return 0;
	ARRAY_GROW(known->points, known->n_points, known->room_points);
	ARRAY_GROW(known->times, known->n_points, known->room_times);
	known->times[known->n_points] = (double)value->time;
	known->points[known->n_points++] = value->value;
	return 0;
}

/* Beside what the windows of the run say: the nearer of both first. */
static void baseline_add_forecast(struct metric_result *result, const struct forecast *forecast)
{
	if (!forecast->known)
		return;
	if (!result->forecast.known) {
		result->forecast = *forecast;
	} else if (forecast->seconds < result->forecast.seconds) {
		result->later = result->forecast;
		result->forecast = *forecast;
	} else {
		result->later = *forecast;
	}
}

static void recall_trends(struct history *history, struct knowing *knowing)
{
	int64_t *series = mem_realloc_array(NULL, knowing->n + 1, sizeof(*series));
	time_t now = knowing->report->time_start;
	size_t i, n = 0;

	for (i = 0; i < knowing->n; i++)
		if (!isnan(target_of(knowing->list[i].result)))
			series[n++] = knowing->list[i].series;
	if (n)
		history_each_hour(
			history, series, n, now - TREND_DAYS * 86400, now, note_point, knowing);
	for (i = 0; i < n; i++) {
		const struct known *known = baseline_find_series(knowing, series[i]);
		struct forecast forecast =
			history_forecast(known->times, known->points, known->n_points, (double)now,
				target_of(known->result), metric_side(known->result->metric) > 0);

		baseline_add_forecast(known->result, &forecast);
	}
	free(series);
}

void history_recall(struct history *history, struct report *report, bool all)
{
	struct knowing knowing = {.report = report, .all = all};
	size_t i;

	history_each_series(history, NULL, note_series, &knowing);
	if (knowing.n)
		qsort(knowing.list, knowing.n, sizeof(*knowing.list), baseline_by_series);
	if (knowing.n)
		recall_normals(history, &knowing);
	recall_trends(history, &knowing);
	for (i = 0; i < knowing.n; i++) {
		free(knowing.list[i].values);
		free(knowing.list[i].times);
		free(knowing.list[i].points);
	}
	free(knowing.list);
}
