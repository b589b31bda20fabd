/* SPDX-License-Identifier: GPL-2.0-only */
/* At which instructions does the GPU stall? */
#include "base/banned.h"

#include <stdlib.h>

#include "sources/gpu/eustall_record.h"
#include "sources/gpu/eustall_swar.h"
#include "base/str.h"
#include "sources/gpu/eustall_histogram.h"

enum {
	LEAST_SLOTS = 64,
	PROBES = 64, /* slots looked at for an instruction before it counts as without a place */
};

/* What a record touches: half a cache line. */
struct slot {
	uint64_t key; /* ip + 1, so that 0 is a free one */
	struct fast_lanes lanes;
};

/* What it is added to before its lanes run over. */
struct sums {
	uint64_t counts[FAST_COUNTS];
	double share_sum, share_square_sum;
};

struct eustall_table {
	struct slot *slots;
	struct sums *sums;
	size_t size, used, max_used, max_size; /* size: a power of two */
	unsigned int shift;		       /* of the hash, for size */
	struct eustall_totals unkept;
	struct eustall_totals quality; /* of all records, without their samples */
	/* The counts have names in a layout only. */
	enum eustall_layout layout;
};

static void set_size(struct eustall_table *table, size_t size)
{
	table->size = size;
	table->shift = 64 - (unsigned int)__builtin_ctzll(size);
	table->max_used = size - size / 4;
	table->slots = mem_zalloc(size * sizeof(*table->slots));
	table->sums = mem_zalloc(size * sizeof(*table->sums));
}

struct eustall_table *eustall_table_new(size_t max_entries)
{
	struct eustall_table *table = mem_zalloc(sizeof(*table));

	table->max_size = LEAST_SLOTS;
	while (table->max_size < max_entries && table->max_size <= SIZE_MAX / 4)
		table->max_size *= 2;
	/* A quarter stays free, so that one that is not there is known after few. */
	table->max_size *= 2;
	set_size(table, LEAST_SLOTS);
	return table;
}

void eustall_table_free(struct eustall_table *table)
{
	if (!table)
		return;
	free(table->slots);
	free(table->sums);
	free(table);
}

void eustall_table_clear(struct eustall_table *table)
{
	memset(table->slots, 0, table->size * sizeof(*table->slots));
	memset(table->sums, 0, table->size * sizeof(*table->sums));
	table->used = 0;
	table->unkept = table->quality = (struct eustall_totals){0};
}

/* Fibonacci hashing (Knuth, volume 3, 6.4): neighbouring instructions are spread. */
static size_t home_of(const struct eustall_table *table, uint64_t ip)
{
	return (size_t)(ip * 0x9e3779b97f4a7c15ULL >> table->shift);
}

/* The slot of an instruction, or a free one for it, or SIZE_MAX. */
static inline size_t eustall_find_slot(const struct eustall_table *table, uint64_t ip)
{
	size_t at = home_of(table, ip);

	for (unsigned int probe = 0; probe < PROBES; probe++) {
		const uint64_t key = table->slots[at].key;

		if (key == ip + 1 || !key)
			return at;
		at = (at + 1) & (table->size - 1);
	}
	return SIZE_MAX;
}

static void flush(struct eustall_table *table, size_t at)
{
	struct slot *slot = &table->slots[at];

	fast_lanes_spread(&slot->lanes, table->sums[at].counts);
	slot->lanes = (struct fast_lanes){0};
}

static void flush_all(struct eustall_table *table)
{
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].lanes.records)
			flush(table, i);
}

/* Twice as large. False where it may not be, or where that would lose an instruction. */
static bool eustall_table_grow(struct eustall_table *table)
{
	struct eustall_table bigger = *table;

	if (table->size >= table->max_size)
		return false;
	set_size(&bigger, table->size * 2);
	for (size_t i = 0; i < table->size; i++) {
		size_t at;

		if (!table->slots[i].key)
			continue;
		at = eustall_find_slot(&bigger, table->slots[i].key - 1);
		if (at == SIZE_MAX) {
			free(bigger.slots);
			free(bigger.sums);
			return false;
		}
		bigger.slots[at] = table->slots[i];
		bigger.sums[at] = table->sums[i];
	}
	free(table->slots);
	free(table->sums);
	*table = bigger;
	return true;
}

/* The slot for an instruction that has none, or SIZE_MAX. */
static __attribute__((noinline)) size_t settle(struct eustall_table *table, uint64_t ip)
{
	size_t at = eustall_find_slot(table, ip);

	while (at == SIZE_MAX || table->used >= table->max_used) {
		if (!eustall_table_grow(table))
			return SIZE_MAX;
		at = eustall_find_slot(table, ip);
	}
	table->slots[at].key = ip + 1;
	table->used++;
	return at;
}

static inline __attribute__((always_inline)) void add_records(struct eustall_table *table,
	enum eustall_layout layout, const uint8_t *bytes, size_t records)
{
	struct fast_quality quality = {0};

	for (size_t i = 0; i < records; i++, bytes += EUSTALL_RECORD) {
		const struct fast_counts counts = fast_load(layout, bytes);
		size_t at = eustall_find_slot(table, counts.ip);
		struct slot *slot;

		fast_quality_add(&quality, layout, &counts);
		if (at == SIZE_MAX || !table->slots[at].key)
			at = settle(table, counts.ip);
		if (at == SIZE_MAX) {
			eustall_decode_totals(layout, bytes, EUSTALL_RECORD, &table->unkept);
			continue;
		}
		slot = &table->slots[at];
		fast_lanes_add(&slot->lanes, &counts);
		if (slot->lanes.records == FAST_LANES_HOLD)
			flush(table, at);
	}
	fast_quality_sum(&table->quality, &quality, records);
}

size_t eustall_table_add(
	struct eustall_table *table, enum eustall_layout layout, const void *bytes, size_t n_bytes)
{
	const size_t records = n_bytes / EUSTALL_RECORD;

	table->layout = layout;
	if (layout == EUSTALL_PVC)
		add_records(table, EUSTALL_PVC, bytes, records);
	else if (layout == EUSTALL_XE2)
		add_records(table, EUSTALL_XE2, bytes, records);
	else
		add_records(table, EUSTALL_XE3P, bytes, records);
	return records * EUSTALL_RECORD;
}

static struct eustall_entry entry_at(const struct eustall_table *table, size_t at)
{
	struct eustall_entry entry = {.ip = table->slots[at].key - 1};

	fast_counts_name(table->layout, table->sums[at].counts, &entry.active, entry.stall);
	entry.share_sum = table->sums[at].share_sum;
	entry.share_square_sum = table->sums[at].share_square_sum;
	return entry;
}

static uint64_t eustall_stalls_of(const struct eustall_entry *entry)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < EUSTALL_REASONS; i++)
		sum += entry->stall[i];
	return sum;
}

static void add_unkept(struct eustall_totals *unkept, const struct eustall_entry *entry)
{
	unkept->active += entry->active;
	for (unsigned int i = 0; i < EUSTALL_REASONS; i++)
		unkept->stall[i] += entry->stall[i];
}

void eustall_table_merge(struct eustall_table *sum, struct eustall_table *more)
{
	struct eustall_totals all = {0};
	double stalls;

	eustall_table_totals(more, &all);
	stalls = (double)eustall_totals_stalls(&all);
	if (more->used)
		sum->layout = more->layout;
	for (size_t i = 0; i < more->size; i++) {
		struct eustall_entry entry;
		size_t at;
		double share;

		if (!more->slots[i].key)
			continue;
		entry = entry_at(more, i);
		at = eustall_find_slot(sum, entry.ip);
		if (at == SIZE_MAX || !sum->slots[at].key)
			at = settle(sum, entry.ip);
		if (at == SIZE_MAX) {
			add_unkept(&sum->unkept, &entry);
			continue;
		}
		for (unsigned int k = 0; k < FAST_COUNTS; k++)
			sum->sums[at].counts[k] += more->sums[i].counts[k];
		share = stalls > 0 ? (double)eustall_stalls_of(&entry) / stalls : 0;
		sum->sums[at].share_sum += share;
		sum->sums[at].share_square_sum += share * share;
	}
	eustall_totals_add(&sum->unkept, &more->unkept);
	eustall_totals_add(&sum->quality, &more->quality);
}

size_t eustall_table_count(const struct eustall_table *table)
{
	return table->used;
}

static int by_stalls(const void *a, const void *b)
{
	const struct eustall_entry *left = a, *right = b;
	const uint64_t x = eustall_stalls_of(left), y = eustall_stalls_of(right);

	return x != y ? (x < y ? 1 : -1) : (left->ip > right->ip) - (left->ip < right->ip);
}

size_t eustall_table_top(struct eustall_table *table, struct eustall_entry *out, size_t room)
{
	struct eustall_entry *all = mem_realloc_array(NULL, table->used + 1, sizeof(*all));
	size_t n = 0;

	flush_all(table);
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].key)
			all[n++] = entry_at(table, i);
	qsort(all, n, sizeof(*all), by_stalls);
	if (n > room)
		n = room;
	if (n)
		memcpy(out, all, n * sizeof(*out));
	free(all);
	return n;
}

void eustall_table_totals(struct eustall_table *table, struct eustall_totals *all)
{
	*all = table->quality;
	all->active = table->unkept.active;
	memcpy(all->stall, table->unkept.stall, sizeof(all->stall));
	flush_all(table);
	for (size_t i = 0; i < table->size; i++) {
		struct eustall_entry entry;

		if (!table->slots[i].key)
			continue;
		entry = entry_at(table, i);
		add_unkept(all, &entry);
	}
}

void eustall_table_unkept(const struct eustall_table *table, struct eustall_totals *unkept)
{
	*unkept = table->unkept;
}
