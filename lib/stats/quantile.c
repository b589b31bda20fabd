// SPDX-License-Identifier: GPL-2.0-only
/* Where does a quantile lie, and between which bounds can we be sure of it? */
#include "base/banned.h"
#include "stats/stats.h"
#include "stats/quantile.h"
#include "stats/distribution.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static int quantile_by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void stats_sort(double *values, size_t n)
{
	if (n > 1)
		qsort(values, n, sizeof(*values), quantile_by_value);
}

/* The rank, from 0, that a quantile has among n > 0 values. */
static size_t quantile_rank_of(size_t n, double q)
{
	double rank = ceil(q * (double)n);

	if (!(rank > 1))
		return 0;
	return rank >= (double)n ? n - 1 : (size_t)rank - 1;
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	return n ? sorted[quantile_rank_of(n, q)] : NAN;
}

double stats_median(const double *sorted, size_t n)
{
	if (!n)
		return NAN;
	/* Halved before the sum, which could overflow; two infinities stay one. */
	return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

static bool quantile_sensible(double q, double confidence)
{
	return q > 0 && q < 1 && confidence > 0 && confidence < 1;
}

size_t stats_quantile_least(double q, double confidence)
{
	double rare = (1 - confidence) / 2;

	if (!quantile_sensible(q, confidence))
		return SIZE_MAX;
	return (size_t)ceil(log(rare) / log(fmax(q, 1 - q)) - 1e-9);
}

/* The greatest k with P(fewer than k of n lie below the quantile) <= rare; 0 if there is none. */
static long lower_rank(size_t n, double q, double rare)
{
	long low = 0, high = (long)n;

	while (low < high) {
		long middle = low + (high - low + 1) / 2;

		if (stats_binomial_cdf(middle - 1, (long)n, q) <= rare)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

bool stats_quantile_interval(const double *sorted, size_t n, double q, double confidence,
	struct stats_interval *interval)
{
	double rare = (1 - confidence) / 2;
	long low, high;

	if (!quantile_sensible(q, confidence) || n < stats_quantile_least(q, confidence))
		return false;
	low = lower_rank(n, q, rare);
	/* The upper bound is the lower one of 1 - q, counted from above. */
	high = (long)n + 1 - lower_rank(n, 1 - q, rare);
	if (low < 1 || high > (long)n)
		return false;
	interval->low = sorted[low - 1];
	interval->high = sorted[high - 1];
	return true;
}
