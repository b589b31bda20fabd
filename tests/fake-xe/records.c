/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in a record, by the layout of each generation, where the true shares are known? */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* Samples in a record: few, so that chance alone never gets near 255. */
enum { COUNTS = 4 };

/* First bits, of: active, tdr, other, control, pipestall, send, dist_acc, sbid, sync, inst_fetch.
 */
static const struct layout {
	int ip_bits, first[FIELDS], ex_id, end_flag;
} pvc = {29, {29, -1, 37, 45, 53, 61, 69, 77, 85, 93}, -1, -1},
  xe2 = {29, {101, 29, 37, 45, 53, 61, 69, 77, 85, 93}, 109, 112},
  xe3p = {61, {133, 61, 69, 77, 85, 93, 101, 109, 117, 125}, 141, 144};

static uint64_t made; /* records so far */
static uint8_t *pool;
static uint64_t pool_at;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void set_bits(uint8_t *bytes, int first, int n, uint64_t value)
{
	for (int i = 0; i < n; i++)
		if (value >> i & 1)
			bytes[(first + i) / 8] |= (uint8_t)(1 << (first + i) % 8);
}

static const long *mix_of(size_t xecore)
{
	long sum = 0;

	for (size_t i = 0; i < FIELDS; i++)
		sum += scenario.second[i];
	return sum && xecore >= (size_t)scenario.xecores / 2 ? scenario.second : scenario.mix;
}

static size_t draw(const long *mix, long more_active)
{
	long sum = more_active, at;

	for (size_t i = 0; i < FIELDS; i++)
		sum += mix[i];
	at = (long)(next_random() % (uint64_t)(sum ? sum : 1));
	at -= more_active;
	if (at < 0)
		return 0;
	for (size_t i = 0; i < FIELDS; i++) {
		at -= mix[i];
		if (at < 0)
			return i;
	}
	return 0;
}

void record_make(uint8_t bytes[64], size_t xecore, long window)
{
	const struct layout *layout = scenario.version == 0 ? &pvc
		: scenario.version < 35			    ? &xe2
							    : &xe3p;
	uint64_t counts[FIELDS] = {0}, ip = 0x1000;

	memset(bytes, 0, 64);
	if (scenario.zero)
		return;
	for (int i = 0; i < COUNTS; i++)
		counts[draw(mix_of(xecore), window % 2 ? scenario.jitter : 0)]++;
	if (scenario.each)
		ip += 2 * (1 + made++ % (uint64_t)scenario.ips);
	else if ((long)(next_random() % 100) >= scenario.top)
		ip += 2 * (1 + next_random() % (uint64_t)scenario.ips);
	set_bits(bytes, 0, layout->ip_bits, ip);
	for (size_t i = 0; i < FIELDS; i++)
		if (layout->first[i] >= 0)
			set_bits(bytes, layout->first[i], 8,
				scenario.saturated && counts[i] ? 255 : counts[i]);
	if (layout->end_flag >= 0 && scenario.end_flag)
		set_bits(bytes, layout->end_flag, 1, 1);
}

void pool_make(void)
{
	size_t n = (size_t)scenario.pool;

	pool = malloc(n * 64);
	if (!pool)
		abort();
	for (size_t i = 0; i < n; i++)
		record_make(pool + 64 * i, i % (size_t)scenario.xecores, 0);
}

const uint8_t *pool_next(uint64_t *n)
{
	const uint8_t *next;

	if (!pool)
		pool_make();
	if (*n > (uint64_t)scenario.pool - pool_at)
		*n = (uint64_t)scenario.pool - pool_at;
	next = pool + 64 * pool_at;
	pool_at = (pool_at + *n) % (uint64_t)scenario.pool;
	return next;
}
