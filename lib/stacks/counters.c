/* SPDX-License-Identifier: GPL-2.0-only */
/* How many cycles does an instruction take? */
#include "base/banned.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "stacks/counters.h"
#include "sys/caps.h"

enum { THREADS_MAX = 512 }; /* two descriptors each */

struct stacks_counters {
	struct counters_pair {
		int cycles, instructions;
	} * list;
	size_t n, room;
};

static int counters_open_one(uint64_t config, pid_t tid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.inherit = tid > 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int counters_add(struct stacks_counters *counters, pid_t tid, int cpu)
{
	struct counters_pair pair = {
		.cycles = counters_open_one(PERF_COUNT_HW_CPU_CYCLES, tid, cpu),
		.instructions = -1};

	if (pair.cycles < 0)
		return pair.cycles;
	pair.instructions = counters_open_one(PERF_COUNT_HW_INSTRUCTIONS, tid, cpu);
	if (pair.instructions < 0) {
		close(pair.cycles);
		return pair.instructions;
	}
	ARRAY_GROW(counters->list, counters->n, counters->room);
	counters->list[counters->n++] = pair;
	return 0;
}

struct stacks_counters *stacks_counters_begin(const pid_t *tids, size_t n, int *error)
{
	struct stacks_counters *counters = mem_zalloc(sizeof(*counters));
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	*error = 0;
	caps_raise(CAPS_BPF);
	for (size_t i = 0; i < n && i < THREADS_MAX; i++)
		*error = counters_add(counters, tids[i], -1);
	for (int cpu = 0; !n && cpu < cpus; cpu++)
		*error = counters_add(counters, -1, cpu);
	caps_lower(CAPS_BPF);
	if (counters->n)
		return counters;
	*error = *error ? *error : -ESRCH;
	stacks_counters_end(counters);
	return NULL;
}

/* What one has counted; of the time that it had its register the whole. */
static uint64_t counters_read(int fd)
{
	uint64_t values[3]; /* the count, nanoseconds enabled, nanoseconds counting */
	double scaled;

	if (read(fd, values, sizeof(values)) != sizeof(values) || !values[2])
		return 0;
	scaled = (double)values[0] * ((double)values[1] / (double)values[2]);
	return (uint64_t)scaled;
}

struct stacks_counted stacks_counters_end(struct stacks_counters *counters)
{
	struct stacks_counted counted = {0};

	for (size_t i = 0; i < counters->n; i++) {
		counted.cycles += counters_read(counters->list[i].cycles);
		counted.instructions += counters_read(counters->list[i].instructions);
		close(counters->list[i].cycles);
		close(counters->list[i].instructions);
	}
	free(counters->list);
	free(counters);
	return counted;
}
