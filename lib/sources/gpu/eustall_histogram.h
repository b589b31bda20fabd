/* SPDX-License-Identifier: GPL-2.0-only */
/* EU stalls by instruction. */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_HISTOGRAM_H
#define TUESDAY_SOURCES_GPU_EUSTALL_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "sources/gpu/eustall_record.h"

struct eustall_table;
struct eustall_totals;

struct eustall_entry {
	uint64_t ip; /* in units of 8 bytes */
	uint64_t active, stall[EUSTALL_REASONS];
	/* Over the tables that were merged: sums of its share of a table's stalls, and of the
	 * square of that. */
	double share_sum, share_square_sum;
};

/* Holds at least max_entries instructions and at most four times as many, some 130 bytes each, as
 * they come; fewer only where hostile addresses are all neighbours. The caller frees. */
struct eustall_table *eustall_table_new(size_t max_entries);
void eustall_table_free(struct eustall_table *table);
/* Forgets all and keeps the memory. */
void eustall_table_clear(struct eustall_table *table);

/* Adds all whole records. Returns the bytes taken. */
size_t eustall_table_add(
	struct eustall_table *table, enum eustall_layout layout, const void *bytes, size_t n_bytes);
/* Adds the counts of more, a window, to sum, and the share of each instruction to its sums. What
 * had no place in more has none in sum. */
void eustall_table_merge(struct eustall_table *sum, struct eustall_table *more);

/* The instructions that were kept. */
size_t eustall_table_count(const struct eustall_table *table);
/* Those with most stalls, the lower address first of equals; at most room. Returns how many. */
size_t eustall_table_top(struct eustall_table *table, struct eustall_entry *out, size_t room);
/* All that was counted, kept or not, as eustall_decode_totals() has it; and what had no place. */
void eustall_table_totals(struct eustall_table *table, struct eustall_totals *all);
void eustall_table_unkept(const struct eustall_table *table, struct eustall_totals *unkept);

#endif
