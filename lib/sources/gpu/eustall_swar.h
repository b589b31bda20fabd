/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ten counts of a record, as ten bytes in two words: what the fast ways of counting share.
 *
 * In every layout the address, the ten counts and what is behind them follow each other without a
 * gap; only the width of the address differs. Shifted by that, all layouts are one.
 */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_SWAR_H
#define TUESDAY_SOURCES_GPU_EUSTALL_SWAR_H

#include <endian.h>
#include <string.h>

#include "sources/gpu/eustall_record.h"

enum {
	FAST_IP_NARROW = 29, /* bits of the address, and of the first count: PVC and Xe2 */
	FAST_IP_WIDE = 61,   /* Xe3p */
	FAST_END_FLAG = 19,  /* its bit in tail: 2 counts, 3 bits of ex_id */
	FAST_COUNTS = 10,
};

#define FAST_EVEN_BYTES 0x00ff00ff00ff00ffULL

/* Counts 0 to 7 are the bytes of low, 8 and 9 the first two of tail. */
struct fast_counts {
	uint64_t ip, low, tail;
};

static inline struct fast_counts fast_load(enum eustall_layout layout, const uint8_t *record)
{
	uint64_t words[3];

	memcpy(words, record, sizeof(words));
	words[0] = le64toh(words[0]);
	words[1] = le64toh(words[1]);
	if (layout == EUSTALL_XE3P) {
		words[2] = le64toh(words[2]);
		return (struct fast_counts){words[0] & ((1ULL << FAST_IP_WIDE) - 1),
			words[0] >> FAST_IP_WIDE | words[1] << (64 - FAST_IP_WIDE),
			words[1] >> FAST_IP_WIDE | words[2] << (64 - FAST_IP_WIDE)};
	}
	return (struct fast_counts){words[0] & ((1ULL << FAST_IP_NARROW) - 1),
		words[0] >> FAST_IP_NARROW | words[1] << (64 - FAST_IP_NARROW),
		/* PVC has nine counts: what follows them there is nothing. */
		layout == EUSTALL_PVC ? words[1] >> FAST_IP_NARROW & 0xff
				      : words[1] >> FAST_IP_NARROW};
}

/*
 * Sums of counts in lanes of 16 bits, which hold 257 records: even has counts 0, 2, 4 and 6, odd 1,
 * 3, 5 and 7, tail 8 in its lower half and 9 in its upper.
 */
enum { FAST_LANES_HOLD = 257 };

struct fast_lanes {
	uint64_t even, odd;
	uint32_t tail;
	uint32_t records;
};

static inline void fast_lanes_add(struct fast_lanes *lanes, const struct fast_counts *counts)
{
	lanes->even += counts->low & FAST_EVEN_BYTES;
	lanes->odd += counts->low >> 8 & FAST_EVEN_BYTES;
	lanes->tail += (uint32_t)((counts->tail & 0xff) | (counts->tail & 0xff00) << 8);
	lanes->records++;
}

static inline void fast_lanes_spread(
	const struct fast_lanes *lanes, uint64_t counts[static FAST_COUNTS])
{
	for (unsigned int i = 0; i < 4; i++) {
		counts[2 * i] += lanes->even >> 16 * i & 0xffff;
		counts[2 * i + 1] += lanes->odd >> 16 * i & 0xffff;
	}
	counts[8] += lanes->tail & 0xffff;
	counts[9] += lanes->tail >> 16;
}

/* Which count is which: Xe2 and later begin with PSDepStall and end with active; PVC begins with
 * active, and has the other eight where they are. */
static inline void fast_counts_name(enum eustall_layout layout,
	const uint64_t counts[static FAST_COUNTS], uint64_t *active,
	uint64_t stall[static EUSTALL_REASONS])
{
	const bool pvc = layout == EUSTALL_PVC;

	*active += pvc ? counts[0] : counts[9];
	stall[EUSTALL_PSDEP] += pvc ? 0 : counts[0];
	for (unsigned int i = 1; i < EUSTALL_REASONS; i++)
		stall[i] += counts[i];
}

/* Not 0 where any of the bytes is 255 (the classic test for a zero byte, of the complement). */
static inline uint64_t fast_full_bytes(uint64_t bytes)
{
	const uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;

	return (~bytes - ones) & bytes & tops;
}

/* What counts tell of a record itself, beside its samples. */
struct fast_quality {
	uint64_t bad_end_flags, saturated, zero;
};

static inline void fast_quality_add(
	struct fast_quality *quality, enum eustall_layout layout, const struct fast_counts *counts)
{
	const uint64_t tail = counts->tail & 0xffff;

	quality->bad_end_flags += layout != EUSTALL_PVC && !(counts->tail >> FAST_END_FLAG & 1);
	quality->saturated += (fast_full_bytes(counts->low) | fast_full_bytes(tail)) != 0;
	quality->zero += !(counts->low | tail);
}

static inline void fast_quality_sum(
	struct eustall_totals *totals, const struct fast_quality *quality, size_t records)
{
	totals->records += records;
	totals->bad_end_flags += quality->bad_end_flags;
	totals->saturated += quality->saturated;
	totals->zero += quality->zero;
}

#endif
