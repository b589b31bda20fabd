/* SPDX-License-Identifier: GPL-2.0-only */
/* Many comparisons at once: which of them are more than chance, and which would be found among
 * many? */
#ifndef TUESDAY_STATS_DISCOVERIES_H
#define TUESDAY_STATS_DISCOVERIES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The two-sided p of the difference of two shares, by the normal distribution, where the variance
 * of each was widened: 1 for independent samples (the pooled z test), more where samples come in
 * clusters (Kish's design effect, "Survey Sampling", 1965). Returns 1 where either has no samples.
 */
double stats_two_shares_p(
	double share_a, double n_a, double share_b, double n_b, double widened_a, double widened_b);

/*
 * Benjamini and Hochberg ("Controlling the false discovery rate", 1995): of those that are marked
 * at most this rate is false on average, for independent comparisons and those that go together.
 * Sets found for each of n; returns how many are.
 */
size_t stats_discoveries(const double *p, size_t n, double rate, bool *found);

#endif
