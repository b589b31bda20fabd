/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares, means, and exact tests of two of them. */
#ifndef TUESDAY_STATS_PROPORTION_H
#define TUESDAY_STATS_PROPORTION_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

/*
 * Mean of a few values that are independent and nearly normal, such as the means of long windows,
 * and its interval by Student's t (1908). n >= 2 finite values, else -EINVAL. From their sum and
 * sum of squares: stats_sums_interval(); -EINVAL too for sums that no values have.
 */
struct stats_mean {
	double mean;
	struct stats_interval interval;
};
int stats_mean_interval(
	const double *values, size_t n, double confidence, struct stats_mean *result);
int stats_sums_interval(
	double sum, double square_sum, size_t n, double confidence, struct stats_mean *result);

/* Wilson's interval of hits of n (1927). */
int stats_share_interval(size_t hits, size_t n, double confidence, struct stats_interval *interval);
/* Of share a minus share b: Newcombe's hybrid score interval (1998, method 10). */
int stats_share_difference(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double confidence,
	struct stats_interval *interval);
/* Fisher's exact test of two shares, two-sided: all tables at most as likely as this one. */
int stats_fisher(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double *p);
/* The same one-sided: the tables with as many hits of a as this one, or more. Quick for large n. */
int stats_fisher_greater(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double *p);

/*
 * Exact permutation test: does the mean of the values marked exceed that of the others by chance?
 * Over all ways to mark as many of n (the rounds of an A/B test): p_greater is the share of them
 * whose difference is at least as large, p that of its size in either direction. 8 rounds, 4 a
 * side: 70 ways, least p_greater 0.014. n <= 22, else -E2BIG.
 */
struct stats_permutation {
	double difference; /* mean of the marked minus mean of the others */
	double p_greater, p;
	size_t ways;
};
int stats_permutation(
	const double *values, const bool *marked, size_t n, struct stats_permutation *result);

#endif
