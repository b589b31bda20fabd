/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do two kinds of rounds differ? The exact permutation test, and the ratio of two tails with its
 * interval.
 */
#ifndef TUESDAY_TOOLS_KEEPALIVE_AB_H
#define TUESDAY_TOOLS_KEEPALIVE_AB_H

#include <stddef.h>

struct round;

/* More rounds than this are not enumerated (see stats_permutation). */
#define AB_ROUNDS_MAX 20

/*
 * Fisher's randomisation test, one-sided: the share of all ways to give the n_a + n_b values their
 * labels in which the mean of a is at least what it is, the actual one included. With 4 and 4 there
 * are 70 ways. Returns NAN for no values on a side or more than AB_ROUNDS_MAX in all.
 */
double ab_permutation_p(const double *a, size_t n_a, const double *b, size_t n_b);

struct ratio {
	double estimate, low, high; /* NAN where there is none: one round has no interval */
};

/*
 * The q quantile of all requests of the a rounds over that of the b rounds, with the 95 % interval
 * of a bootstrap in two levels (rounds, then the requests of each): requests of a round are not
 * independent of each other. For few requests it is too narrow (see stats_tail_ratio_bootstrap), so
 * it stands second to the order. The same rounds give the same interval.
 */
struct ratio ab_tail_ratio(const struct round *const *a, size_t n_a, const struct round *const *b,
	size_t n_b, double q);

#endif
