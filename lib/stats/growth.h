/* SPDX-License-Identifier: GPL-2.0-only */
/* Growth that goes on, told from a value that was looked at a few times. */
#ifndef TUESDAY_STATS_GROWTH_H
#define TUESDAY_STATS_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer values than that cannot tell. */
#define STATS_GROWTH_LEAST 5

struct stats_growth {
	double slope;	  /* per unit of time, above 0 */
	double low, high; /* it lies between them with 90 %; low is above 0 */
	double ends;	  /* the value at which growth that slows comes to rest; else INFINITY */
};

/*
 * Whether values grow at each look and not by one step, and how fast. The slope is the lesser of
 * the median of the slopes of all pairs (Theil-Sen) and of the median of the steps from each value
 * to the next: of 0 0 0 9 9 9 the former is 1.8 and nothing grows. All of Sen's interval of 90 %
 * has to be above 0, which is one-sided 5 % (Sen 1968), so that five values are the fewest, and
 * what is taken back within the time is no growth. Where the second half grew by less than half of
 * what the first did, it comes to rest: ends is by Aitken's delta-squared (1926), v + b * b /
 * (a - b) with a and b the growth of the halves and v the last value.
 *
 * times ascend. False too for fewer values than can tell, and where one is not finite.
 */
bool stats_growth(const double *times, const double *values, size_t n, struct stats_growth *out);

#endif
