/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many EU-stall records can a core decode, beside copying the same bytes? "eustall" prints, for
 * each layout, millions of records a second: those of memcpy within the cache; those that are read
 * out of the kernel, from memory that no cache holds, as a driver's are; totals; and by
 * instruction. Then what one check of a second costs on a saturated GPU of 20 XeCores.
 *
 * All ways are taken piece by piece in turns, and the median of each is told: the machine may be
 * busy, and is so for all of them.
 */
#include "base/banned.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sources/gpu/eustall_record.h"
#include "base/str.h"
#include "tests/unit/eustallmodel.h"
#include "tools/gpu/profile.h"
#include "stats/quantile.h"
#include "sources/gpu/eustall_histogram.h"
#include "sources/gpu/eustall_read.h"

enum {
	RECORDS = 8192, /* an XeCore's buffer: 512 KiB */
	ROUNDS = 400,
	XECORES = 20,
	PIECES = 256, /* of the kernel's memory: 128 MiB */
	WINDOWS = 10,
	WINDOW_POLLS = 4, /* the driver looks every 5 ms, and a window is 20 ms */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double median(double *values, size_t n)
{
	stats_sort(values, n);
	return stats_median(values, n);
}

static uint8_t *make_records(enum eustall_layout layout, unsigned int instructions)
{
	const struct model model = {
		.layout = layout,
		.stall = 0.8,
		.reasons = {[EUSTALL_SBID] = 0.7, [EUSTALL_SEND] = 0.3},
		.hot = 0.3,
		.hot_ip = 0x1000,
		.first_ip = 0x10000,
		.instructions = instructions,
		.xecores = 1,
		.records = RECORDS,
	};
	struct stats_random random;
	uint8_t *bytes = mem_alloc(RECORDS * EUSTALL_RECORD);

	stats_random_seed(&random, 1);
	model_window(&model, &random, bytes);
	return bytes;
}

/* The kernel's memory, each piece as large as an XeCore's buffer. */
static int make_kernel_memory(const uint8_t *bytes)
{
	const int fd = memfd_create("records", MFD_CLOEXEC);

	for (int piece = 0; piece < PIECES; piece++)
		if (fd < 0 ||
			write(fd, bytes, RECORDS * EUSTALL_RECORD) != RECORDS * EUSTALL_RECORD)
			abort();
	return fd;
}

/* Seconds to read a piece of it into its place in a buffer as large as those of all XeCores. */
static double read_piece(int fd, uint8_t *buffer, int piece)
{
	const double at = now();

	if (pread(fd, buffer + (size_t)(piece % XECORES) * RECORDS * EUSTALL_RECORD,
		    RECORDS * EUSTALL_RECORD,
		    (off_t)(piece % PIECES) * RECORDS * EUSTALL_RECORD) != RECORDS * EUSTALL_RECORD)
		abort();
	return now() - at;
}

static void compare(enum eustall_layout layout, unsigned int instructions)
{
	uint8_t *bytes = make_records(layout, instructions);
	uint8_t *copy = mem_zalloc(RECORDS * EUSTALL_RECORD);
	uint8_t *buffer = mem_zalloc((size_t)XECORES * RECORDS * EUSTALL_RECORD);
	struct eustall_table *table = eustall_table_new(PROFILE_INSTRUCTIONS_MAX);
	static double copying[ROUNDS], reading[ROUNDS], totals[ROUNDS], by_instruction[ROUNDS];
	const int fd = make_kernel_memory(bytes);
	struct eustall_totals sum = {0};

	for (int round = 0; round < ROUNDS; round++) {
		double at;

		reading[round] = read_piece(fd, buffer, round);
		/* Once to have it in the cache again. */
		for (int turn = 0; turn < 2; turn++) {
			at = now();
			memcpy(copy, bytes, RECORDS * EUSTALL_RECORD);
			__asm__ volatile("" : : "r"(copy) : "memory");
			copying[round] = now() - at;
		}
		at = now();
		eustall_decode_totals(layout, bytes, RECORDS * EUSTALL_RECORD, &sum);
		totals[round] = now() - at;
		at = now();
		eustall_table_add(table, layout, bytes, RECORDS * EUSTALL_RECORD);
		by_instruction[round] = now() - at;
	}
	printf("%s %u %.1f %.1f %.1f %.1f\n", eustall_layout_name(layout), instructions,
		RECORDS / median(copying, ROUNDS) * 1e-6, RECORDS / median(reading, ROUNDS) * 1e-6,
		RECORDS / median(totals, ROUNDS) * 1e-6,
		RECORDS / median(by_instruction, ROUNDS) * 1e-6);
	close(fd);
	eustall_table_free(table);
	free(bytes);
	free(copy);
	free(buffer);
}

/*
 * What gpudiagnose does with all that the driver can hand out in ten windows: each read is a copy
 * to our buffer, which is as large as the device's, and then counted by instruction.
 */
static void whole_check(void)
{
	enum { DEVICE = XECORES * RECORDS * EUSTALL_RECORD };
	uint8_t *one = make_records(EUSTALL_XE2, 2000);
	uint8_t *device = mem_alloc(DEVICE), *buffer = mem_zalloc(DEVICE);
	struct gpu_profile profile;
	struct eustallfile_reader reader;
	double from, spent;

	for (int core = 0; core < XECORES; core++)
		memcpy(device + core * RECORDS * EUSTALL_RECORD, one, RECORDS * EUSTALL_RECORD);
	profile_init(&profile, EUSTALL_XE2);
	reader = profile_reader(&profile);
	from = now();
	for (unsigned int window = 1; window <= WINDOWS; window++) {
		const struct xe_window seen = {
			.number = window, .enabled_ns = 20000000, .reads = WINDOW_POLLS};

		for (int poll = 0; poll < WINDOW_POLLS; poll++) {
			memcpy(buffer, device, DEVICE);
			reader.stream.on_bytes(reader.stream.arg, 0, buffer, DEVICE);
		}
		reader.stream.on_window(reader.stream.arg, &seen);
	}
	profile_settle(&profile);
	spent = now() - from;
	printf("check %llu %.1f\n", (unsigned long long)profile.totals.records, spent * 1e3);
	profile_free(&profile);
	free(one);
	free(device);
	free(buffer);
}

int main(void)
{
	for (int layout = 0; layout < EUSTALL_LAYOUTS; layout++)
		compare((enum eustall_layout)layout, 2000);
	compare(EUSTALL_XE2, 50000);
	for (int round = 0; round < 5; round++)
		whole_check();
	return 0;
}
