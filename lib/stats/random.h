/* SPDX-License-Identifier: GPL-2.0-only */
/* Chance, the same again for the same seed. */
#ifndef TUESDAY_STATS_RANDOM_H
#define TUESDAY_STATS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* xoshiro256** (Blackman and Vigna, 2018); not for secrets. The same seed gives the same numbers.
 */
struct stats_random {
	uint64_t state[4];
};

void stats_random_seed(struct stats_random *random, uint64_t seed);
uint64_t stats_random_next(struct stats_random *random);
/* Uniform integer in [0, limit), limit > 0. */
uint64_t stats_random_below(struct stats_random *random, uint64_t limit);
/* Order of a pair: true if the changed side comes first. One fair coin a pair, never blocks. */
bool stats_random_coin(struct stats_random *random);

#endif
