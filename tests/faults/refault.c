/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does thrashing look like? Processes that read one file at random, over and over. Where the
 * file does not fit into the memory that the cgroup allows, each page read throws out another that
 * is wanted again soon.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "fault.h"

enum { READERS_MAX = 16, PAGE_BYTES = 4096 };

/* xorshift: rand() would take a lock, and quality does not matter here. */
static unsigned long next_random(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static _Noreturn void touch_at_random(const volatile char *map, size_t pages, long seconds)
{
	unsigned long state = 88172645463325252UL ^ (unsigned long)getpid();

	fault_bound(seconds);
	for (;;)
		(void)map[next_random(&state) % pages * PAGE_BYTES];
}

static const volatile char *map_file(const char *path, size_t *bytes)
{
	struct stat status;
	void *map;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &status) < 0)
		fault_die(path);
	*bytes = (size_t)status.st_size;
	map = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		fault_die("mmap");
	/* Read-ahead would bring in pages nobody asked for, and hide which ones come back. */
	if (madvise(map, *bytes, MADV_RANDOM) < 0)
		fault_die("madvise");
	close(fd);
	return map;
}

int main(int argc, char **argv)
{
	const volatile char *map;
	size_t bytes;
	long readers, seconds;

	if (argc != 4) {
		fputs("usage: refault FILE PROCESSES SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	readers = fault_number(argv[2], 1, READERS_MAX);
	seconds = fault_number(argv[3], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds + 1);
	map = map_file(argv[1], &bytes);
	if (bytes < PAGE_BYTES) {
		fprintf(stderr, "%s: smaller than a page\n", argv[1]);
		return FAULT_MISUSE;
	}
	for (long i = 0; i < readers; i++) {
		pid_t child = fork();

		if (child < 0)
			fault_die("fork");
		if (child == 0)
			touch_at_random(map, bytes / PAGE_BYTES, seconds);
	}
	fault_ready();
	while (wait(NULL) > 0)
		;
	return 0;
}
