/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does it look like to be read by somebody who counts your memory? "serve" is a service that
 * has many pages mapped (each of them eight times, so that they cost an eighth of the memory) and
 * changes its memory map all the time; "read" reads the smaps of a process, which holds the lock of
 * its memory map for as long as it takes to count its pages, and again PAUSE_MS later.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include "fault.h"

enum { PIECE = 256 * 1024, WORK_NS = 500000 };

/*
 * Eight views of one file in memory: not every kernel has a page of zeros for what was only read.
 * smaps holds the lock over some four of them at a time.
 */
static void map_many(size_t bytes)
{
	const size_t view = bytes / 8;
	const int file = memfd_create("views", MFD_CLOEXEC);
	size_t i, at;
	int sum = 0;

	if (file < 0 || ftruncate(file, (off_t)view) < 0)
		fault_die("memfd");
	for (i = 0; i < 8; i++) {
		volatile char *pages =
			mmap(NULL, view, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, file, 0);

		if (pages == MAP_FAILED)
			fault_die("mmap");
		for (at = 0; at < view; at += 4096)
			sum += pages[at];
	}
	(void)sum;
	close(file);
}

static _Noreturn void serve(long gigabytes)
{
	map_many((size_t)gigabytes << 30);
	fault_ready();
	for (;;) {
		void *piece = mmap(
			NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (piece == MAP_FAILED)
			fault_die("mmap");
		munmap(piece, PIECE);
		fault_sleep_ns(WORK_NS);
	}
}

static _Noreturn void read_smaps(long pid, long pause_ms)
{
	char path[64], bytes[65536];

	snprintf(path, sizeof(path), "/proc/%ld/smaps", pid);
	fault_ready();
	for (;;) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			fault_die("smaps");
		while (read(fd, bytes, sizeof(bytes)) > 0)
			;
		close(fd);
		fault_sleep_ns(pause_ms * 1000000);
	}
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "serve")) {
		fault_bound(fault_number(argv[3], 1, FAULT_SECONDS_MAX));
		serve(fault_number(argv[2], 1, 64));
	}
	if (argc == 5 && !strcmp(argv[1], "read")) {
		if (prctl(PR_SET_NAME, "reader") < 0)
			fault_die("prctl");
		fault_bound(fault_number(argv[4], 1, FAULT_SECONDS_MAX));
		read_smaps(fault_number(argv[2], 1, 1 << 22), fault_number(argv[3], 1, 60000));
	}
	fputs("usage: smaps serve GIGABYTES SECONDS\n       smaps read PID PAUSE_MS SECONDS\n",
		stderr);
	return FAULT_MISUSE;
}
