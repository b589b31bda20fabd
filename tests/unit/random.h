/* SPDX-License-Identifier: GPL-2.0-only */
/* Made-up measurements: the distributions that only tests and benchmarks draw from. */
#ifndef TUESDAY_UNIT_RANDOM_H
#define TUESDAY_UNIT_RANDOM_H

#include <math.h>

#include "stats/random.h"

/* Uniform in [0, 1). */
static inline double random_uniform(struct stats_random *random)
{
	return (double)(stats_random_next(random) >> 11) * 0x1p-53;
}

/* Standard normal, by Box and Muller (1958); the second number of each pair is thrown away to keep
 * no more state. */
static inline double random_normal(struct stats_random *random)
{
	const double radius = sqrt(-2 * log1p(-random_uniform(random)));

	return radius * cos(2 * M_PI * random_uniform(random));
}

#endif
