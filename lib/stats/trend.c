/* SPDX-License-Identifier: GPL-2.0-only */
/* Does it grow, how fast, and how sure is that, of values that follow each other? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/trend.h"
#include "stats/distribution.h"
#include "stats/quantile.h"

#define POINTS_MAX 2000
/* What is left of a straight line is rounding, which does not follow itself. */
#define ROUNDING 1e-12

/* The slopes between all pairs that are not at the same time, sorted; their number in *n. */
static double *all_slopes(const double *times, const double *values, size_t points, size_t *n)
{
	double *slopes = malloc(points * (points - 1) / 2 * sizeof(double));
	size_t i, k;

	*n = 0;
	if (!slopes)
		return NULL;
	for (i = 0; i < points; i++)
		for (k = i + 1; k < points; k++)
			if (times[k] > times[i])
				slopes[(*n)++] = (values[k] - values[i]) / (times[k] - times[i]);
	stats_sort(slopes, *n);
	return slopes;
}

double stats_autocorrelation(const double *values, size_t n)
{
	double mean = 0, variance = 0, covariance = 0;
	size_t i;

	for (i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (i = 0; i < n; i++)
		variance += (values[i] - mean) * (values[i] - mean);
	for (i = 0; i + 1 < n; i++)
		covariance += (values[i] - mean) * (values[i + 1] - mean);
	return variance > 0 ? covariance / variance : 0;
}

/* How many times less values that follow each other say than independent ones would. */
double stats_redundancy(double autocorrelation, size_t n)
{
	double r = autocorrelation > 0.98 ? 0.98 : autocorrelation;
	double factor = r > 0 ? (1 + r) / (1 - r) : 1;

	return n && factor > (double)n / 2 ? (double)n / 2 : factor;
}

/* Whether sorted rests differ by no more than numbers of that size are rounded by. */
static bool trend_is_straight(
	const double *times, const double *values, size_t n, double slope, const double *sorted)
{
	double size = fabs(slope * times[0]) + fabs(slope * times[n - 1]);
	size_t i;

	for (i = 0; i < n; i++)
		size = fmax(size, fabs(values[i]));
	return sorted[n - 1] - sorted[0] <= ROUNDING * size;
}

static int residuals(const double *times, const double *values, size_t n, double slope,
	double *level, double *autocorrelation)
{
	double *rest = malloc(n * sizeof(double)), *sorted = malloc(n * sizeof(double));
	size_t i;
	int err = rest && sorted ? 0 : -ENOMEM;

	for (i = 0; !err && i < n; i++)
		rest[i] = sorted[i] = values[i] - slope * times[i];
	if (!err) {
		stats_sort(sorted, n);
		*level = stats_median(sorted, n);
		*autocorrelation = trend_is_straight(times, values, n, slope, sorted)
			? 0
			: stats_autocorrelation(rest, n);
	}
	free(rest);
	free(sorted);
	return err;
}

int stats_trend(const double *times, const double *values, size_t n, double confidence,
	struct stats_trend *result)
{
	struct stats_trend trend = {0};
	double *slopes, spread, autocorrelation;
	double low, high;
	size_t i, n_slopes;
	int err;

	if (n < 3 || !(confidence > 0 && confidence < 1))
		return -EINVAL;
	if (n > POINTS_MAX)
		return -E2BIG;
	for (i = 0; i < n; i++)
		if (!isfinite(values[i]) || !isfinite(times[i]) || (i && times[i] < times[i - 1]))
			return -EINVAL;
	slopes = all_slopes(times, values, n, &n_slopes);
	if (!slopes)
		return -ENOMEM;
	trend.slope = stats_median(slopes, n_slopes);
	err = n_slopes ? residuals(times, values, n, trend.slope, &trend.level, &autocorrelation)
		       : -EINVAL;
	if (!err) {
		/* Variance of Kendall's S, widened for values that are not independent. */
		spread = stats_normal_quantile(0.5 + confidence / 2) *
			sqrt((double)n * ((double)n - 1) * (2 * (double)n + 5) / 18 *
				stats_redundancy(autocorrelation, n));
		low = ((double)n_slopes - spread) / 2;
		high = ((double)n_slopes + spread) / 2;
		trend.have_interval = low >= 1 && high + 1 < (double)n_slopes;
		if (trend.have_interval) {
			trend.interval.low = slopes[(size_t)floor(low) - 1];
			trend.interval.high = slopes[(size_t)ceil(high)];
		}
		*result = trend;
	}
	free(slopes);
	return err;
}
