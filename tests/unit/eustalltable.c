/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the table of instructions keep what it can, and count what it cannot? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/gpu/eustall_record.h"
#include "tap.h"
#include "stats/random.h"
#include "sources/gpu/eustall_histogram.h"

enum { RECORDS = 40000 };

static uint8_t bytes[RECORDS * EUSTALL_RECORD];

/* Xe2: the address in bits 0 to 28, sbid in 77 to 84, active in 101 to 108, the end flag in 112. */
static void put(size_t i, uint32_t ip, uint8_t sbid, uint8_t active)
{
	uint8_t *record = bytes + i * EUSTALL_RECORD;
	const uint64_t low = ip, high = (uint64_t)sbid << 13 | (uint64_t)active << 37 | 1ULL << 48;

	memset(record, 0, EUSTALL_RECORD);
	memcpy(record, &low, sizeof(low));
	memcpy(record + 8, &high, sizeof(high));
}

static void test_counts(void)
{
	static uint64_t sbid[300], active[300];
	struct eustall_table *table = eustall_table_new(1024);
	struct eustall_entry top[300];
	struct stats_random random;
	bool right, descending = true;
	size_t n;

	stats_random_seed(&random, 3);
	for (size_t i = 0; i < RECORDS; i++) {
		const uint32_t ip = (uint32_t)stats_random_below(&random, 300);
		const uint8_t stalls = (uint8_t)stats_random_below(&random, 256);

		put(i, ip * 2, stalls, (uint8_t)(stalls / 2));
		sbid[ip] += stalls;
		active[ip] += stalls / 2;
	}
	right = eustall_table_add(table, EUSTALL_XE2, bytes, sizeof(bytes)) == sizeof(bytes);
	n = eustall_table_top(table, top, 300);
	for (size_t i = 0; i < n; i++) {
		right = right && top[i].stall[EUSTALL_SBID] == sbid[top[i].ip / 2] &&
			top[i].active == active[top[i].ip / 2];
		descending = descending &&
			(!i || top[i - 1].stall[EUSTALL_SBID] >= top[i].stall[EUSTALL_SBID]);
	}
	ok(n == 300 && right, "every instruction has its counts, after the table has grown");
	ok(descending, "those with most stalls come first");
	ok(eustall_table_top(table, top, 7) == 7 && eustall_table_count(table) == 300,
		"no more are handed out than there is room for");
	eustall_table_clear(table);
	ok(!eustall_table_top(table, top, 7) && !eustall_table_count(table),
		"nothing is left after it is cleared");
	eustall_table_free(table);
}

/* Totals of the table, kept or not, are those of the records. */
static bool totals_agree(struct eustall_table *table)
{
	struct eustall_totals wanted = {0}, all;

	eustall_decode_totals(EUSTALL_XE2, bytes, sizeof(bytes), &wanted);
	eustall_table_totals(table, &all);
	return !memcmp(&all, &wanted, sizeof(all));
}

static void test_bounds(void)
{
	struct eustall_table *table = eustall_table_new(1000);
	struct eustall_totals unkept;

	for (size_t i = 0; i < RECORDS; i++)
		put(i, (uint32_t)i, 2, 1);
	eustall_table_add(table, EUSTALL_XE2, bytes, sizeof(bytes));
	eustall_table_unkept(table, &unkept);
	ok(eustall_table_count(table) >= 1000 && eustall_table_count(table) <= 4000,
		"as many instructions are kept as there is memory for");
	ok(unkept.records == RECORDS - eustall_table_count(table) &&
			unkept.stall[EUSTALL_SBID] == 2 * unkept.records,
		"what has no place is counted");
	ok(totals_agree(table), "kept and not kept together are all");
	eustall_table_free(table);
}

/* Addresses chosen so that all begin at one slot of the smallest table and of all larger ones. */
static void test_collisions(void)
{
	struct eustall_table *table = eustall_table_new(1 << 16);
	size_t n = 0;

	for (uint32_t ip = 1; n < RECORDS && ip < 1U << 29; ip++) {
		if (ip * 0x9e3779b97f4a7c15ULL >> 51)
			continue;
		put(n++, ip, 1, 1);
	}
	eustall_table_add(table, EUSTALL_XE2, bytes, sizeof(bytes));
	ok(n == RECORDS && totals_agree(table),
		"addresses that are made to collide lose nothing but their place");
	eustall_table_free(table);
}

static void test_edges(void)
{
	struct eustall_table *table = eustall_table_new(0);
	struct eustall_entry top;
	uint8_t record[EUSTALL_RECORD];

	memset(record, 255, sizeof(record));
	ok(!eustall_table_add(table, EUSTALL_XE3P, record, EUSTALL_RECORD - 1) &&
			!eustall_table_count(table),
		"a part of a record is none");
	eustall_table_add(table, EUSTALL_XE3P, record, EUSTALL_RECORD);
	ok(eustall_table_top(table, &top, 1) == 1 && top.ip == (1ULL << 61) - 1 &&
			top.active == 255,
		"the highest address is one like others");
	eustall_table_free(table);
	eustall_table_free(NULL);
}

static void test_merge(void)
{
	struct eustall_table *sum = eustall_table_new(64), *window = eustall_table_new(64);
	struct eustall_entry top[2];

	/* Instruction 1 has 3/4 of the first window's stalls, 1/4 of the second's. */
	for (int i = 0; i < 2; i++) {
		put(0, 1, i ? 10 : 30, 0);
		put(1, 2, i ? 30 : 10, 5);
		eustall_table_clear(window);
		eustall_table_add(window, EUSTALL_XE2, bytes, 2 * EUSTALL_RECORD);
		eustall_table_merge(sum, window);
	}
	ok(eustall_table_top(sum, top, 2) == 2 && top[0].ip == 1 &&
			top[0].stall[EUSTALL_SBID] == 40 && top[1].stall[EUSTALL_SBID] == 40 &&
			top[1].active == 10,
		"merged tables have the sums of both; equals are in order of their address");
	ok(fabs(top[0].share_sum - 1) < 1e-12 && fabs(top[0].share_square_sum - 0.625) < 1e-12,
		"and each instruction's share of each window");
	eustall_table_free(sum);
	sum = eustall_table_new(64);
	eustall_table_free(window);
	window = eustall_table_new(4096);
	for (size_t i = 0; i < 2000; i++)
		put(i, (uint32_t)i, 1, 0);
	eustall_table_add(window, EUSTALL_XE2, bytes, 2000 * EUSTALL_RECORD);
	eustall_table_merge(sum, window);
	{
		struct eustall_totals all;

		eustall_table_totals(sum, &all);
		ok(eustall_totals_stalls(&all) == 2000 && eustall_table_count(sum) < 2000,
			"a smaller table counts what it cannot keep of a larger one");
	}
	eustall_table_free(sum);
	eustall_table_free(window);
}

int main(void)
{
	test_counts();
	test_bounds();
	test_collisions();
	test_edges();
	test_merge();
	return tap_done();
}
