/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who waits for a slow disk, and how long? Threads that read 4 KiB at random past the page cache.
 * At its end it prints how many reads there were and how long they took, as the tests' own measure.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include "fault.h"

enum { THREADS_MAX = 64, READ_BYTES = 4096 };

struct reader {
	pthread_t thread;
	int fd;
	unsigned int seed;
	off_t blocks;
	double end_seconds;
	unsigned long reads;
	double sum_seconds;
	double max_seconds;
	bool failed;
};

static void account(struct reader *reader, double seconds)
{
	reader->reads++;
	reader->sum_seconds += seconds;
	if (seconds > reader->max_seconds)
		reader->max_seconds = seconds;
}

static void *read_at_random(void *arg)
{
	struct reader *reader = arg;
	void *buffer = NULL;

	if (posix_memalign(&buffer, READ_BYTES, READ_BYTES) != 0) {
		reader->failed = true;
		return NULL;
	}
	while (fault_clock_seconds() < reader->end_seconds) {
		off_t block = (off_t)rand_r(&reader->seed) % reader->blocks;
		double begin_seconds = fault_clock_seconds();

		if (pread(reader->fd, buffer, READ_BYTES, block * READ_BYTES) != READ_BYTES) {
			reader->failed = true;
			break;
		}
		account(reader, fault_clock_seconds() - begin_seconds);
	}
	free(buffer);
	return NULL;
}

static bool report(struct reader *readers, long count)
{
	struct reader all = {.reads = 0};

	for (long i = 0; i < count; i++) {
		pthread_join(readers[i].thread, NULL);
		all.reads += readers[i].reads;
		all.sum_seconds += readers[i].sum_seconds;
		all.failed |= readers[i].failed;
		if (readers[i].max_seconds > all.max_seconds)
			all.max_seconds = readers[i].max_seconds;
	}
	if (all.reads)
		printf("reads %lu mean_seconds %.6f max_seconds %.6f\n", all.reads,
			all.sum_seconds / (double)all.reads, all.max_seconds);
	return !all.failed;
}

int main(int argc, char **argv)
{
	struct reader readers[THREADS_MAX] = {0};
	long count, seconds;
	off_t blocks;
	int fd;

	if (argc != 4) {
		fputs("usage: randread FILE_OR_DEVICE THREADS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	count = fault_number(argv[2], 1, THREADS_MAX);
	seconds = fault_number(argv[3], 1, FAULT_SECONDS_MAX);
	/* The threads look at the clock themselves; the alarm is for reads that never return. */
	fault_bound(seconds + 5);
	fd = open(argv[1], O_RDONLY | O_DIRECT | O_CLOEXEC);
	blocks = fd < 0 ? 0 : lseek(fd, 0, SEEK_END) / READ_BYTES;
	if (blocks <= 0)
		fault_die(argv[1]);
	fault_ready();
	for (long i = 0; i < count; i++) {
		readers[i] = (struct reader){.fd = fd,
			.seed = (unsigned int)i,
			.blocks = blocks,
			.end_seconds = fault_clock_seconds() + (double)seconds};
		if (pthread_create(&readers[i].thread, NULL, read_at_random, &readers[i]) != 0)
			fault_die("pthread_create");
	}
	return report(readers, count) ? 0 : 1;
}
