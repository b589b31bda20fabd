/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the rounds of a level differ, in order first and in harm second? */
#include "base/banned.h"

#include <math.h>

#include "tools/keepalive/comparison.h"
#include "base/str.h"
#include "stats/quantile.h"
#include "tools/keepalive/load_level.h"

#define NS 1e9

void arm_sum_up(struct arm *arm, const struct round *const *rounds, size_t n, uint64_t slack_ns)
{
	double *seconds = seconds_of_rounds(rounds, n, &arm->requests);
	double duration = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		arm->answered += rounds[i]->answered;
		arm->connections += rounds[i]->connections;
		arm->kept += rounds[i]->kept;
		duration += (double)(rounds[i]->end_ns - rounds[i]->start_ns) / NS;
	}
	arm->p50 = stats_quantile(seconds, arm->requests, 0.5);
	arm->p95 = stats_quantile(seconds, arm->requests, 0.95);
	arm->p99 = stats_quantile(seconds, arm->requests, 0.99);
	arm->max = stats_quantile(seconds, arm->requests, 1);
	arm->per_second = duration > 0 ? (double)arm->answered / duration : NAN;
	order_of_rounds(&arm->order, rounds, n, slack_ns);
	free(seconds);
}

/* The rounds of one kind; returns how many. */
static size_t select_rounds(const struct level *level, bool keep, const struct round **out)
{
	size_t i, n = 0;

	for (i = 0; i < level->n_rounds; i++)
		if (level->rounds[i].plan.keep == keep && level->rounds[i].n)
			out[n++] = &level->rounds[i];
	return n;
}

/* So many requests every round of the level was meant to have. */
static size_t requests_of_each(const struct level *level)
{
	size_t i, least = SIZE_MAX;

	for (i = 0; i < level->n_rounds; i++)
		if (level->rounds[i].plan.requests_max &&
			level->rounds[i].plan.requests_max < least)
			least = level->rounds[i].plan.requests_max;
	return least;
}

/*
 * The order of so many first requests of each round, which does not depend on those that come
 * later: a slow request is overtaken, in whichever order, by all that are sent while it is served,
 * so a round with more of them would look less fair. Sets index to that of each, and returns that
 * of all.
 */
static double order_of_first(const struct round *const *rounds, size_t n, size_t requests,
	uint64_t slack_ns, double *index)
{
	struct round first[AB_ROUNDS_MAX];
	const struct round *all[AB_ROUNDS_MAX];
	struct order order;
	size_t i;

	for (i = 0; i < n; i++) {
		first[i] = *rounds[i];
		first[i].n = first[i].n < requests ? first[i].n : requests;
		all[i] = &first[i];
		order_of_rounds(&order, &all[i], 1, slack_ns);
		index[i] = isfinite(order.index_ratio) ? order.index_ratio : 0;
	}
	order_of_rounds(&order, all, n, slack_ns);
	return order.index_ratio;
}

/* Of a round that the end of the time or Ctrl-C cut it is not known what would have come. */
static bool is_cut(const struct level *level)
{
	const enum stop_reason stop =
		level->n_rounds ? level->rounds[level->n_rounds - 1].stop : STOP_NOT;

	return stop == STOP_TIME || stop == STOP_INTERRUPTED;
}

static double or_zero(double value)
{
	return isfinite(value) ? value : 0;
}

static bool harms(
	const struct level *level, const struct limits_of_run *limits, double service_seconds)
{
	const double longer = level->keep.p99 - level->close.p99;
	const bool starves = level->keep.order.starved && !level->close.order.starved;
	const double least = fmax(
		limits->judge.harm_seconds_least, limits->judge.harm_times_least * service_seconds);

	return longer > least && (starves || level->p99.low > limits->judge.ratio_bad_least);
}

static bool is_fair(
	const struct level *level, const struct limits_of_run *limits, double service_seconds)
{
	const double longer = level->keep.p99 - level->close.p99;
	const double least = fmax(
		limits->judge.harm_seconds_least, limits->judge.harm_times_least * service_seconds);

	if (level->keep.order.starved)
		return false;
	return level->p99.high <= limits->judge.ratio_fair_most || longer <= least;
}

static enum outcome outcome_of(
	const struct level *level, const struct limits_of_run *limits, double service_seconds)
{
	const double by =
		or_zero(level->keep.order.index_ratio) - or_zero(level->close.order.index_ratio);

	if (!level->keep.answered || !level->close.answered)
		return OUTCOME_NONE;
	if (by >= limits->judge.order_bad_least &&
		(level->order_p <= limits->judge.order_p_most || level->few)) {
		if (!level->few && (level->overtaken.harms || level->harm_outside))
			return OUTCOME_QUEUES;
		return OUTCOME_UNFAIR;
	}
	if (by < limits->judge.order_fair_most && !level->few &&
		is_fair(level, limits, service_seconds))
		return OUTCOME_FAIR;
	return OUTCOME_UNDECIDED;
}

void level_judge(struct level *level, const struct limits_of_run *limits, double service_seconds)
{
	const uint64_t slack_ns = (uint64_t)(limits->rounds.slack_seconds * NS);
	const struct round *keep[AB_ROUNDS_MAX] = {0}, *close[AB_ROUNDS_MAX] = {0};
	double keep_index[AB_ROUNDS_MAX], close_index[AB_ROUNDS_MAX];
	const size_t n_keep = select_rounds(level, true, keep);
	const size_t n_close = select_rounds(level, false, close);
	const size_t requests = requests_of_each(level);

	level->keep = level->close = (struct arm){0};
	arm_sum_up(&level->keep, keep, n_keep, slack_ns);
	arm_sum_up(&level->close, close, n_close, slack_ns);
	level->keep.order.index_ratio =
		order_of_first(keep, n_keep, requests, slack_ns, keep_index);
	level->close.order.index_ratio =
		order_of_first(close, n_close, requests, slack_ns, close_index);
	level->order_p = ab_permutation_p(keep_index, n_keep, close_index, n_close);
	level->p95 = ab_tail_ratio(keep, n_keep, close, n_close, 0.95);
	level->p99 = ab_tail_ratio(keep, n_keep, close, n_close, 0.99);
	level->overtaken =
		overtaken_judge(&level->seen_keep, &level->seen_close, limits, service_seconds);
	level->few = is_cut(level) || (double)n_keep < limits->rounds.each ||
		(double)n_close < limits->rounds.each;
	level->harm_outside = harms(level, limits, service_seconds);
	level->outcome = outcome_of(level, limits, service_seconds);
}

bool level_is_idle(const struct comparison *x, const struct level *level)
{
	return !x->fixed_connections && !level->few &&
		(level->outcome == OUTCOME_FAIR || level->outcome == OUTCOME_UNDECIDED) &&
		level->close.p50 < x->limits->ramp.wait_times_least * x->close_p50;
}

/* How much what a level says weighs: the more the worse, 0 for nothing. */
static int level_weight_of(const struct level *level)
{
	if (level->repeated)
		return 0;
	switch (level->outcome) {
	case OUTCOME_QUEUES:
		return 5;
	case OUTCOME_UNFAIR:
		return 4;
	case OUTCOME_UNDECIDED:
		return level->few && level->drowned ? 1 : 3;
	case OUTCOME_FAIR:
		return 2;
	default:
		return 0;
	}
}

void comparison_conclude(struct comparison *x)
{
	int weight = 0;
	size_t i;

	if (x->client_cpu_max > x->limits->guard.client_cpu_most)
		x->client_busy = true;
	for (i = 0; i < x->n_levels && !x->outcome; i++) {
		if (level_weight_of(x->levels[i]) <= weight)
			continue;
		weight = level_weight_of(x->levels[i]);
		x->decisive = x->levels[i];
	}
	if (weight)
		x->outcome = x->decisive->outcome;
}
