/* SPDX-License-Identifier: GPL-2.0-only */
/* Which number stands for these bytes? */
#include "base/banned.h"

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
