// SPDX-License-Identifier: GPL-2.0-only
/* What comes next, by chance, and the same again for the same seed? */
#include "base/banned.h"
#include "stats/random.h"

/* SplitMix64 (Steele, Lea and Flood 2014): spreads a poor seed such as 1 over the whole state. */
static uint64_t spread(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void stats_random_seed(struct stats_random *random, uint64_t seed)
{
	for (size_t i = 0; i < 4; i++)
		random->state[i] = spread(&seed);
}

static uint64_t random_rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

uint64_t stats_random_next(struct stats_random *random)
{
	uint64_t *s = random->state;
	uint64_t result = random_rotate(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = random_rotate(s[3], 45);
	return result;
}

/* What is left over when 2^64 is cut into parts of limit is drawn again, so no number is favoured.
 */
uint64_t stats_random_below(struct stats_random *random, uint64_t limit)
{
	uint64_t unfair = -limit % limit;
	uint64_t value;

	do
		value = stats_random_next(random);
	while (value < unfair);
	return value % limit;
}

bool stats_random_coin(struct stats_random *random)
{
	return stats_random_next(random) >> 63;
}
