/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a lock of the kernel look like that too many want? Threads of one process change its
 * address space all the time, and there is one lock for that.
 */
#include <pthread.h>
#include <sys/mman.h>
#include "fault.h"

enum { THREADS_MAX = 64, PIECE = 256 * 1024, PAGE = 4096 };

static void *change_memory(void *arg)
{
	size_t at;

	(void)arg;
	for (;;) {
		char *piece = mmap(
			NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (piece == MAP_FAILED)
			fault_die("mmap");
		for (at = 0; at < PIECE; at += PAGE)
			piece[at] = 1;
		munmap(piece, PIECE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	long count;

	if (argc != 3) {
		fputs("usage: contend THREADS SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	count = fault_number(argv[1], 1, THREADS_MAX);
	fault_bound(fault_number(argv[2], 1, FAULT_SECONDS_MAX));
	for (long i = 0; i < count; i++)
		if (pthread_create(&thread, NULL, change_memory, NULL) != 0)
			fault_die("pthread_create");
	fault_ready();
	for (;;)
		pause();
}
