/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a process look like that has many mappings of memory? Every second page of one mapping
 * gets other rights than its neighbours, so that the kernel keeps each page as a mapping of its
 * own.
 */
#include <sys/mman.h>
#include <unistd.h>
#include "fault.h"

enum { MAPPINGS_MAX = 300000 };

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	long count, seconds;
	char *memory;

	if (argc != 3) {
		fputs("usage: patchwork MAPPINGS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	count = fault_number(argv[1], 1, MAPPINGS_MAX);
	seconds = fault_number(argv[2], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	memory = mmap(NULL, (size_t)count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		fault_die("mmap");
	for (long i = 1; i < count; i += 2)
		if (mprotect(memory + (size_t)i * page, page, PROT_READ))
			fault_die("mprotect");
	fault_ready();
	for (;;)
		pause();
}
