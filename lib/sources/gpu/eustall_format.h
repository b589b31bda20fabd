/* SPDX-License-Identifier: GPL-2.0-only */
/* Where is what in a recording of an EU-stall stream? For its writer and its reader. */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_FORMAT_H
#define TUESDAY_SOURCES_GPU_EUSTALL_FORMAT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define EUSTALLFILE_MAGIC "TueEUst\n"

enum {
	EUSTALLFILE_HEADER_BYTES = 64,
	EUSTALLFILE_HEAD_BYTES = 16, /* kind u32, id u32, length u64 */
	EUSTALLFILE_WINDOW_BYTES = 64,
	EUSTALLFILE_KERNEL_BYTES = 16, /* before its name */
	EUSTALLFILE_LAUNCH_BYTES = 8,  /* before its stack */
};

/* Offsets in the header, behind 8 bytes of magic. */
enum {
	AT_VERSION = 8,	      /* u32, of the format */
	AT_HEADER_BYTES = 12, /* u32, so that a later one can be longer */
	AT_PCI_ID = 16,	      /* u32 */
	AT_IP_VERSION = 20,   /* u16 */
	AT_GTS = 22,	      /* u16 */
	AT_LAYOUT = 24,	      /* u32 */
	AT_XECORES = 28,      /* u32 */
	AT_ENGINES = 32,      /* u32 */
	AT_WINDOWS = 36,      /* u32 */
	AT_RATE = 40,	      /* u64 */
	AT_CLOCK = 48,	      /* u64 */
	AT_STARTED = 56,      /* u64 */
};

enum chunk_kind {
	CHUNK_BYTES = 1, /* id: the GT */
	CHUNK_DROP,	 /* id: the GT; no bytes */
	CHUNK_WINDOW,	 /* id: its number */
	CHUNK_KERNEL,	 /* id: its own */
	CHUNK_LAUNCH,	 /* id: its kernel's */
	CHUNK_END,	 /* no bytes */
};

/* Offsets in a window: u64 each. */
enum {
	AT_START = 0,
	AT_ENABLED = 8,
	AT_CPU = 16,
	AT_BYTES = 24,
	AT_READS = 32,
	AT_DROPS = 40,
	AT_RESETS = 48,
	AT_CUT = 56,
};

static inline void put_u16(uint8_t *to, uint16_t value)
{
	value = htole16(value);
	memcpy(to, &value, sizeof(value));
}

static inline void put_u32(uint8_t *to, uint32_t value)
{
	value = htole32(value);
	memcpy(to, &value, sizeof(value));
}

static inline void put_u64(uint8_t *to, uint64_t value)
{
	value = htole64(value);
	memcpy(to, &value, sizeof(value));
}

static inline uint16_t get_u16(const uint8_t *from)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return le16toh(value);
}

static inline uint32_t get_u32(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return le32toh(value);
}

static inline uint64_t get_u64(const uint8_t *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return le64toh(value);
}

#endif
