/* SPDX-License-Identifier: GPL-2.0-only */
/* Was the GPU active or stalled, and for which reason, by the records of a stream? */
#include "base/banned.h"

#include <errno.h>

#include "sources/gpu/eustall_record.h"
#include "sources/gpu/eustall_swar.h"

/* Where each field begins, from bit 0 of byte 0; counts are 8 bits, ex_id 3, the end flag 1. */
struct layout {
	const char *name;
	unsigned int ip_bits;
	unsigned int active;
	int stall[EUSTALL_REASONS]; /* -1: the layout has none */
	int ex_id, end_flag;
};

static const struct layout layouts[EUSTALL_LAYOUTS] = {
	[EUSTALL_PVC] = {"pvc", 29, 29, {-1, 37, 45, 53, 61, 69, 77, 85, 93}, -1, -1},
	[EUSTALL_XE2] = {"xe2", 29, 101, {29, 37, 45, 53, 61, 69, 77, 85, 93}, 109, 112},
	[EUSTALL_XE3P] = {"xe3p", 61, 133, {61, 69, 77, 85, 93, 101, 109, 117, 125}, 141, 144},
};

int eustall_layout_of(uint32_t graphics_ver, enum eustall_layout *layout)
{
	if (graphics_ver == 0)
		*layout = EUSTALL_PVC;
	else if (graphics_ver >= 20 && graphics_ver <= 34)
		*layout = EUSTALL_XE2;
	else if (graphics_ver >= 35)
		*layout = EUSTALL_XE3P;
	else
		return -ENOTSUP;
	return 0;
}

/* PCI ids: Linux include/drm/intel/pciids.h, INTEL_PVC_IDS. */
bool eustall_is_pvc(uint32_t pci_id)
{
	return pci_id == 0x0b69 || (pci_id >= 0x0bd0 && pci_id <= 0x0bdf) ||
		(pci_id >= 0x0be0 && pci_id <= 0x0bef);
}

const char *eustall_layout_name(enum eustall_layout layout)
{
	return layouts[layout].name;
}

static uint64_t bits(const uint8_t *bytes, unsigned int first, unsigned int n)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < n; i++)
		value |= (uint64_t)(bytes[(first + i) / 8] >> (first + i) % 8 & 1) << i;
	return value;
}

void eustall_decode(
	enum eustall_layout layout, const uint8_t bytes[EUSTALL_RECORD], struct eustall_record *out)
{
	const struct layout *at = &layouts[layout];

	*out = (struct eustall_record){.end_flag = true};
	out->ip = bits(bytes, 0, at->ip_bits);
	out->active = (uint8_t)bits(bytes, at->active, 8);
	for (unsigned int i = 0; i < EUSTALL_REASONS; i++)
		if (at->stall[i] >= 0)
			out->stall[i] = (uint8_t)bits(bytes, (unsigned int)at->stall[i], 8);
	if (at->ex_id >= 0)
		out->ex_id = (uint8_t)bits(bytes, (unsigned int)at->ex_id, 3);
	if (at->end_flag >= 0)
		out->end_flag = bits(bytes, (unsigned int)at->end_flag, 1);
}

/* As many records as the lanes hold. With the layout a constant, it is decided outside the loop. */
static inline __attribute__((always_inline)) void add_block(enum eustall_layout layout,
	const uint8_t *bytes, size_t n, struct fast_lanes *lanes, struct eustall_totals *totals)
{
	struct fast_quality quality = {0};

	for (size_t i = 0; i < n; i++, bytes += EUSTALL_RECORD) {
		const struct fast_counts counts = fast_load(layout, bytes);

		fast_lanes_add(lanes, &counts);
		fast_quality_add(&quality, layout, &counts);
	}
	fast_quality_sum(totals, &quality, n);
}

static void add_block_of(enum eustall_layout layout, const uint8_t *bytes, size_t n,
	struct fast_lanes *lanes, struct eustall_totals *totals)
{
	if (layout == EUSTALL_PVC)
		add_block(EUSTALL_PVC, bytes, n, lanes, totals);
	else if (layout == EUSTALL_XE2)
		add_block(EUSTALL_XE2, bytes, n, lanes, totals);
	else
		add_block(EUSTALL_XE3P, bytes, n, lanes, totals);
}

size_t eustall_decode_totals(enum eustall_layout layout, const void *bytes, size_t n_bytes,
	struct eustall_totals *totals)
{
	const size_t records = n_bytes / EUSTALL_RECORD;
	uint64_t counts[FAST_COUNTS] = {0};

	for (size_t done = 0; done < records;) {
		const size_t n =
			records - done < FAST_LANES_HOLD ? records - done : FAST_LANES_HOLD;
		struct fast_lanes lanes = {0};

		add_block_of(
			layout, (const uint8_t *)bytes + done * EUSTALL_RECORD, n, &lanes, totals);
		fast_lanes_spread(&lanes, counts);
		done += n;
	}
	fast_counts_name(layout, counts, &totals->active, totals->stall);
	return records * EUSTALL_RECORD;
}

void eustall_totals_add(struct eustall_totals *sum, const struct eustall_totals *more)
{
	sum->active += more->active;
	for (unsigned int i = 0; i < EUSTALL_REASONS; i++)
		sum->stall[i] += more->stall[i];
	sum->records += more->records;
	sum->bad_end_flags += more->bad_end_flags;
	sum->saturated += more->saturated;
	sum->zero += more->zero;
}

uint64_t eustall_totals_stalls(const struct eustall_totals *totals)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < EUSTALL_REASONS; i++)
		sum += totals->stall[i];
	return sum;
}

uint64_t eustall_totals_samples(const struct eustall_totals *totals)
{
	return totals->active + eustall_totals_stalls(totals);
}
