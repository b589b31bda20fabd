// SPDX-License-Identifier: GPL-2.0-only
/* After this pair: has it changed, is it the same, or must we go on? */
#include "base/banned.h"
#include "stats/sequential.h"
#include "stats/distribution.h"
#include "stats/quantile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double stats_sign_log_e(size_t n, size_t s)
{
	if (s > n)
		return -INFINITY;
	return (double)n * M_LN2 - log((double)n + 1) - stats_log_choose(n, s);
}

int stats_pairs_init(struct stats_pairs *pairs, double margin, size_t budget)
{
	*pairs = (struct stats_pairs){0};
	if (!(margin > 0 && isfinite(margin)))
		return -EINVAL;
	if (budget < STATS_PAIRS_MIN || budget > STATS_PAIRS_MAX)
		return -EINVAL;
	pairs->sorted = calloc(budget, sizeof(*pairs->sorted));
	if (!pairs->sorted)
		return -ENOMEM;
	pairs->margin = margin;
	pairs->budget = budget;
	return 0;
}

void stats_pairs_free(struct stats_pairs *pairs)
{
	free(pairs->sorted);
	*pairs = (struct stats_pairs){0};
}

/* How many ratios are below the bound; or at most as large, if equal. */
static size_t count_below(const struct stats_pairs *pairs, double bound, bool equal)
{
	size_t low = 0, high = pairs->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		double ratio = pairs->sorted[middle];

		if (ratio < bound || (equal && ratio == bound))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Do s of n on one side prove that the median is there? The e-value rises with s above one half,
 * so a coin that falls there less than half the time reaches the bound less often still.
 */
static bool proven(size_t n, size_t s)
{
	return n >= STATS_PAIRS_MIN && 2 * s > n && stats_sign_log_e(n, s) >= log(STATS_E_BOUND);
}

static enum stats_pairs_answer pairs_judge(const struct stats_pairs *pairs)
{
	double most = 1 + pairs->margin, least = 1 / most;
	double ratio = stats_median(pairs->sorted, pairs->n);
	size_t n = pairs->n;

	if (proven(n, count_below(pairs, most, false)) &&
		proven(n, n - count_below(pairs, least, true)))
		return PAIRS_SAME;
	if ((ratio > most && proven(n, n - count_below(pairs, 1, true))) ||
		(ratio < least && proven(n, count_below(pairs, 1, false))))
		return PAIRS_CHANGED;
	return n < pairs->budget ? PAIRS_GO_ON : PAIRS_INCONCLUSIVE;
}

static bool measurable(double value)
{
	return isfinite(value) && value >= 0;
}

int stats_pairs_add(struct stats_pairs *pairs, double baseline, double changed)
{
	double ratio = baseline == changed ? 1 : changed / baseline;
	size_t place;

	if (!measurable(baseline) || !measurable(changed))
		return -EINVAL;
	if (pairs->n >= pairs->budget)
		return -ENOSPC;
	place = count_below(pairs, ratio, true);
	memmove(pairs->sorted + place + 1, pairs->sorted + place,
		(pairs->n - place) * sizeof(*pairs->sorted));
	pairs->sorted[place] = ratio;
	pairs->n++;
	if (pairs->answer == PAIRS_GO_ON)
		pairs->answer = pairs_judge(pairs);
	return 0;
}

/* The most order statistics that lie outside the interval on either side; -1 for no interval. */
static long outside(size_t n)
{
	long s = -1;

	while (proven(n, n - (size_t)(s + 1)))
		s++;
	return s;
}

static int noise_of(const struct stats_pairs *pairs, double median, double *noise)
{
	double *distance;

	*noise = NAN;
	if (!isfinite(median) || median == 0)
		return 0;
	distance = malloc(pairs->n * sizeof(*distance));
	if (!distance)
		return -ENOMEM;
	for (size_t i = 0; i < pairs->n; i++)
		distance[i] = fabs(pairs->sorted[i] - median);
	stats_sort(distance, pairs->n);
	/* 1.4826 makes the median absolute deviation of a normal distribution its standard one. */
	*noise = 1.4826 * stats_median(distance, pairs->n) / median / M_SQRT2;
	free(distance);
	return 0;
}

int stats_pairs_estimate(const struct stats_pairs *pairs, struct stats_pairs_estimate *estimate)
{
	struct stats_pairs_estimate result = {.n = pairs->n};
	long edge = outside(pairs->n);
	int err;

	if (!pairs->n)
		return -EINVAL;
	result.ratio = stats_median(pairs->sorted, pairs->n);
	err = noise_of(pairs, result.ratio, &result.noise);
	if (err)
		return err;
	if (edge >= 0) {
		result.have_interval = true;
		result.interval.low = pairs->sorted[edge];
		result.interval.high = pairs->sorted[pairs->n - 1 - (size_t)edge];
	}
	*estimate = result;
	return 0;
}
