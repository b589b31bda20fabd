/* SPDX-License-Identifier: GPL-2.0-only */
/* What is usual on this machine at this hour? */
#include "base/banned.h"

#include <math.h>

#include "history/internal.h"
#include "base/str.h"
#include "base/unit.h"
#include "check/check.h"
#include "stats/quantile.h"
#include "history/baseline.h"
#include "history/read.h"
#include "history/trends.h"

#define NORMAL_DAYS 14
#define NORMAL_BEFORE_AND_AFTER 1800
#define NORMAL_LEAST_RUNS 20
#define NORMAL_LEAST_DAYS 3

/* The numbers that a report has, by their series. */
struct known {
	int64_t series;
	struct metric_result *result;
	double *values; /* at this hour of other days */
	size_t n, room;
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

bool history_recall(struct history *history, struct report *report, bool all)
{
	struct knowing knowing = {.report = report, .all = all};
	size_t i;

	history_each_series(history, NULL, note_series, &knowing);
	if (knowing.n)
		qsort(knowing.list, knowing.n, sizeof(*knowing.list), baseline_by_series);
	if (knowing.n)
		recall_normals(history, &knowing);
	for (i = 0; i < knowing.n; i++) {
		free(knowing.list[i].values);
	}
	free(knowing.list);
	return history_recall_trends(history, report, all);
}
