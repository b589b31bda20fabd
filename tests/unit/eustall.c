/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is an EU-stall record taken apart as its documents say, and the fast way as the slow one?
 *
 * Field positions are written here a second time, as first and last bit, not taken from the
 * decoder.
 */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "sources/gpu/eustall_record.h"
#include "tap.h"
#include "stats/random.h"
#include "sources/gpu/eustall_reasons.h"
#include "sources/gpu/eustall_histogram.h"

enum { IP, TDR, OTHER, CONTROL, PIPE, SEND, DIST, SBID, SYNC, IFETCH, ACTIVE, EX_ID, END, FIELDS };

static const char *const field_names[FIELDS] = {"ip", "tdr", "other", "control", "pipestall",
	"send", "dist_acc", "sbid", "sync", "inst_fetch", "active", "ex_id", "end_flag"};

/* Last bit 0: the layout has no such field. */
static const struct {
	unsigned int first, last;
} fields[EUSTALL_LAYOUTS][FIELDS] = {
	[EUSTALL_PVC] = {[IP] = {0, 28},
		[ACTIVE] = {29, 36},
		[OTHER] = {37, 44},
		[CONTROL] = {45, 52},
		[PIPE] = {53, 60},
		[SEND] = {61, 68},
		[DIST] = {69, 76},
		[SBID] = {77, 84},
		[SYNC] = {85, 92},
		[IFETCH] = {93, 100}},
	[EUSTALL_XE2] = {{0, 28}, {29, 36}, {37, 44}, {45, 52}, {53, 60}, {61, 68}, {69, 76},
		{77, 84}, {85, 92}, {93, 100}, {101, 108}, {109, 111}, {112, 112}},
	[EUSTALL_XE3P] = {{0, 60}, {61, 68}, {69, 76}, {77, 84}, {85, 92}, {93, 100}, {101, 108},
		{109, 116}, {117, 124}, {125, 132}, {133, 140}, {141, 143}, {144, 144}},
};

/* The place in stall[] of a field. */
static const enum eustall_reason reason_of[FIELDS] = {[TDR] = EUSTALL_PSDEP,
	[OTHER] = EUSTALL_OTHER,
	[CONTROL] = EUSTALL_CONTROL,
	[PIPE] = EUSTALL_PIPE,
	[SEND] = EUSTALL_SEND,
	[DIST] = EUSTALL_DIST,
	[SBID] = EUSTALL_SBID,
	[SYNC] = EUSTALL_SYNC,
	[IFETCH] = EUSTALL_INSTR_FETCH};

static void set_field(uint8_t *record, enum eustall_layout layout, int field, uint64_t value)
{
	for (unsigned int bit = fields[layout][field].first; bit <= fields[layout][field].last;
		bit++, value >>= 1)
		record[bit / 8] = (uint8_t)((record[bit / 8] & ~(1 << bit % 8)) |
			(int)(value & 1) << bit % 8);
}

static uint64_t field_of(const struct eustall_record *record, int field)
{
	switch (field) {
	case IP:
		return record->ip;
	case ACTIVE:
		return record->active;
	case EX_ID:
		return record->ex_id;
	case END:
		return record->end_flag;
	default:
		return record->stall[reason_of[field]];
	}
}

/* Which field a bit belongs to, or FIELDS. */
static int owner_of(enum eustall_layout layout, unsigned int bit)
{
	for (int field = 0; field < FIELDS; field++)
		if (fields[layout][field].last && bit >= fields[layout][field].first &&
			bit <= fields[layout][field].last)
			return field;
	return FIELDS;
}

/* What a field is in an all-zero record. */
static uint64_t rest_of(enum eustall_layout layout, int field)
{
	return field == END && layout == EUSTALL_PVC;
}

static bool bit_lands(enum eustall_layout layout, unsigned int bit)
{
	uint8_t bytes[EUSTALL_RECORD] = {0};
	struct eustall_record record;
	const int owner = owner_of(layout, bit);

	bytes[bit / 8] = (uint8_t)(1 << bit % 8);
	eustall_decode(layout, bytes, &record);
	for (int field = 0; field < FIELDS; field++) {
		const uint64_t wanted = field == owner ? 1ULL << (bit - fields[layout][field].first)
						       : rest_of(layout, field);

		if (field_of(&record, field) != wanted) {
			printf("# bit %u: %s is %llu\n", bit, field_names[field],
				(unsigned long long)field_of(&record, field));
			return false;
		}
	}
	return true;
}

static void test_walking_bit(void)
{
	static const unsigned int defined[EUSTALL_LAYOUTS] = {101, 113, 145};

	for (int layout = 0; layout < EUSTALL_LAYOUTS; layout++) {
		unsigned int owned = 0;
		bool lands = true;

		for (unsigned int bit = 0; bit < EUSTALL_RECORD * 8; bit++) {
			owned += owner_of((enum eustall_layout)layout, bit) != FIELDS;
			lands = lands && bit_lands((enum eustall_layout)layout, bit);
		}
		ok(lands && owned == defined[layout],
			"%s: each of %u bits lands in its field and no other, all others nowhere",
			eustall_layout_name((enum eustall_layout)layout), defined[layout]);
	}
}

/* ip, then active and the eight reasons in the order of the PVC record. */
static void golden_record(uint8_t *bytes, const uint64_t values[10])
{
	static const int order[10] = {
		IP, ACTIVE, OTHER, CONTROL, PIPE, SEND, DIST, SBID, SYNC, IFETCH};

	memset(bytes, 0, EUSTALL_RECORD);
	for (int i = 0; i < 10; i++)
		set_field(bytes, EUSTALL_PVC, order[i], values[i]);
}

/* The vectors of Intel's own unit tests: two records each, whose counts add up to one number. */
static void test_golden(void)
{
	static const uint64_t records[6][10] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		{1, 9, 8, 7, 6, 5, 4, 3, 2, 1}, {10, 20, 30, 40, 50, 60, 70, 80, 90, 100},
		{10, 90, 80, 70, 60, 50, 40, 30, 20, 10},
		{100, 190, 180, 170, 160, 150, 140, 130, 120, 110},
		{100, 20, 30, 40, 50, 60, 70, 80, 90, 100}};
	static const uint64_t sums[3] = {11, 110, 210};
	static const uint64_t ips[3] = {1, 10, 100};
	struct eustall_table *table = eustall_table_new(64);
	struct eustall_entry top[4];
	uint8_t bytes[6 * EUSTALL_RECORD];
	bool right = true;

	for (int i = 0; i < 6; i++)
		golden_record(bytes + i * EUSTALL_RECORD, records[i]);
	eustall_table_add(table, EUSTALL_PVC, bytes, sizeof(bytes));
	ok(eustall_table_top(table, top, 4) == 3, "six golden records are of three instructions");
	for (int i = 0; i < 3; i++) {
		const struct eustall_entry *entry = &top[2 - i];

		right = right && entry->ip == ips[i] && entry->active == sums[i] &&
			!entry->stall[EUSTALL_PSDEP];
		for (int k = EUSTALL_OTHER; k < EUSTALL_REASONS; k++)
			right = right && entry->stall[k] == sums[i];
	}
	ok(right, "every count of the golden records is 11, 110 and 210");
	eustall_table_free(table);
}

/* Other bytes than the record's own are noise, as they may be. */
static void random_bytes(struct stats_random *random, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)stats_random_below(random, 4) == 0
			? 255
			: (uint8_t)stats_random_next(random);
}

static void slow_totals(
	enum eustall_layout layout, const uint8_t *bytes, size_t n, struct eustall_totals *totals)
{
	for (; n >= EUSTALL_RECORD; n -= EUSTALL_RECORD, bytes += EUSTALL_RECORD) {
		struct eustall_record record;
		bool full, any;

		eustall_decode(layout, bytes, &record);
		full = record.active == 255;
		any = record.active;
		totals->records++;
		totals->active += record.active;
		for (int i = 0; i < EUSTALL_REASONS; i++) {
			totals->stall[i] += record.stall[i];
			full |= record.stall[i] == 255;
			any |= record.stall[i];
		}
		totals->saturated += full;
		totals->zero += !any;
		totals->bad_end_flags += !record.end_flag;
	}
}

static void test_fast_is_slow(void)
{
	enum { RECORDS = 1500 };
	static uint8_t bytes[RECORDS * EUSTALL_RECORD + 63];
	struct stats_random random;

	stats_random_seed(&random, 6);
	for (int layout = 0; layout < EUSTALL_LAYOUTS; layout++) {
		bool same = true, all_same;

		for (size_t n = 0; n <= sizeof(bytes); n = n * 3 + 63) {
			struct eustall_totals fast = {0}, slow = {0};

			random_bytes(&random, bytes, sizeof(bytes));
			memset(bytes, 0, n < 200 ? n : 200);
			same = same &&
				eustall_decode_totals((enum eustall_layout)layout, bytes, n,
					&fast) == n / EUSTALL_RECORD * EUSTALL_RECORD;
			slow_totals((enum eustall_layout)layout, bytes, n, &slow);
			same = same && !memcmp(&fast, &slow, sizeof(fast));
		}
		ok(same, "%s: lanes count random bytes of any length as field by field does",
			eustall_layout_name((enum eustall_layout)layout));
		memset(bytes, 255, sizeof(bytes));
		{
			struct eustall_totals fast = {0}, slow = {0};

			eustall_decode_totals(
				(enum eustall_layout)layout, bytes, sizeof(bytes), &fast);
			slow_totals((enum eustall_layout)layout, bytes, sizeof(bytes), &slow);
			all_same = !memcmp(&fast, &slow, sizeof(fast));
			ok(all_same && fast.saturated == RECORDS,
				"%s: no lane runs over where every count is 255",
				eustall_layout_name((enum eustall_layout)layout));
		}
	}
}

static void test_unaligned(void)
{
	static uint8_t bytes[EUSTALL_RECORD * 10 + 8];
	struct stats_random random;
	bool same = true;

	stats_random_seed(&random, 7);
	random_bytes(&random, bytes, sizeof(bytes));
	for (size_t shift = 0; shift < 8; shift++) {
		struct eustall_totals fast = {0}, slow = {0};

		eustall_decode_totals(EUSTALL_XE2, bytes + shift, EUSTALL_RECORD * 10, &fast);
		slow_totals(EUSTALL_XE2, bytes + shift, EUSTALL_RECORD * 10, &slow);
		same = same && !memcmp(&fast, &slow, sizeof(fast));
	}
	ok(same, "records may lie at any address");
}

static void test_versions(void)
{
	enum eustall_layout layout = EUSTALL_LAYOUTS;
	bool right = !eustall_layout_of(0, &layout) && layout == EUSTALL_PVC;

	right = right && !eustall_layout_of(20, &layout) && layout == EUSTALL_XE2;
	right = right && !eustall_layout_of(34, &layout) && layout == EUSTALL_XE2;
	right = right && !eustall_layout_of(35, &layout) && layout == EUSTALL_XE3P;
	ok(right, "the layout is chosen by the graphics version");
	layout = EUSTALL_LAYOUTS;
	ok(eustall_layout_of(12, &layout) == -ENOTSUP &&
			eustall_layout_of(19, &layout) == -ENOTSUP &&
			eustall_layout_of(1, &layout) == -ENOTSUP && layout == EUSTALL_LAYOUTS,
		"no layout is guessed for a version that is not known");
	ok(eustall_is_pvc(0x0bd5) && eustall_is_pvc(0x0b69) && eustall_is_pvc(0x0be1) &&
			!eustall_is_pvc(0xe20b) && !eustall_is_pvc(0x0bf0) && !eustall_is_pvc(0),
		"the generation without a version is known by its PCI ids");
}

static void test_words(void)
{
	static const char *const names[EUSTALL_REASONS + 1] = {"PSDepStall", "OtherStall",
		"ControlStall", "PipeStall", "SendStall", "DistStall", "SbidStall", "SyncStall",
		"InstrFetchStall", "Active"};
	bool right = true;

	for (int i = 0; i <= EUSTALL_REASONS; i++)
		right = right && !strcmp(eustall_reason_name((enum eustall_reason)i), names[i]);
	ok(right, "ten names are Intel's");
	ok(eustall_reason_stage(EUSTALL_SEND) == EUSTALL_CONTENTION &&
			eustall_reason_stage(EUSTALL_PIPE) == EUSTALL_CONTENTION &&
			eustall_reason_stage(EUSTALL_SBID) == EUSTALL_STARVATION &&
			eustall_reason_stage(EUSTALL_OTHER) == EUSTALL_NO_STAGE,
		"only a busy unit is contention, and an unknown reason is no stage");
}

int main(void)
{
	test_walking_bit();
	test_golden();
	test_fast_is_slow();
	test_unaligned();
	test_versions();
	test_words();
	return tap_done();
}
