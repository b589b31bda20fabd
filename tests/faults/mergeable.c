/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who makes the kernel look for equal pages? A process that offers its memory for merging, filled
 * with pages that are all alike, or none like another.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include "fault.h"

enum { MIB = 1 << 20, MIB_MAX = 512 };

static void fill(char *at, size_t bytes, int alike)
{
	size_t done = 0;

	if (alike) {
		memset(at, 'x', bytes);
		return;
	}
	while (done < bytes) {
		ssize_t n = getrandom(at + done, bytes - done, 0);

		if (n < 0)
			fault_die("getrandom");
		done += (size_t)n;
	}
}

int main(int argc, char **argv)
{
	size_t bytes;
	char *map;

	if (argc != 4 || (strcmp(argv[1], "alike") != 0 && strcmp(argv[1], "different") != 0)) {
		fputs("usage: mergeable alike|different MIB SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	bytes = (size_t)fault_number(argv[2], 1, MIB_MAX) * MIB;
	fault_bound(fault_number(argv[3], 1, FAULT_SECONDS_MAX));
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		fault_die("mmap");
	if (madvise(map, bytes, MADV_MERGEABLE) < 0)
		fault_die("madvise");
	fill(map, bytes, !strcmp(argv[1], "alike"));
	fault_ready();
	for (;;)
		pause();
}
