/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Did a number change between two times? Pure functions on values that were taken one after
 * another, at regular times.
 *
 * Values that follow each other are alike, and a test that takes them for independent finds a
 * change in every second pair of hours. So each side is thinned to one in so many as its
 * autocorrelation asks for; and of many numbers compared at once the p-values are adjusted (Holm
 * 1979), so that in one of twenty comparisons of everything a single number is wrong, and not three
 * in each.
 */
#ifndef TUESDAY_STATS_COMPARE_H
#define TUESDAY_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

/* A smaller change does not matter, however sure it is. */
#define COMPARED_MARGIN 0.1

struct compared {
	size_t n_a, n_b;	   /* values given */
	size_t used_a, used_b;	   /* after thinning */
	double middle_a, middle_b; /* medians; NAN: no value */
	bool tested;		   /* there were enough to test: 4 on each side */
	double p, adjusted;	   /* of the test, two-sided; after compared_adjust */
	bool ratio;		   /* the effect is b/a; else b - a, in the unit of the values */
	double effect;		   /* Hodges-Lehmann */
	bool have_interval;
	double low, high; /* 95 % */
};

/* Values in the order of time. Returns 0, -EINVAL for a NaN, -ENOMEM or -E2BIG. */
int compared_values(const double *a, size_t n_a, const double *b, size_t n_b, struct compared *out);
/* The same for how often something was so: values of 0 and 1. The effect is the difference of the
 * shares, its interval by stats_share_difference. */
int compared_shares(const double *a, size_t n_a, const double *b, size_t n_b, struct compared *out);

/* Sets adjusted of those that were tested; list is left in its order. */
void compared_adjust(struct compared *const *list, size_t n);

/* adjusted is below 5 %, and the effect is beyond the margin. */
bool compared_changed(const struct compared *compared);

#endif
