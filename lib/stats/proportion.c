// SPDX-License-Identifier: GPL-2.0-only
/* How sure is a share or a mean, and do two shares or two groups of rounds differ? */
#include "base/banned.h"
#include "stats/stats.h"
#include "stats/proportion.h"
#include "stats/distribution.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>

enum { PERMUTATION_MOST = 22 }; /* rounds: 705432 ways at most, some 10 ms */

int stats_share_interval(size_t hits, size_t n, double confidence, struct stats_interval *interval)
{
	double z = -stats_normal_quantile((1 - confidence) / 2), share, middle, half;

	if (!n || hits > n || !(confidence > 0 && confidence < 1))
		return -EINVAL;
	share = (double)hits / (double)n;
	z = z * z / (double)n; /* from here on z^2 / n, all that the formula needs */
	middle = (share + z / 2) / (1 + z);
	half = sqrt(share * (1 - share) * z + z * z / 4) / (1 + z);
	/* Rounding would leave a speck beyond a certain end. */
	interval->low = hits == 0 ? 0 : fmax(0, middle - half);
	interval->high = hits == n ? 1 : fmin(1, middle + half);
	return 0;
}

int stats_share_difference(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double confidence,
	struct stats_interval *interval)
{
	struct stats_interval of_a, of_b;
	double a, b;

	if (stats_share_interval(hits_a, n_a, confidence, &of_a) ||
		stats_share_interval(hits_b, n_b, confidence, &of_b))
		return -EINVAL;
	a = (double)hits_a / (double)n_a;
	b = (double)hits_b / (double)n_b;
	interval->low = a - b - hypot(a - of_a.low, of_b.high - b);
	interval->high = a - b + hypot(of_a.high - a, b - of_b.low);
	return 0;
}

int stats_sums_interval(
	double sum, double square_sum, size_t n, double confidence, struct stats_mean *result)
{
	double mean, variance, half;

	if (n < 2 || !isfinite(sum) || !isfinite(square_sum) || !(confidence > 0 && confidence < 1))
		return -EINVAL;
	mean = sum / (double)n;
	variance = (square_sum - sum * mean) / (double)(n - 1);
	/* Rounding may leave a speck below 0. */
	if (variance < -1e-9 * square_sum)
		return -EINVAL;
	half = stats_student_quantile((1 + confidence) / 2, (double)n - 1) *
		sqrt(fmax(variance, 0) / (double)n);
	*result = (struct stats_mean){mean, {mean - half, mean + half}};
	return 0;
}

int stats_mean_interval(
	const double *values, size_t n, double confidence, struct stats_mean *result)
{
	double sum = 0, square_sum = 0;
	int err;

	if (!n)
		return -EINVAL;
	/* Around the first value, so that large ones lose no digits. */
	for (size_t i = 0; i < n; i++) {
		sum += values[i] - values[0];
		square_sum += (values[i] - values[0]) * (values[i] - values[0]);
	}
	err = stats_sums_interval(sum, square_sum, n, confidence, result);
	if (err)
		return err;
	result->mean += values[0];
	result->interval.low += values[0];
	result->interval.high += values[0];
	return 0;
}

int stats_fisher(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double *p)
{
	size_t hits = hits_a + hits_b, least, most;
	double all, seen, sum = 0;

	if (hits_a > n_a || hits_b > n_b || !n_a || !n_b)
		return -EINVAL;
	least = hits > n_b ? hits - n_b : 0;
	most = hits < n_a ? hits : n_a;
	all = stats_log_choose(n_a + n_b, hits);
	seen = stats_log_choose(n_a, hits_a) + stats_log_choose(n_b, hits_b) - all;
	for (size_t i = least; i <= most; i++) {
		double one = stats_log_choose(n_a, i) + stats_log_choose(n_b, hits - i) - all;

		/* Equally likely tables differ by rounding only. */
		if (one <= seen + 1e-7)
			sum += exp(one);
	}
	*p = fmin(1, sum);
	return 0;
}

int stats_fisher_greater(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double *p)
{
	size_t hits = hits_a + hits_b, most, i;
	double seen, one, sum;

	if (hits_a > n_a || hits_b > n_b || !n_a || !n_b)
		return -EINVAL;
	most = hits < n_a ? hits : n_a;
	seen = stats_log_choose(n_a, hits_a) + stats_log_choose(n_b, hits_b) -
		stats_log_choose(n_a + n_b, hits);
	one = sum = exp(seen);
	/* Too unlikely for a double: at one end of all tables, with nothing or everything beyond.
	 */
	if (seen < -700) {
		*p = (double)hits_a / (double)n_a > (double)hits_b / (double)n_b ? sum : 1;
		return 0;
	}
	/* Each table's chance by that of the one before; beyond the mode they fall ever faster. */
	for (i = hits_a; i < most && one > sum * 1e-17; i++) {
		one *= (double)(n_a - i) * (double)(hits - i);
		one /= (double)(i + 1) * (double)(n_b - (hits - i - 1));
		sum += one;
	}
	*p = fmin(1, sum);
	return 0;
}

/* The next greater number with as many bits (Gosper's, HAKMEM item 175). */
static uint32_t next_mark(uint32_t mark)
{
	uint32_t lowest = mark & -mark, ripple = mark + lowest;

	return ripple | ((mark ^ ripple) >> 2) / lowest;
}

/* Sum of the values, moved by their mean, that mark picks: 0 is no difference. */
static double picked(const double *values, double mean, size_t n, uint32_t mark)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (mark >> i & 1)
			sum += values[i] - mean;
	return sum;
}

int stats_permutation(
	const double *values, const bool *marked, size_t n, struct stats_permutation *result)
{
	struct stats_permutation found = {0};
	uint32_t seen_mark = 0, k = 0, greater = 0, either = 0;
	double mean = 0, seen, size = 0;

	if (n > PERMUTATION_MOST)
		return -E2BIG;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(values[i]))
			return -EINVAL;
		mean += values[i] / (double)n;
		size = fmax(size, fabs(values[i]));
		seen_mark |= (uint32_t)marked[i] << i;
		k += marked[i];
	}
	if (!k || k == n)
		return -EINVAL;
	seen = picked(values, mean, n, seen_mark);
	size *= 1e-12 *
		(double)n; /* sums of the same values in another order differ by so little */
	for (uint32_t mark = (1U << k) - 1; mark < 1U << n; mark = next_mark(mark)) {
		double sum = picked(values, mean, n, mark);

		greater += sum >= seen - size;
		either += fabs(sum) >= fabs(seen) - size;
		found.ways++;
	}
	found.difference = seen / k + seen / ((double)n - k);
	found.p_greater = greater / (double)found.ways;
	found.p = either / (double)found.ways;
	*result = found;
	return 0;
}
