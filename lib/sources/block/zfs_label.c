/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the label of a disk of ZFS say of it? */
#include "base/banned.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sources/block/zfs_label.h"

#define NVLIST_XDR 1	/* the first byte: numbers of 32 bits, the most significant byte first */
#define HEADER_BYTES 12 /* encoding and endianness, version, flags */
#define PAIR_BYTES 12	/* of a pair: its size twice, and the length of its name */
#define TYPE_UINT64 8	/* DATA_TYPE_UINT64 of libnvpair */
#define STATE_ACTIVE 0	/* enum pool_state of zfs.h */
#define STATE_L2CACHE 4

static uint32_t label_number(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The value of the number "state" in a pair of len bytes. */
static bool label_take_state(const uint8_t *pair, size_t len, uint64_t *state)
{
	static const char name[] = "state";
	const size_t name_len = sizeof(name) - 1, padded = (name_len + 3) / 4 * 4;
	const uint8_t *at = pair + PAIR_BYTES;

	if (len < PAIR_BYTES + padded + 16 || label_number(pair + 8) != name_len ||
		memcmp(at, name, name_len) != 0)
		return false;
	at += padded;
	if (label_number(at) != TYPE_UINT64 || label_number(at + 4) != 1)
		return false;
	*state = (uint64_t)label_number(at + 8) << 32 | label_number(at + 12);
	return true;
}

enum zfs_role zfs_label_role(const void *label, size_t len)
{
	const uint8_t *at = label, *end = at + len;
	uint64_t state;

	if (len < HEADER_BYTES || *at != NVLIST_XDR)
		return ZFS_NONE;
	for (at += HEADER_BYTES; (size_t)(end - at) >= PAIR_BYTES; at += label_number(at)) {
		size_t size = label_number(at);

		if (size < PAIR_BYTES || size > (size_t)(end - at))
			return ZFS_NONE;
		if (!label_take_state(at, size, &state))
			continue;
		return state == STATE_L2CACHE	? ZFS_CACHE
			: state == STATE_ACTIVE ? ZFS_POOL
						: ZFS_OTHER;
	}
	return ZFS_NONE;
}
