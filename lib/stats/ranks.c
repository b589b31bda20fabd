// SPDX-License-Identifier: GPL-2.0-only
/* Are the values of one sample greater than those of another, by more than chance? */
#include "base/banned.h"
#include "stats/stats.h"
#include "stats/ranks.h"
#include "stats/distribution.h"
#include "stats/quantile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
	EXACT_MOST = 50, /* values: C(50, 25) is 1.3e14, so every count is exact in a double */
	U_MOST = EXACT_MOST * EXACT_MOST / 4,
};

struct ranked {
	double value;
	bool of_b;
};

static int ranked_by_value(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return (a->value > b->value) - (a->value < b->value);
}

static int no_nan(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isnan(values[i]))
			return -EINVAL;
	return n ? 0 : -EINVAL;
}

/* The coefficients of the Gaussian binomial (n_a + n_b over n_a): a product of (1-q^i)/(1-q^j). */
int stats_mann_whitney_counts(size_t n_a, size_t n_b, double *counts)
{
	size_t most = n_a * n_b;

	if (n_a > EXACT_MOST || n_b > EXACT_MOST || n_a + n_b > EXACT_MOST)
		return -E2BIG;
	counts[0] = 1;
	for (size_t u = 1; u <= most; u++)
		counts[u] = 0;
	for (size_t i = 1; i <= n_a; i++) {
		for (size_t u = most; u >= n_b + i; u--)
			counts[u] -= counts[u - n_b - i];
		for (size_t u = i; u <= most; u++)
			counts[u] += counts[u - i];
	}
	return 0;
}

/* P(U <= u); n_a + n_b <= EXACT_MOST. */
static double exact_cdf(const double *counts, size_t most, double u)
{
	double below = 0, all = 0;

	for (size_t i = 0; i <= most; i++) {
		all += counts[i];
		if ((double)i <= u)
			below += counts[i];
	}
	return below / all;
}

/* U, with a half for ties, and the sum of t^3 - t over groups of t equal values. */
static void count_u(const struct ranked *all, size_t n, double *u, double *ties)
{
	double a_before = 0;

	*u = *ties = 0;
	for (size_t from = 0, to; from < n; from = to) {
		double a = 0, b = 0;

		for (to = from; to < n && all[to].value == all[from].value; to++) {
			a += !all[to].of_b;
			b += all[to].of_b;
		}
		*u += b * (a_before + a / 2);
		*ties += (a + b) * ((a + b) * (a + b) - 1);
		a_before += a;
	}
}

static void by_normal(double n_a, double n_b, double ties, struct stats_ranks *ranks)
{
	double n = n_a + n_b, mean = n_a * n_b / 2;
	double spread = sqrt(n_a * n_b / 12 * (n + 1 - ties / (n * (n - 1))));

	/* All values are equal: nothing speaks for a difference. */
	if (!(spread > 0)) {
		ranks->p_greater = ranks->p_less = 1;
		return;
	}
	/* U moves in steps of one; the half step is the continuity correction. */
	ranks->p_greater = stats_normal_cdf(-(ranks->u - 0.5 - mean) / spread);
	ranks->p_less = stats_normal_cdf((ranks->u + 0.5 - mean) / spread);
}

static void by_counts(size_t n_a, size_t n_b, struct stats_ranks *ranks)
{
	double counts[U_MOST + 1];

	stats_mann_whitney_counts(n_a, n_b, counts);
	ranks->exact = true;
	ranks->p_less = exact_cdf(counts, n_a * n_b, ranks->u);
	/* The distribution is symmetric. */
	ranks->p_greater = exact_cdf(counts, n_a * n_b, (double)(n_a * n_b) - ranks->u);
}

int stats_mann_whitney(
	const double *a, size_t n_a, const double *b, size_t n_b, struct stats_ranks *result)
{
	struct stats_ranks ranks = {0};
	struct ranked *all;
	double ties;

	if (no_nan(a, n_a) || no_nan(b, n_b))
		return -EINVAL;
	all = calloc(n_a + n_b, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n_a; i++)
		all[i].value = a[i];
	for (size_t i = 0; i < n_b; i++)
		all[n_a + i] = (struct ranked){b[i], true};
	qsort(all, n_a + n_b, sizeof(*all), ranked_by_value);
	count_u(all, n_a + n_b, &ranks.u, &ties);
	free(all);
	if (ties == 0 && n_a + n_b <= EXACT_MOST)
		by_counts(n_a, n_b, &ranks);
	else
		by_normal((double)n_a, (double)n_b, ties, &ranks);
	ranks.p = fmin(1, 2 * fmin(ranks.p_greater, ranks.p_less));
	*result = ranks;
	return 0;
}

/* The greatest k with P(U < k) <= rare: the interval is from the k-th difference to the k-th last.
 */
static size_t critical(size_t n_a, size_t n_b, double rare)
{
	double counts[U_MOST + 1], pairs = (double)n_a * (double)n_b, k;

	if (n_a + n_b <= EXACT_MOST) {
		size_t i = 0;

		stats_mann_whitney_counts(n_a, n_b, counts);
		while (exact_cdf(counts, n_a * n_b, (double)i) <= rare)
			i++;
		return i;
	}
	k = pairs / 2 + 0.5 +
		stats_normal_quantile(rare) * sqrt(pairs * (double)(n_a + n_b + 1) / 12);
	return k >= 1 ? (size_t)k : 0;
}

static int shift(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
	bool ratio, struct stats_shift *result)
{
	struct stats_shift found = {0};
	size_t pairs = n_a * n_b, k;
	double *all;

	if (!(confidence > 0 && confidence < 1))
		return -EINVAL;
	if (n_a > 4000000 / n_b)
		return -E2BIG;
	all = calloc(pairs, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n_a; i++)
		for (size_t j = 0; j < n_b; j++)
			all[i * n_b + j] = ratio ? b[j] / a[i] : b[j] - a[i];
	stats_sort(all, pairs);
	k = critical(n_a, n_b, (1 - confidence) / 2);
	found.estimate = stats_median(all, pairs);
	found.have_interval = k >= 1;
	if (found.have_interval)
		found.interval = (struct stats_interval){all[k - 1], all[pairs - k]};
	free(all);
	*result = found;
	return 0;
}

/* Finite, and greater than above. */
static int usable(const double *values, size_t n, double above)
{
	for (size_t i = 0; i < n; i++)
		if (!(isfinite(values[i]) && values[i] > above))
			return -EINVAL;
	return n ? 0 : -EINVAL;
}

int stats_shift(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
	struct stats_shift *result)
{
	if (usable(a, n_a, -INFINITY) || usable(b, n_b, -INFINITY))
		return -EINVAL;
	return shift(a, n_a, b, n_b, confidence, false, result);
}

int stats_ratio(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
	struct stats_shift *result)
{
	if (usable(a, n_a, 0) || usable(b, n_b, 0))
		return -EINVAL;
	return shift(a, n_a, b, n_b, confidence, true, result);
}
