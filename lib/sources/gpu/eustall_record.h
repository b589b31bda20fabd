/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does an Intel GPU's EU-stall record say, and what do many of them say together?
 *
 * The hardware samples its vector engines every so many cycles. A record is 64 bytes: an
 * instruction address and ten 8-bit counts of samples, in which an engine with that instruction was
 * active or, with a thread loaded and none able to execute, stalled for a reason. Layouts: Linux
 * drivers/gpu/drm/xe/xe_eu_stall.c (struct xe_eu_stall_data_pvc, _xe2, _xe3p); end flag: Intel
 * compute-runtime, level_zero/tools. Never checked against the hardware itself.
 *
 * Bytes are hostile: any number of them, with any content, are decoded; what does not make up a
 * whole record at the end is left out.
 */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_RECORD_H
#define TUESDAY_SOURCES_GPU_EUSTALL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EUSTALL_RECORD = 64 }; /* bytes of a record in all layouts: its size tells nothing */

enum eustall_layout {
	EUSTALL_PVC,  /* Data Center GPU Max, whose version reads 0 */
	EUSTALL_XE2,  /* graphics 20 to 34: Xe2 and Xe3 */
	EUSTALL_XE3P, /* graphics 35 and later */
	EUSTALL_LAYOUTS
};

/* graphics_ver is ip_ver_major of the main GT. A wrong layout makes an active GPU a stalled one, so
 * it is never guessed: -ENOTSUP for a version that is not known. */
int eustall_layout_of(uint32_t graphics_ver, enum eustall_layout *layout);
/* Whether a PCI device id is of the one generation without a version. */
bool eustall_is_pvc(uint32_t pci_id);
/* "pvc", "xe2", "xe3p". */
const char *eustall_layout_name(enum eustall_layout layout);

/* Why an engine could not execute: the index of stall[]. In the order of the Xe2 record. */
enum eustall_reason {
	EUSTALL_PSDEP, /* pixel shader order; PVC has none */
	EUSTALL_OTHER,
	EUSTALL_CONTROL,
	EUSTALL_PIPE,
	EUSTALL_SEND,
	EUSTALL_DIST,
	EUSTALL_SBID,
	EUSTALL_SYNC,
	EUSTALL_INSTR_FETCH,
	EUSTALL_REASONS
};

/* One record. */
struct eustall_record {
	uint64_t ip; /* in units of 8 bytes */
	uint8_t active, stall[EUSTALL_REASONS];
	uint8_t ex_id;
	bool end_flag; /* true where the layout has none */
};
/* Field by field, slowly: the definition that the fast ways below are tested against. */
void eustall_decode(enum eustall_layout layout, const uint8_t bytes[EUSTALL_RECORD],
	struct eustall_record *out);

struct eustall_totals {
	uint64_t active, stall[EUSTALL_REASONS]; /* samples */
	uint64_t records;
	uint64_t bad_end_flags; /* records without theirs: a wrong layout, or garbage */
	uint64_t saturated;	/* records with a count of 255, which may have been more */
	uint64_t zero;		/* records that count nothing */
};

/* Adds all whole records to totals. Returns the bytes taken: n_bytes rounded down to records. */
size_t eustall_decode_totals(enum eustall_layout layout, const void *bytes, size_t n_bytes,
	struct eustall_totals *totals);
void eustall_totals_add(struct eustall_totals *sum, const struct eustall_totals *more);
/* Samples in stall, and those of any kind. */
uint64_t eustall_totals_stalls(const struct eustall_totals *totals);
uint64_t eustall_totals_samples(const struct eustall_totals *totals);

struct eustall_table;

#endif
