/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers that stand for bytes.
 *
 * FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv): a byte is xored in and the whole multiplied by a
 * prime. It is the same in every run, so it is for what is kept on a disk or told to others, all of
 * it of 64 bits: who wants two texts to collide can make such. A table in memory of names that
 * others chose has hash_keyed().
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

/* SipHash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) under a key of 128
 * bits: so many rounds for each word, and so many at the end. 2 and 4 where nobody may find out the
 * key, 1 and 3 for tables. */
uint64_t siphash(const uint64_t key[2], int rounds, int last_rounds, const void *bytes, size_t len);

/* The same, of 1 and 3 rounds, under a key that this process drew when it first asked: another one
 * in every process, so that nobody can choose names that fall together in a table. It is for memory
 * only. */
uint64_t hash_keyed(const void *bytes, size_t len);

#endif
