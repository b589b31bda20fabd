/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a lock of the kernel look like that another process holds for seconds? "holder" writes
 * to a file from a page that is not there, so that it has the lock of the file until somebody puts
 * the page there: it does so itself HOLD_MS later, and begins again PAUSE_MS after that. "queued"
 * writes to the same file.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "fault.h"

static long page_bytes;

static int open_file(const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (file < 0)
		fault_die(path);
	return file;
}

struct absent {
	int faults;
	char *page;
	long hold_ms;
};

static struct absent absent_page(long hold_ms)
{
	struct absent absent = {.hold_ms = hold_ms};
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	absent.faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (absent.faults < 0 || ioctl(absent.faults, UFFDIO_API, &api))
		fault_die("userfaultfd");
	absent.page = mmap(NULL, (size_t)page_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (absent.page == MAP_FAILED)
		fault_die("mmap");
	range.range.start = (unsigned long)absent.page;
	range.range.len = (unsigned long)page_bytes;
	if (ioctl(absent.faults, UFFDIO_REGISTER, &range))
		fault_die("UFFDIO_REGISTER");
	return absent;
}

/* Whoever touches the page waits until it is there. */
static void *put_pages(void *arg)
{
	const struct absent *absent = arg;
	struct uffd_msg message;

	while (read(absent->faults, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_zeropage zero = {
			.range = {(unsigned long)absent->page, (unsigned long)page_bytes}};

		fault_sleep_ns(absent->hold_ms * 1000000);
		if (ioctl(absent->faults, UFFDIO_ZEROPAGE, &zero))
			fault_die("UFFDIO_ZEROPAGE");
	}
	return NULL;
}

static _Noreturn void hold(int file, long hold_ms, long pause_ms)
{
	struct absent absent = absent_page(hold_ms);
	pthread_t thread;

	if (pthread_create(&thread, NULL, put_pages, &absent))
		fault_die("pthread_create");
	fault_ready();
	for (;;) {
		if (pwrite(file, absent.page, 1, 0) != 1)
			fault_die("pwrite");
		if (madvise(absent.page, (size_t)page_bytes, MADV_DONTNEED))
			fault_die("madvise");
		fault_sleep_ns(pause_ms * 1000000);
	}
}

static _Noreturn void queue_up(int file)
{
	fault_ready();
	for (;;) {
		if (pwrite(file, "", 1, 1) != 1)
			fault_die("pwrite");
		fault_sleep_ns(10000000);
	}
}

int main(int argc, char **argv)
{
	bool holds = argc == 6 && !strcmp(argv[1], "holder");

	if (!holds && (argc != 4 || strcmp(argv[1], "queued") != 0)) {
		fputs("usage: hold holder FILE HOLD_MS PAUSE_MS SECONDS | hold queued FILE "
		      "SECONDS\n",
			stderr);
		return FAULT_MISUSE;
	}
	page_bytes = sysconf(_SC_PAGESIZE);
	fault_bound(fault_number(argv[argc - 1], 1, FAULT_SECONDS_MAX));
	prctl(PR_SET_NAME, argv[1]);
	if (!holds)
		queue_up(open_file(argv[2]));
	hold(open_file(argv[2]), fault_number(argv[3], 1, 60000), fault_number(argv[4], 1, 60000));
}
