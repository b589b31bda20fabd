/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are any bytes, as records of any layout, counted alike by all three ways of counting?
 *
 * The first byte says which layout. The rest is copied, so that reading beyond its end shows.
 */
#include "base/banned.h"

#include <string.h>

#include "sources/gpu/eustall_record.h"
#include "base/str.h"
#include "sources/gpu/eustall_histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be(bool right)
{
	if (!right)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const enum eustall_layout layout =
		size ? (enum eustall_layout)(*data % EUSTALL_LAYOUTS) : EUSTALL_PVC;
	const size_t n = size ? size - 1 : 0;
	uint8_t *bytes = mem_alloc(n);
	struct eustall_totals fast = {0}, slow = {0}, by_table;
	struct eustall_table *table = eustall_table_new(64);
	size_t at;

	if (n)
		memcpy(bytes, data + 1, n);
	at = eustall_decode_totals(layout, bytes, n, &fast);
	must_be(at == n / EUSTALL_RECORD * EUSTALL_RECORD);
	must_be(eustall_table_add(table, layout, bytes, n) == at);
	for (at = 0; at + EUSTALL_RECORD <= n; at += EUSTALL_RECORD) {
		struct eustall_record record;

		eustall_decode(layout, bytes + at, &record);
		slow.active += record.active;
		for (int i = 0; i < EUSTALL_REASONS; i++)
			slow.stall[i] += record.stall[i];
		slow.bad_end_flags += !record.end_flag;
	}
	eustall_table_totals(table, &by_table);
	must_be(fast.active == slow.active);
	must_be(!memcmp(fast.stall, slow.stall, sizeof(fast.stall)));
	must_be(!memcmp(&fast, &by_table, sizeof(fast)));
	must_be(fast.bad_end_flags == slow.bad_end_flags);
	eustall_table_free(table);
	free(bytes);
	return 0;
}
