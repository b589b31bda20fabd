/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a program look like whose work can be counted? "cpu" computes, "read" reads a file past
 * the page cache, a piece at a time; how many pieces it has done stands in a file that is 20 bytes
 * long at all times.
 *
 *   counter cpu COUNT_FILE SECONDS
 *   counter read FILE COUNT_FILE SECONDS
 */
#include <fcntl.h>
#include <string.h>
#include "fault.h"

enum { PIECE = 65536, ALIGNED = 4096 };

static void count(int fd, unsigned long done)
{
	char text[24];
	const int n = snprintf(text, sizeof(text), "%019lu\n", done);

	if (pwrite(fd, text, (size_t)n, 0) != n)
		fault_die("count");
}

static void compute(void)
{
	volatile unsigned int i;

	for (i = 0; i < 200000; i++)
		;
}

static int counter_open(const char *path, int flags)
{
	const int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		fault_die(path);
	return fd;
}

int main(int argc, char **argv)
{
	const int reads = argc == 5 && !strcmp(argv[1], "read");
	unsigned long done = 0;
	int from = -1, to;
	void *buffer;

	if (!reads && !(argc == 4 && !strcmp(argv[1], "cpu"))) {
		fputs("usage: counter cpu COUNT_FILE SECONDS\n"
		      "       counter read FILE COUNT_FILE SECONDS\n",
			stderr);
		return FAULT_MISUSE;
	}
	fault_bound(fault_number(argv[argc - 1], 1, FAULT_SECONDS_MAX));
	if (reads)
		from = counter_open(argv[2], O_RDONLY | O_DIRECT);
	to = counter_open(argv[argc - 2], O_WRONLY | O_CREAT);
	if (posix_memalign(&buffer, ALIGNED, PIECE))
		return 1;
	count(to, 0);
	fault_ready();
	for (;;) {
		if (!reads)
			compute();
		else if (pread(from, buffer, PIECE, (off_t)(done % 256) * PIECE) != PIECE)
			fault_die("pread");
		else
			fault_sleep_ns(2000000);
		count(to, ++done);
	}
}
