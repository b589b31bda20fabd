/* SPDX-License-Identifier: GPL-2.0-only */
/* How much does a little harm to one suspect change the user's number? */
#include "base/banned.h"

#include <math.h>

#include "experiment/nudge.h"
#include "stats/proportion.h"
#include "stats/random.h"

#define CONFIDENCE 0.95

struct nudge_state {
	const struct nudge_course_plan *plan;
	struct nudge_course *out;
	struct stats_random random;
	double values[NUDGE_ROUNDS_MAX][NUDGE_STRENGTHS]; /* of whole rounds */
	unsigned int n;
};

double nudge_slope(const double *strengths, const double *values, size_t n)
{
	double x = 0, y = 0, products = 0, squares = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		x += strengths[i] / (double)n;
		y += values[i] / (double)n;
	}
	for (i = 0; i < n; i++) {
		products += (strengths[i] - x) * (values[i] - y);
		squares += (strengths[i] - x) * (strengths[i] - x);
	}
	return squares > 0 ? products / squares : (double)NAN;
}

static void nudge_shuffle(struct nudge_state *state, size_t order[NUDGE_STRENGTHS])
{
	size_t i, j, kept;

	for (i = 0; i < NUDGE_STRENGTHS; i++)
		order[i] = i;
	for (i = NUDGE_STRENGTHS - 1; i > 0; i--) {
		j = stats_random_below(&state->random, i + 1);
		kept = order[i];
		order[i] = order[j];
		order[j] = kept;
	}
}

/* Returns 0, or what harm or measure ended it with. */
static int nudge_round(struct nudge_state *state, unsigned int round)
{
	const struct nudge_course_plan *plan = state->plan;
	double *values = state->values[state->n];
	size_t order[NUDGE_STRENGTHS], i;
	bool whole = true;
	int err;

	nudge_shuffle(state, order);
	for (i = 0; i < NUDGE_STRENGTHS; i++) {
		err = plan->harm(plan->arg, state->out->strengths[order[i]]);
		if (!err)
			err = plan->measure(plan->arg, &values[order[i]]);
		if (err)
			return err;
		whole &= isfinite(values[order[i]]);
		if (plan->progress)
			plan->progress(plan->arg,
				(round + (double)(i + 1) / NUDGE_STRENGTHS) / plan->rounds);
	}
	if (whole)
		state->n++;
	else
		state->out->empty++;
	return plan->harm(plan->arg, 0);
}

static void nudge_answer(struct nudge_state *state)
{
	struct nudge_course *out = state->out;
	double slopes[NUDGE_ROUNDS_MAX];
	struct stats_mean mean;
	unsigned int i;
	size_t k;

	out->rounds = state->n;
	for (k = 0; k < NUDGE_STRENGTHS; k++) {
		out->means[k] = state->n ? 0 : (double)NAN;
		for (i = 0; i < state->n; i++)
			out->means[k] += state->values[i][k] / state->n;
	}
	out->before = out->means[0];
	if (state->n < NUDGE_ROUNDS_LEAST || !(fabs(out->before) > 0))
		return;
	for (i = 0; i < state->n; i++)
		slopes[i] = nudge_slope(out->strengths, state->values[i], NUDGE_STRENGTHS) /
			fabs(out->before);
	if (stats_mean_interval(slopes, state->n, CONFIDENCE, &mean))
		return;
	out->slope = mean.mean;
	out->low = mean.interval.low;
	out->high = mean.interval.high;
	if (out->low > 0 || out->high < 0)
		out->answer = NUDGE_MATTERS;
	else if (fmax(-out->low, out->high) <= state->plan->margin)
		out->answer = NUDGE_CLEARED;
	else
		out->answer = NUDGE_UNCLEAR;
}

void nudge_run(const struct nudge_course_plan *plan, struct nudge_course *out)
{
	struct nudge_state state = {.plan = plan, .out = out};
	unsigned int round;
	size_t k;

	*out = (struct nudge_course){
		.answer = NUDGE_NO_NUMBER, .slope = NAN, .low = NAN, .high = NAN, .before = NAN};
	for (k = 0; k < NUDGE_STRENGTHS; k++)
		out->strengths[k] = plan->most * (double)k / (NUDGE_STRENGTHS - 1);
	stats_random_seed(&state.random, plan->seed);
	for (round = 0; round < plan->rounds && !out->error; round++)
		out->error = nudge_round(&state, round);
	nudge_answer(&state);
}
