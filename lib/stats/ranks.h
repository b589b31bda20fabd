/* SPDX-License-Identifier: GPL-2.0-only */
/* Two unpaired samples, by the ranks of their values. */
#ifndef TUESDAY_STATS_RANKS_H
#define TUESDAY_STATS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

struct stats_ranks {
	double u;	  /* pairs (a, b) with b > a, a tie counts half: of n_a * n_b */
	double p_greater; /* were b not greater than a, so large a u or larger came with this p */
	double p_less;
	double p;   /* two-sided */
	bool exact; /* by the exact distribution: no ties and n_a + n_b <= 50 */
};

/*
 * Mann-Whitney, exact or normal with continuity and tie correction. For one look at a sample of a
 * size fixed beforehand: looked at again and again it is wrong in 28 % of all A/A cases. Values may
 * be infinite. With 3 against 3 it cannot reach p < 0.05; 4 against 4 reaches 0.029.
 */
int stats_mann_whitney(
	const double *a, size_t n_a, const double *b, size_t n_b, struct stats_ranks *result);
/* Ways to get U = u without ties: fills counts[0 .. n_a*n_b]; n_a + n_b <= 50, else -E2BIG. */
int stats_mann_whitney_counts(size_t n_a, size_t n_b, double *counts);

/*
 * Hodges-Lehmann: the median of all b - a (shift) or b / a (ratio), with the interval that belongs
 * to Mann-Whitney (Lehmann 1975). have_interval is false where the samples are too small for it.
 * Ratio wants all values > 0. At most 4 million pairs, else -E2BIG: thin the samples.
 */
struct stats_shift {
	double estimate;
	bool have_interval;
	struct stats_interval interval;
};
int stats_shift(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
	struct stats_shift *result);
int stats_ratio(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
	struct stats_shift *result);

#endif
