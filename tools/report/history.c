/* SPDX-License-Identifier: GPL-2.0-only */
/* How did the lights and the numbers of this machine come to be what they are? */
#include "base/banned.h"

#include <math.h>

#include "history/history.h"
#include "base/str.h"
#include "tools/report/model.h"
#include "history/query.h"
#include "history/read.h"
#include "tools/report/history.h"

#define MOVED_MAX 20

static size_t past_column_of(const struct past *past, time_t time)
{
	double share = difftime(time, past->from) / (difftime(past->to, past->from) + 1);

	return share <= 0 ? 0 : share >= 1 ? TRAIL_COLUMNS - 1 : (size_t)(share * TRAIL_COLUMNS);
}

static int past_take_run(void *arg, const struct history_run *run)
{
	(void)run;
	((struct past *)arg)->runs++;
	return 0;
}

static int past_take_series(void *arg, const struct history_series *series)
{
	struct past *past = arg;
	struct trail *trail;
	size_t i;

	ARRAY_GROW(past->trails, past->n_trails, past->room_trails);
	trail = &past->trails[past->n_trails++];
	*trail = (struct trail){
		.series = series->id,
		.check = mem_strdup(series->check),
		.metric = mem_strdup(series->metric),
		.instance = mem_strdup(series->instance),
		.accuses = series->accuses,
	};
	for (i = 0; i < TRAIL_COLUMNS; i++)
		trail->columns[i] = NAN;
	return 0;
}

static int past_by_series(const void *a, const void *b)
{
	const struct trail *left = a, *right = b;

	return (left->series > right->series) - (left->series < right->series);
}

static void add_point(struct past *past, struct trail *trail, time_t time, double value)
{
	double *column = &trail->columns[past_column_of(past, time)];

	*column = trail->accuses < 0 ? fmin(*column, value) : fmax(*column, value);
	trail->n++;
}

static int past_take_value(void *arg, const struct history_value *value)
{
	const struct trail key = {.series = value->series};
	struct past *past = arg;
	struct trail *trail =
		bsearch(&key, past->trails, past->n_trails, sizeof(key), past_by_series);

	if (trail && isfinite(value->value))
		add_point(past, trail, value->time, value->value);
	return 0;
}

static struct shift *find_shift(const struct past *past, const char *check)
{
	size_t i;

	for (i = 0; i < past->n_shifts; i++)
		if (!strcmp(past->shifts[i].check, check))
			return &past->shifts[i];
	return NULL;
}

static bool past_is_calm(enum verdict verdict)
{
	return verdict == VERDICT_GOOD || verdict == VERDICT_SKIP;
}

/* The last one from before the time that is shown is what a light was when that began. */
static void add_light(struct past *past, const char *check, enum verdict verdict, time_t time)
{
	struct shift *shift = find_shift(past, check);
	bool before = time < past->from;

	if (!shift) {
		ARRAY_GROW(past->shifts, past->n_shifts, past->room_shifts);
		past->shifts[past->n_shifts++] = (struct shift){
			.check = mem_strdup(check),
			.first = verdict,
			.last = verdict,
			.since = before ? past->from : time,
			.before = before,
		};
		return;
	}
	if (before) {
		/* By a clock that was set back it may come after others. */
		if (shift->before && !shift->changes)
			shift->first = shift->last = verdict;
		return;
	}
	if (shift->last == verdict)
		return;
	/* That a part came to be there, or went, and is not at fault is no change to be told. */
	if (past_is_calm(shift->last) && past_is_calm(verdict)) {
		shift->last = verdict;
		return;
	}
	shift->last = verdict;
	shift->since = time;
	shift->changes++;
}

static int past_take_verdict(void *arg, const struct history_verdict *light)
{
	add_light(arg, light->check, light->verdict, light->time);
	return 0;
}

static int past_by_p(const void *a, const void *b)
{
	const struct diff_subject *const *left = a, *const *right = b;
	double p = (*left)->compared.p - (*right)->compared.p;

	return (p > 0) - (p < 0);
}

/* Numbers only: of the lights every change is told. */
static void find_moved(struct past *past)
{
	size_t i;

	diff_test(&past->diff);
	past->moved = mem_realloc_array(NULL, past->diff.n + 1, sizeof(*past->moved));
	for (i = 0; i < past->diff.n; i++) {
		struct diff_subject *subject = &past->diff.subjects[i];

		if (subject->metric && compared_changed(&subject->compared))
			past->moved[past->n_moved++] = subject;
	}
	qsort(past->moved, past->n_moved, sizeof(*past->moved), past_by_p);
	if (past->n_moved > MOVED_MAX)
		past->n_moved = MOVED_MAX;
}

static struct trail *find_trail(
	const struct past *past, const char *check, const struct metric_result *metric)
{
	size_t i;

	for (i = 0; i < past->n_trails; i++) {
		struct trail *trail = &past->trails[i];

		if (!strcmp(trail->metric, metric->metric->name) && !strcmp(trail->check, check) &&
			!strcmp(trail->instance, metric->instance))
			return trail;
	}
	return NULL;
}

/* The run itself may not be in the history yet; where it is, it adds nothing. */
static void add_now(struct past *past, const struct report *report)
{
	size_t i, k;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		add_light(past, result->check->name, result->verdict, report->time_start);
		for (k = 0; k < result->n_metrics; k++) {
			const struct metric_result *metric = &result->metrics[k];
			struct trail *trail = find_trail(past, result->check->name, metric);

			if (trail && isfinite(metric->value) && !metric->idle)
				add_point(past, trail, past->to, metric->value);
		}
	}
}

int past_read(struct past *past, struct history *history, const struct report *report, time_t from)
{
	time_t to = report->time_start;
	int err;

	past->from = from;
	past->to = to;
	past->diff.side[0].from = from - (to - from);
	past->diff.side[0].to = from - 1;
	past->diff.side[1].from = from;
	past->diff.side[1].to = to;
	err = history_each_run(history, from, to, past_take_run, past);
	if (!err)
		err = history_each_series(history, NULL, past_take_series, past);
	if (past->n_trails)
		qsort(past->trails, past->n_trails, sizeof(*past->trails), past_by_series);
	if (!err)
		err = history_each_value(history, NULL, from, to, past_take_value, past);
	if (!err)
		err = history_each_verdict(
			history, NULL, past->diff.side[0].from, to, past_take_verdict, past);
	if (!err)
		err = diff_read(&past->diff, history);
	if (err)
		return err;
	find_moved(past);
	add_now(past, report);
	past->known = past->runs > 0;
	return 0;
}

const struct trail *past_trail(
	const struct past *past, const char *check, const struct metric_result *metric)
{
	return find_trail(past, check, metric);
}

const struct shift *past_shift(const struct past *past, const char *check)
{
	return find_shift(past, check);
}

void past_free(struct past *past)
{
	size_t i;

	for (i = 0; i < past->n_trails; i++) {
		free(past->trails[i].check);
		free(past->trails[i].metric);
		free(past->trails[i].instance);
	}
	for (i = 0; i < past->n_shifts; i++)
		free(past->shifts[i].check);
	free(past->trails);
	free(past->shifts);
	free(past->moved);
	diff_free(&past->diff);
	*past = (struct past){0};
}
