/* SPDX-License-Identifier: GPL-2.0-only */
/* When is a limit reached, if it goes on as in the last hours or days? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "base/unit.h"
#include "check/check.h"
#include "check/trend_rule.h"
#include "history/history.h"
#include "history/internal.h"
#include "history/limits.h"
#include "history/read.h"
#include "history/trends.h"
#include "judge/limit_trend.h"
#include "judge/raise.h"
#include "stats/trend.h"

#define LONG_SECONDS (7 * 86400)
#define LONG_STEP 3600
#define SHORT_SECONDS (6 * 3600)
#define SHORT_STEP 60
/* Fewer points than that are no trend. */
#define LONG_LEAST 24
#define SHORT_LEAST 12
/* Nobody knows what is further off than so many times what was seen, or a year. */
#define FARTHEST_TIMES 10
#define FARTHEST_SECONDS (366 * 86400.0)

/* The values of a limit, from when on it is what it is. */
struct course {
	int64_t series, since;
	struct check_result *check;
	struct metric_result *owner;  /* of the report */
	struct near_instance *near;   /* the instance that is not the owner's own, or NULL */
	struct metric_result *result; /* as if the owner told of that; a copy without strings */
	struct forecast windows;      /* what this run itself has seen */
	double *times, *points;
	size_t n, room_times, room_points;
	unsigned int boot; /* of the last point */
	double high;	   /* towards the limit, of all values */
	double back;	   /* the farthest from it that came after high */
};

struct courses {
	struct report *report;
	bool all; /* and not only the checks that accuse */
	struct course *list;
	size_t n, room;
};

static int trends_side(const struct metric_result *result)
{
	return metric_side(result->metric);
}

static double trends_target(const struct metric_result *result)
{
	const struct metric *metric = result->metric;

	/* What is a time to a limit already is a forecast itself. */
	if (metric->class != CLASS_LIMIT || metric->unit == UNIT_SECONDS ||
		metric->trend.looks == TREND_NONE || result->idle || isnan(result->value))
		return NAN;
	return limit_full(metric->unit, metric_side(metric), result->maybe, result->bad);
}

static bool trends_is_near(const struct metric_result *result)
{
	return result->verdict == VERDICT_GOOD && !isnan(trends_target(result)) &&
		limit_is_near(result);
}

bool history_trends_matter(const struct report *report)
{
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_metrics; k++)
			if (trends_is_near(&report->checks[i].metrics[k]))
				return true;
	return false;
}

static void trends_add(struct courses *courses, const struct history_series *series,
	struct check_result *check, struct metric_result *owner, struct near_instance *near)
{
	struct course course = {.series = series->id, .check = check, .owner = owner, .near = near};

	course.result = mem_alloc(sizeof(*course.result));
	*course.result = near ? metric_result_of_near(owner, near) : *owner;
	course.windows = course.result->forecast;
	ARRAY_GROW(courses->list, courses->n, courses->room);
	courses->list[courses->n++] = course;
}

static bool trends_is_wanted(const struct courses *courses, const struct check_result *check,
	const struct metric_result *result)
{
	return !isnan(trends_target(result)) &&
		(courses->all || check->verdict == VERDICT_BAD || check->verdict == VERDICT_MAYBE ||
			trends_is_near(result));
}

static int trends_add_course(void *arg, const struct history_series *series)
{
	struct courses *courses = arg;
	struct check_result *check = report_check(courses->report, series->check);
	size_t i, k;

	for (i = 0; check && i < check->n_metrics; i++) {
		struct metric_result *result = &check->metrics[i];

		if (strcmp(result->metric->name, series->metric) != 0)
			continue;
		if (!strcmp(history_instance(result), series->instance)) {
			if (trends_is_wanted(courses, check, result))
				trends_add(courses, series, check, result, NULL);
			continue;
		}
		for (k = 0; k < result->n_near; k++)
			if (!strcmp(result->near[k].instance, series->instance))
				trends_add(courses, series, check, result, &result->near[k]);
	}
	return 0;
}

static int trends_by_series(const void *a, const void *b)
{
	const struct course *left = a, *right = b;

	return (left->series > right->series) - (left->series < right->series);
}

/* Begins anew where a start of the machine set it back: a process ended with it, while what is on a
 * disk goes on. */
static void course_note_boot(struct course *course, unsigned int boot, double value)
{
	if (boot != course->boot && course->n &&
		trends_side(course->result) * (value - course->points[course->n - 1]) < 0)
		course->n = 0;
	course->boot = boot;
}

static void course_add(struct course *course, double time, double value)
{
	double towards = trends_side(course->result) * value;

	ARRAY_GROW(course->points, course->n, course->room_points);
	ARRAY_GROW(course->times, course->n, course->room_times);
	course->times[course->n] = time;
	course->points[course->n] = value;
	if (!course->n || towards >= course->high) {
		course->high = towards;
		course->back = towards;
	}
	course->back = fmin(course->back, towards);
	course->n++;
}

static int trends_note_point(void *arg, const struct history_value *value)
{
	struct courses *courses = arg;
	const struct course key = {.series = value->series};
	struct course *course =
		bsearch(&key, courses->list, courses->n, sizeof(key), trends_by_series);

	if (!course || value->time < course->since)
		return 0;
	course_note_boot(course, value->boot, value->value);
	course_add(course, (double)value->time, value->value);
	return 0;
}

static struct forecast trends_forecast(
	const double *times, const double *values, size_t n, double now, double target, bool above)
{
	struct forecast forecast = {.source = FORECAST_HISTORY};
	struct stats_trend trend;
	double left, sign = above ? 1 : -1, slow, fast;

	if (isnan(target) || stats_trend(times, values, n, 0.95, &trend) || !trend.have_interval)
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

struct forecast history_forecast(
	const double *times, const double *values, size_t n, double now, double target, bool above)
{
	if (n < LONG_LEAST)
		return (struct forecast){0};
	return trends_forecast(times, values, n, now, target, above);
}

/* Keeps the nearest of all in front, and of the others the one that was told last. */
static void trends_keep(struct metric_result *result, const struct forecast *forecast)
{
	bool same_source = result->forecast.source == forecast->source;

	if (!forecast->known)
		return;
	if (!result->forecast.known) {
		result->forecast = *forecast;
	} else if (forecast->seconds < result->forecast.seconds) {
		if (!same_source)
			result->later = result->forecast;
		result->forecast = *forecast;
	} else if (!same_source) {
		result->later = *forecast;
	}
}

/* Whether the machine was started since the last run that is kept. */
static bool trends_is_new_boot(struct history *history, const struct report *report)
{
	sqlite3_stmt *find = db_prepare(history, "SELECT boot FROM runs ORDER BY id DESC LIMIT 1");
	const char *boot = NULL;
	bool other;

	if (find && sqlite3_step(find) == SQLITE_ROW)
		boot = (const char *)sqlite3_column_text(find, 0);
	other = boot && report->boot_id && strcmp(boot, report->boot_id) != 0;
	sqlite3_finalize(find);
	return other;
}

/* By the values of so many seconds, one in each step. */
static void trends_read(
	struct history *history, struct courses *courses, int seconds, int step, size_t least)
{
	int64_t *series = mem_realloc_array(NULL, courses->n, sizeof(*series));
	const unsigned int new_boot = trends_is_new_boot(history, courses->report);
	time_t now = courses->report->time_start;
	size_t i;

	for (i = 0; i < courses->n; i++) {
		courses->list[i].n = 0;
		courses->list[i].boot = 0;
		series[i] = courses->list[i].series;
	}
	history_each_step(
		history, series, courses->n, step, now - seconds, now, trends_note_point, courses);
	for (i = 0; i < courses->n; i++) {
		struct course *course = &courses->list[i];
		struct forecast forecast;

		course_note_boot(course, course->boot + new_boot, course->result->value);
		course_add(course, (double)now, course->result->value);
		if (course->n < least)
			continue;
		forecast = trends_forecast(course->times, course->points, course->n, (double)now,
			trends_target(course->result), trends_side(course->result) > 0);
		trends_keep(course->result, &forecast);
	}
	free(series);
}

/* What the result tells of, as one of the instances beside it. Owns nothing of its own. */
static struct near_instance trends_near_of(const struct metric_result *result)
{
	return (struct near_instance){.instance = result->instance,
		.label = result->label,
		.value = result->value,
		.acquit = result->acquit,
		.maybe = result->maybe,
		.bad = result->bad,
		.whole = result->whole,
		.held = result->held,
		.who = result->who};
}

/* The owner tells of the instance that is there first, and the other one stands beside it. */
static void trends_adopt(const struct course *course)
{
	struct metric_result *owner = course->owner;
	struct near_instance before = trends_near_of(owner), *list = owner->near;
	size_t n = owner->n_near;

	*owner = metric_result_of_near(owner, course->near);
	owner->near = list;
	owner->n_near = n;
	owner->forecast = course->result->forecast;
	owner->later = course->result->later;
	*course->near = before;
}

/* Full within the hour: maybe, though it is not beyond its limits yet. */
static bool trends_raise(const struct course *course)
{
	struct metric_result *owner = course->owner;
	struct forecast *forecast = course->near ? &course->result->forecast : &owner->forecast;

	if (forecast->source != FORECAST_HISTORY || !forecast->known || course->result->held ||
		!(forecast->seconds < owner->metric->trend.within_seconds) ||
		(course->near && owner->verdict != VERDICT_GOOD))
		return false;
	forecast->due = true;
	if (course->near)
		trends_adopt(course);
	return judge_raise_due(course->check, owner);
}

/* Whether a value is beyond what accuses of itself, without any trend. */
static bool trends_is_beyond(const struct metric_result *result, double value)
{
	enum op op;

	return (limits_op(&result->metric->maybe, &op) && op_holds(op, value, result->maybe)) ||
		(limits_op(&result->metric->bad, &op) && op_holds(op, value, result->bad));
}

/*
 * What grows now has been as high in the last days, and fell back to where it was when this run
 * began, and never came to what accuses: something takes it back. Where it did come so far that
 * may have been an end of it, by a crash, say.
 */
static bool trends_came_back(const struct course *course)
{
	const struct metric_result *result = course->result;
	const struct forecast *windows = &course->windows;
	int side = trends_side(result);
	double grown, value = result->value;

	/* Of others of its kind that are accused beside it nothing is known here. */
	if (windows->source != FORECAST_WINDOWS || !windows->due || course->n < 3 ||
		result->accused > 1 || result->verdict != VERDICT_MAYBE ||
		trends_is_beyond(result, value) || trends_is_beyond(result, side * course->high))
		return false;
	grown = (windows->target - value) / windows->seconds * windows->over_seconds;
	return course->high > side * value && course->back <= side * (value - grown);
}

/* The trend of the windows stays as context. */
static bool trends_hold_back(const struct course *course)
{
	struct metric_result *result = course->owner;
	struct str why = STR_INIT;
	bool lowered;

	if (!trends_came_back(course))
		return false;
	result->forecast.due = false;
	str_add(&why, "it grows, but has been at ");
	value_for_people(&why, trends_side(result) * course->high, result->metric->unit);
	str_add(&why, " in the last 7 d, and came back");
	lowered = judge_hold_back(course->check, result, str_text(&why));
	str_free(&why);
	return lowered;
}

bool history_recall_trends(struct history *history, struct report *report, bool all)
{
	struct courses courses = {.report = report, .all = all};
	bool changed = false;
	size_t i;

	history_each_series(history, NULL, trends_add_course, &courses);
	if (!courses.n)
		return false;
	qsort(courses.list, courses.n, sizeof(*courses.list), trends_by_series);
	for (i = 0; i < courses.n; i++)
		courses.list[i].since =
			limits_since(history, courses.list[i].series, courses.list[i].result);
	trends_read(history, &courses, SHORT_SECONDS, SHORT_STEP, SHORT_LEAST);
	trends_read(history, &courses, LONG_SECONDS, LONG_STEP, LONG_LEAST);
	for (i = 0; i < courses.n; i++)
		if (!courses.list[i].near) {
			courses.list[i].owner->forecast = courses.list[i].result->forecast;
			courses.list[i].owner->later = courses.list[i].result->later;
		}
	for (i = 0; i < courses.n; i++) {
		changed |= trends_hold_back(&courses.list[i]);
		changed |= trends_raise(&courses.list[i]);
	}
	for (i = 0; i < courses.n; i++) {
		free(courses.list[i].result);
		free(courses.list[i].times);
		free(courses.list[i].points);
	}
	free(courses.list);
	return changed;
}
