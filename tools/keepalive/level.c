/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the rounds of a level differ, in order first and in harm second? */
#include <math.h>

#include "comparison.h"
#include "stats.h"
#include "str.h"

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

static void order_each(
	const struct round *const *rounds, size_t n, uint64_t slack_ns, double *index)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct order order;

		order_of_rounds(&order, &rounds[i], 1, slack_ns);
		index[i] = isfinite(order.index_ratio) ? order.index_ratio : 0;
	}
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
		if (!level->few && harms(level, limits, service_seconds))
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

	level->keep = level->close = (struct arm){0};
	arm_sum_up(&level->keep, keep, n_keep, slack_ns);
	arm_sum_up(&level->close, close, n_close, slack_ns);
	order_each(keep, n_keep, slack_ns, keep_index);
	order_each(close, n_close, slack_ns, close_index);
	level->order_p = ab_permutation_p(keep_index, n_keep, close_index, n_close);
	level->p95 = ab_tail_ratio(keep, n_keep, close, n_close, 0.95);
	level->p99 = ab_tail_ratio(keep, n_keep, close, n_close, 0.99);
	level->few = (double)n_keep < limits->rounds.each || (double)n_close < limits->rounds.each;
	level->outcome = outcome_of(level, limits, service_seconds);
}
