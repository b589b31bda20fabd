/* SPDX-License-Identifier: GPL-2.0-only */
/* Quantiles, and how sure they are. */
#ifndef TUESDAY_STATS_QUANTILE_H
#define TUESDAY_STATS_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>

struct stats_interval;

/* Ascending, in place. */
void stats_sort(double *values, size_t n);
/* Of sorted values: the one of rank ceil(q n), as hist_quantile() has it; NAN for n = 0. */
double stats_quantile(const double *sorted, size_t n, double q);
/* Of sorted values: the middle one, or the mean of the middle two; NAN for n = 0. */
double stats_median(const double *sorted, size_t n);

/*
 * Distribution-free interval of the quantile q (0 < q < 1) from sorted values: between two order
 * statistics, each tail of the binomial at most (1 - confidence)/2, so it covers at least as often
 * as it says, whatever the distribution, if the values are independent. False, and the interval
 * untouched, where n is below stats_quantile_least(): no bound exists, print "no bound".
 */
bool stats_quantile_interval(const double *sorted, size_t n, double q, double confidence,
	struct stats_interval *interval);
/* The least n with a two-sided bound: p50 6, p90 36, p95 72, p99 368, p99.9 3688 at 0.95. */
size_t stats_quantile_least(double q, double confidence);

#endif
