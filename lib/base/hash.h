/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv): a byte is xored in and the whole multiplied by a
 * prime. For tables and for names that stay the same from run to run, not against somebody who
 * wants two texts to collide. All numbers that are kept on a disk are of 64 bits.
 */
#ifndef TUESDAY_BASE_HASH_H
#define TUESDAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes, to begin with. */
#define FNV1A_32 2166136261u
#define FNV1A_64 14695981039346656037u

/* Goes on with a hash over some more bytes. */
uint32_t fnv1a_32(uint32_t hash, const void *bytes, size_t len);
uint64_t fnv1a_64(uint64_t hash, const void *bytes, size_t len);

#endif
