/* SPDX-License-Identifier: GPL-2.0-only */
/* Does it grow all the time, how fast at least, and does it come to rest? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>

#include "stats/growth.h"
#include "stats/quantile.h"
#include "stats/trend.h"

#define CONFIDENCE 0.90

/* The median of the slopes from each value to the next; NAN without memory. */
static double growth_median_step(const double *times, const double *values, size_t n)
{
	double *steps = malloc(n * sizeof(*steps));
	double median;
	size_t i, used = 0;

	if (!steps)
		return NAN;
	for (i = 0; i + 1 < n; i++)
		if (times[i + 1] > times[i])
			steps[used++] = (values[i + 1] - values[i]) / (times[i + 1] - times[i]);
	stats_sort(steps, used);
	median = used ? stats_median(steps, used) : (double)NAN;
	free(steps);
	return median;
}

/* The value at the middle of the time, on the line between its neighbours. */
static double growth_middle(const double *times, const double *values, size_t n)
{
	double middle = (times[0] + times[n - 1]) / 2, part;
	size_t i = 1;

	while (i + 1 < n && times[i] < middle)
		i++;
	part = times[i] > times[i - 1] ? (middle - times[i - 1]) / (times[i] - times[i - 1]) : 0;
	return values[i - 1] + part * (values[i] - values[i - 1]);
}

static double growth_end(const double *times, const double *values, size_t n)
{
	double middle = growth_middle(times, values, n);
	double first = middle - values[0], second = values[n - 1] - middle;

	if (first <= 0 || second * 2 >= first)
		return INFINITY;
	return second > 0 ? values[n - 1] + second * second / (first - second) : values[n - 1];
}

bool stats_growth(const double *times, const double *values, size_t n, struct stats_growth *out)
{
	struct stats_trend trend;
	double step;

	if (stats_trend(times, values, n, CONFIDENCE, &trend) || !trend.have_interval ||
		trend.interval.low <= 0)
		return false;
	step = growth_median_step(times, values, n);
	if (isnan(step) || step <= 0)
		return false;
	*out = (struct stats_growth){
		.slope = fmin(trend.slope, step),
		.low = fmin(trend.interval.low, step),
		.high = trend.interval.high,
		.ends = growth_end(times, values, n),
	};
	return true;
}
