/* SPDX-License-Identifier: GPL-2.0-only */
/* What does it cost to read the clock? Each sample is the mean of many reads, since one is shorter
 * than what a clock can tell. */
#include "base/banned.h"

#include <time.h>

#include "base/clock.h"
#include "tools/measure/internal.h"

#define READS 200

static int clock_bench_begin(struct probe *probe, void **state)
{
	(void)probe;
	*state = NULL;
	return 0;
}

static int clock_bench_once(struct probe *probe, void *state, double *value)
{
	struct timespec now;
	uint64_t from = monotonic_ns(), to;
	int i;

	(void)probe;
	(void)state;
	/* The reading at the end is one of them. */
	for (i = 1; i < READS; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	to = monotonic_ns();
	*value = (double)(to - from) / 1e9 / READS;
	return 0;
}

static void clock_bench_end(void *state)
{
	(void)state;
}

MICROBENCH(clock_bench) = {
	.name = "clock",
	.what = "one clock_gettime(CLOCK_MONOTONIC), the mean of 200",
	.unit = UNIT_SECONDS,
	.begin = clock_bench_begin,
	.once = clock_bench_once,
	.end = clock_bench_end,
};
