/* SPDX-License-Identifier: GPL-2.0-only */
/* How much longer one tail is than another. */
#ifndef TUESDAY_STATS_TAIL_RATIO_H
#define TUESDAY_STATS_TAIL_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

struct stats_random;

/*
 * Ratio a/b of the quantile q of two samples (sorts neither: both are sorted already, all values
 * > 0). Each side's interval has half the allowed error, so the ratio's interval covers at least
 * the confidence for independent values. have_interval is false where n is too small on a side.
 */
struct stats_tail_ratio {
	double ratio;
	bool have_interval;
	struct stats_interval interval;
};
int stats_tail_ratio(const double *sorted_a, size_t n_a, const double *sorted_b, size_t n_b,
	double q, double confidence, struct stats_tail_ratio *result);

/*
 * The same for requests that came in rounds, whose values are alike within a round: two-level
 * bootstrap (rounds, then values of each), resamples times. A percentile bootstrap of a tail covers
 * too seldom when n is small (p99 of n = 300: 81 %): only beside stats_tail_ratio() or for
 * n >= 1000. values holds the rounds one after another, sizes[i] values of round i; an empty round
 * is -EINVAL. With one round on a side there is no interval.
 */
struct stats_rounds {
	const double *values;
	const size_t *sizes;
	size_t rounds;
};
int stats_tail_ratio_bootstrap(const struct stats_rounds *a, const struct stats_rounds *b, double q,
	double confidence, size_t resamples, struct stats_random *random,
	struct stats_tail_ratio *result);

#endif
