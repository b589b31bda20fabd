/* SPDX-License-Identifier: GPL-2.0-only */
/* How fast does one CPU copy memory that no cache can hold? Counted as STREAM does: what is read
 * and what is written. */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "capture/capture.h"
#include "tools/measure/internal.h"
#include "sources/common/value_files.h"

#define SIZE_USUAL (256u << 20)
#define SIZE_MIN (1u << 20)
#define SIZE_MAX_BYTES 0x1p40
#define PIECE ((size_t)8 << 20)
/* A part of what there is that nobody will miss for two seconds. */
#define SHARE_OF_AVAILABLE 8
/* STREAM's rule: arrays of at least four times the caches. */
#define CACHES 4

struct copier {
	char *from, *to;
	size_t half, at;
};

/* Of a file with one number, or infinity where it is not there or says "max". */
static double memory_bench_limit_of(struct capture *fs, const char *path)
{
	struct bytes text;
	double limit;

	if (capture_read_once(fs, path, &text) || !parse_value(text, 0, &limit))
		return INFINITY;
	return limit;
}

/* How much memory may be taken at most, in bytes; a container sees its own limit at the root. */
static double memory_bench_room(void)
{
	static const char *const limits[] = {
		"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
	double most = INFINITY, available;
	struct capture *fs;
	struct bytes text;
	size_t i;

	if (capture_open(&fs, "/", NULL))
		return most;
	if (!capture_read_once(fs, "/proc/meminfo", &text) &&
		parse_named_value(text, "MemAvailable", &available))
		most = available * 1024;
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		double limit = memory_bench_limit_of(fs, limits[i]);

		if (limit < most)
			most = limit;
	}
	capture_close(fs);
	return most / SHARE_OF_AVAILABLE;
}

static int choose_size(struct probe *probe, size_t *size)
{
	double wanted = SIZE_USUAL, most = memory_bench_room();
	int n;

	if (probe->arg) {
		n = num_with_unit(probe->arg, &wanted);
		if (n < 0 || probe->arg[n] || wanted < SIZE_MIN || wanted > SIZE_MAX_BYTES)
			return probe_fail(
				probe, -EINVAL, "is not a size of at least 1M, such as 256M");
		if (wanted > most)
			return probe_fail(
				probe, -ENOMEM, "is more than an eighth of the available memory");
	} else if (most < wanted) {
		wanted = most < SIZE_MIN ? SIZE_MIN : most;
		probe_note(probe, "memory is short: copied only %.0f MiB", wanted / 0x1p20);
	}
	*size = (size_t)wanted;
	return 0;
}

/* Should memory end nevertheless, nobody else is to pay for it. */
static void offer_to_die(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) != 4)
		errno = 0; /* then it goes on without */
	close(fd);
}

static int memory_bench_begin(struct probe *probe, void **state)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
	struct copier *copier;
	size_t size = 0;
	char *all;
	int err = choose_size(probe, &size);

	if (err)
		return err;
	offer_to_die();
	all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return probe_fail(probe, -errno, "%s", strerror(errno));
	/* Written, so that no page is the one of zeros that all share. */
	memset(all, 1, size);
	if (cache > 0 && size / 2 < CACHES * (size_t)cache)
		probe_note(probe,
			"less than four times the cache of %ld MiB: partly the speed of the cache",
			cache >> 20);
	copier = mem_zalloc(sizeof(*copier));
	copier->half = size / 2;
	copier->from = all;
	copier->to = all + copier->half;
	*state = copier;
	return 0;
}

static int memory_bench_once(struct probe *probe, void *state, double *value)
{
	struct copier *copier = state;
	size_t len = copier->half - copier->at < PIECE ? copier->half - copier->at : PIECE;
	uint64_t from = monotonic_ns(), ns;

	(void)probe;
	memcpy(copier->to + copier->at, copier->from + copier->at, len);
	/* Nobody reads the copy; the compiler is not to know. */
	__asm__ volatile("" : : "r"(copier->to) : "memory");
	ns = monotonic_ns() - from;
	*value = 2 * (double)len / ((double)(ns ? ns : 1) / 1e9);
	copier->at += len;
	if (copier->half - copier->at < SIZE_MIN / 4)
		copier->at = 0;
	return 0;
}

static void memory_bench_end(void *state)
{
	struct copier *copier = state;

	munmap(copier->from, 2 * copier->half);
	free(copier);
}

MICROBENCH(memory_bench) = {
	.name = "memory",
	.arg = "[SIZE]",
	.what = "copying memory with one CPU, 256 MiB or SIZE; reads and writes count",
	.unit = UNIT_BYTES_PER_SECOND,
	.begin = memory_bench_begin,
	.once = memory_bench_once,
	.end = memory_bench_end,
};
