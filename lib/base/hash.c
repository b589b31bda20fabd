/* SPDX-License-Identifier: GPL-2.0-only */
/* Which number stands for these bytes? */
#include "base/banned.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/hash.h"

uint32_t fnv1a_32(uint32_t hash, const void *bytes, size_t len)
{
	const unsigned char *at = bytes, *end = at + len;

	while (at < end)
		hash = (hash ^ *at++) * 16777619u;
	return hash;
}

uint64_t fnv1a_64(uint64_t hash, const void *bytes, size_t len)
{
	const unsigned char *at = bytes, *end = at + len;

	while (at < end)
		hash = (hash ^ *at++) * 1099511628211u;
	return hash;
}

static uint64_t siphash_rotate(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static void siphash_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = siphash_rotate(v[1], 13) ^ v[0];
	v[3] = siphash_rotate(v[3], 16) ^ v[2];
	v[0] = siphash_rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = siphash_rotate(v[1], 17) ^ v[2];
	v[3] = siphash_rotate(v[3], 21) ^ v[0];
	v[2] = siphash_rotate(v[2], 32);
}

/* The next eight bytes, the first one lowest. */
static uint64_t siphash_word(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return le64toh(word);
}

/* What is left, fewer than eight, with the length of all in the highest byte. */
static uint64_t siphash_end(const unsigned char *at, size_t left, size_t len)
{
	uint64_t word = (uint64_t)len << 56;

	while (left--)
		word |= (uint64_t)at[left] << 8 * left;
	return word;
}

static void siphash_take(uint64_t v[4], int rounds, uint64_t word)
{
	v[3] ^= word;
	while (rounds-- > 0)
		siphash_round(v);
	v[0] ^= word;
}

uint64_t siphash(const uint64_t key[2], int rounds, int last_rounds, const void *bytes, size_t len)
{
	uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
		key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
	const unsigned char *at = bytes;
	size_t left = len;

	for (; left >= 8; left -= 8, at += 8)
		siphash_take(v, rounds, siphash_word(at));
	siphash_take(v, rounds, siphash_end(at, left, len));
	v[2] ^= 0xff;
	while (last_rounds-- > 0)
		siphash_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Early in the boot there may be nothing to draw from yet: the kernel gave each process some bytes
 * for its own use, though. */
static void hash_draw(uint64_t key[2])
{
	const void *given = (const void *)getauxval(AT_RANDOM);

	if (getrandom(key, 2 * sizeof(*key), GRND_NONBLOCK) == 2 * (ssize_t)sizeof(*key))
		return;
	if (given)
		memcpy(key, given, 2 * sizeof(*key));
}

uint64_t hash_keyed(const void *bytes, size_t len)
{
	static uint64_t key[2];
	static bool is_drawn;

	if (!is_drawn)
		hash_draw(key);
	is_drawn = true;
	return siphash(key, 1, 3, bytes, len);
}
