/* SPDX-License-Identifier: GPL-2.0-only */
/* Does turning the knob change the number? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "experiment/ab_test.h"
#include "check/experiment.h"
#include "base/str.h"
#include "stats/random.h"
#include "stats/quantile.h"
#include "stats/sequential.h"

/* This many more pairs without a number than with one, and there will be no answer. */
#define EMPTY_MORE 3
/* So many phases may follow one that was too bad, to see that it was bad alone. */
#define ALONE_PHASES 16

/* Numbers of one kind of phase. */
struct values {
	double *list;
	size_t n, room;
};

struct running {
	const struct ab_test_plan *plan;
	struct ab_test *course;
	struct stats_random random;
	struct stats_pairs judge;
	struct values unchanged; /* of control and pairs */
	struct values before, meanwhile;
	unsigned int changed; /* phases with the change that had a number */
};

static void ab_test_add_value(struct values *values, double value)
{
	ARRAY_GROW(values->list, values->n, values->room);
	values->list[values->n++] = value;
}

static double ab_test_median(const struct values *values)
{
	double *sorted = mem_realloc_array(NULL, values->n + 1, sizeof(double)), median;
	size_t i;

	for (i = 0; i < values->n; i++)
		sorted[i] = values->list[i];
	stats_sort(sorted, values->n);
	median = stats_median(sorted, values->n);
	free(sorted);
	return median;
}

/* Records why the experiment stopped, and its answer. Whoever calls this runs no further phase. */
static void ab_test_stop(struct running *running, enum ab_test_end end, enum answer answer)
{
	running->course->end = end;
	running->course->answer = answer;
}

/* The worst phase without the change, NAN without any. */
static double ab_test_worst(const struct running *running)
{
	double worst = NAN;
	size_t i;

	for (i = 0; i < running->unchanged.n; i++) {
		double value = running->unchanged.list[i];

		worst = isnan(worst)			 ? value
			: running->plan->lower_is_better ? fmax(worst, value)
							 : fmin(worst, value);
	}
	return worst;
}

static bool ab_test_is_worse(const struct running *running, double value, double than)
{
	return running->plan->lower_is_better ? value > than : value < than;
}

/* What is worse than that is worse by the bound than the middle of all phases without the change.
 */
static double ab_test_limit(const struct running *running)
{
	double middle = ab_test_median(&running->unchanged), bound = running->plan->bound;

	return running->plan->lower_is_better ? middle * bound : middle / bound;
}

/* One phase is too bad to be waited through again: beyond the bound, and worse than any without the
 * change. */
static bool is_beyond(const struct running *running, double value)
{
	return ab_test_is_worse(running, value, ab_test_limit(running)) &&
		ab_test_is_worse(running, value, ab_test_worst(running));
}

static double ab_test_effect(const struct running *running, double value, double than)
{
	double ratio = value == than ? 1 : value / than;

	return running->plan->lower_is_better ? 1 - ratio : ratio - 1;
}

/* The middle effect of the one phase that was too bad, and the least that it can be. */
static void ab_test_tell_one(struct running *running, double value)
{
	struct ab_test *course = running->course;

	course->effect = ab_test_effect(running, value, ab_test_median(&running->unchanged));
	course->low = NAN;
	course->high = ab_test_effect(running, value, ab_test_worst(running));
	ab_test_add_value(&running->meanwhile, value);
	if (course->high < -running->plan->margin)
		course->answer = ANSWER_CHANGED;
}

/*
 * The knob was turned, the number got much too bad, and that has ended the pairs. The knob is put
 * back at once. It is an answer if the number gets well again, and has never been so bad in
 * AB_TEST_ALONE phases without the change for each with it: what happens by itself would have come
 * in one of those.
 */
static void ab_test_confirm(struct running *running, double value)
{
	const struct ab_test_plan *plan = running->plan;
	size_t wanted = (size_t)running->changed * AB_TEST_ALONE;
	double limit = ab_test_limit(running), again;
	unsigned int i;

	ab_test_stop(running, AB_TEST_BOUND, ANSWER_INCONCLUSIVE);
	/* One phase at least: that it is over belongs to the answer. */
	for (i = 0; i < ALONE_PHASES && (!i || running->unchanged.n < wanted); i++) {
		if (plan->turn(plan->arg, false) || plan->measure(plan->arg, !i, &again) ||
			ab_test_is_worse(running, again, limit))
			return;
		if (isfinite(again) && again >= 0)
			ab_test_add_value(&running->unchanged, again);
	}
	if (running->unchanged.n >= wanted)
		ab_test_tell_one(running, value);
}

/* One phase. Returns whether to go on. */
static bool phase(struct running *running, bool changed, double *value)
{
	const struct ab_test_plan *plan = running->plan;
	bool control = running->course->in_control;
	int err = control ? 0 : plan->turn(plan->arg, changed);

	*value = NAN;
	if (!err)
		err = plan->measure(plan->arg, !control, value);
	if (err) {
		running->course->error = err;
		ab_test_stop(running, AB_TEST_BROKEN, ANSWER_INCONCLUSIVE);
		return false;
	}
	if (!isfinite(*value) || *value < 0) {
		*value = NAN;
		return true;
	}
	if (control || !changed) {
		ab_test_add_value(&running->unchanged, *value);
		return true;
	}
	running->changed++;
	if (!is_beyond(running, *value))
		return true;
	ab_test_confirm(running, *value);
	return false;
}

/* In terms of better and worse instead of more and less. */
static void ab_test_tell_effect(struct running *running)
{
	bool lower = running->plan->lower_is_better;
	struct ab_test *course = running->course;
	struct stats_pairs_estimate estimate;

	if (stats_pairs_estimate(&running->judge, &estimate))
		return;
	course->noise = estimate.noise;
	course->effect = lower ? 1 - estimate.ratio : estimate.ratio - 1;
	course->low = course->high = NAN;
	if (!estimate.have_interval)
		return;
	course->low = lower ? 1 - estimate.interval.high : estimate.interval.low - 1;
	course->high = lower ? 1 - estimate.interval.low : estimate.interval.high - 1;
}

/* Whether the phases of a pair both had a number, so that it counts. */
static bool count_pair(struct running *running, const double *values)
{
	struct ab_test *course = running->course;
	unsigned int pairs = course->in_control ? course->control_pairs : course->pairs;

	if (isnan(values[0]) || isnan(values[1]) ||
		stats_pairs_add(&running->judge, values[0], values[1])) {
		if (++course->empty > pairs + EMPTY_MORE)
			ab_test_stop(running, AB_TEST_NO_NUMBER, ANSWER_INCONCLUSIVE);
		return false;
	}
	if (course->in_control) {
		course->control_pairs++;
		return true;
	}
	course->pairs++;
	ab_test_add_value(&running->before, values[0]);
	ab_test_add_value(&running->meanwhile, values[1]);
	ab_test_tell_effect(running);
	return true;
}

/* Pairs until the judge has an answer. Returns false where the course has ended before. */
static bool run_pairs(struct running *running)
{
	const struct ab_test_plan *plan = running->plan;
	struct ab_test *course = running->course;

	course->end = AB_TEST_DECIDED;
	while (running->judge.answer == PAIRS_GO_ON) {
		bool changed_first = stats_random_coin(&running->random);
		double values[2];

		if (!phase(running, changed_first, &values[changed_first]) ||
			!phase(running, !changed_first, &values[!changed_first]))
			return false;
		count_pair(running, values);
		if (course->end != AB_TEST_DECIDED)
			return false;
		if (plan->progress)
			plan->progress(plan->arg, course);
	}
	return true;
}

static bool begin_judging(struct running *running, unsigned int budget)
{
	running->course->error = stats_pairs_init(&running->judge, running->plan->margin, budget);
	if (running->course->error)
		ab_test_stop(running, AB_TEST_BROKEN, ANSWER_INCONCLUSIVE);
	return !running->course->error;
}

static bool run_control(struct running *running)
{
	bool quiet = false;

	running->course->in_control = true;
	if (begin_judging(running, EXPERIMENT_CONTROL_PAIRS) && run_pairs(running)) {
		quiet = running->judge.answer != PAIRS_CHANGED;
		if (!quiet)
			ab_test_stop(running, AB_TEST_NOT_QUIET, ANSWER_INCONCLUSIVE);
	}
	stats_pairs_free(&running->judge);
	running->course->in_control = false;
	return quiet;
}

static void run_experiment(struct running *running)
{
	if (!begin_judging(running, running->plan->rounds) || !run_pairs(running))
		return;
	if (running->judge.answer == PAIRS_CHANGED)
		ab_test_stop(running, AB_TEST_DECIDED, ANSWER_CHANGED);
	else if (running->judge.answer == PAIRS_SAME)
		ab_test_stop(running, AB_TEST_DECIDED, ANSWER_SAME);
	else
		ab_test_stop(running, AB_TEST_ROUNDS, ANSWER_INCONCLUSIVE);
}

void ab_test_run(const struct ab_test_plan *plan, struct ab_test *out)
{
	struct running running = {.plan = plan, .course = out};

	*out = (struct ab_test){
		.answer = ANSWER_INCONCLUSIVE,
		.effect = NAN,
		.low = NAN,
		.high = NAN,
		.before = NAN,
		.meanwhile = NAN,
		.noise = NAN,
	};
	stats_random_seed(&running.random, plan->seed);
	if (run_control(&running))
		run_experiment(&running);
	out->before =
		ab_test_median(running.before.n && out->end != AB_TEST_BOUND ? &running.before
									     : &running.unchanged);
	out->meanwhile = ab_test_median(&running.meanwhile);
	stats_pairs_free(&running.judge);
	free(running.unchanged.list);
	free(running.before.list);
	free(running.meanwhile.list);
}
