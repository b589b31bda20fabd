/* SPDX-License-Identifier: GPL-2.0-only */
/* What do these bytes become under this key? */
#include "base/banned.h"

#include "base/str.h"
#include "redact/siphash.h"

static uint64_t sip_rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = sip_rotate(v[1], 13) ^ v[0];
	v[0] = sip_rotate(v[0], 32);
	v[2] += v[3];
	v[3] = sip_rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = sip_rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = sip_rotate(v[1], 17) ^ v[2];
	v[2] = sip_rotate(v[2], 32);
}

uint64_t siphash(const uint64_t key[2], const void *data, size_t len)
{
	uint64_t v[4] = {key[0] ^ 0x736f6d6570736575ull, key[1] ^ 0x646f72616e646f6dull,
		key[0] ^ 0x6c7967656e657261ull, key[1] ^ 0x7465646279746573ull};
	const uint8_t *bytes = data;
	uint64_t last = (uint64_t)len << 56, word;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&word, bytes + i, 8);
		v[3] ^= word;
		sip_round(v);
		sip_round(v);
		v[0] ^= word;
	}
	for (; i < len; i++)
		last |= (uint64_t)bytes[i] << 8 * (i % 8);
	v[3] ^= last;
	sip_round(v);
	sip_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	for (i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
