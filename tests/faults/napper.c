/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a busy program look like that sleeps though there is work, and what looks alike?
 *
 * busy GIGABYTES SECONDS: computes, changes its memory map, now and then sleeps for a millisecond;
 * GIGABYTES are mapped, of an eighth of that in memory. forks: the same, and a thread of it forks
 * each second.
 *
 * bursty SECONDS: computes for 200 ms, has nothing to do for 300. ends SECONDS: computes, and ends.
 * idle SECONDS: a server that nobody asks.
 *
 * own PORT SECONDS: computes under a lock of its own; once a second one of its threads sleeps with
 * the lock for 300 ms, while connections come, more than its queue has room for.
 *
 * grows SECONDS: computes, and writes to 32 MB more each second, 512 at most.
 *
 * read PID FILE TIMES PAUSE_MS: reads a file of a process again and again, or writes to it where it
 * is clear_refs, and tells how long each took.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "fault.h"

#define PIECE 262144
#define WORK_SECONDS 0.002

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void compute(double seconds)
{
	const double until = fault_clock_seconds() + seconds;

	while (fault_clock_seconds() < until)
		;
}

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
		volatile char *pages = mmap(
			NULL, view, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);

		if (pages == MAP_FAILED)
			fault_die("mmap");
		for (at = 0; at < view; at += 4096)
			sum += pages[at];
		/* Of a mapping that nothing was ever written to a fork copies nothing. */
		*pages = 1;
	}
	(void)sum;
	close(file);
}

static void work(void)
{
	static unsigned int works;
	void *piece;

	compute(WORK_SECONDS);
	piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (piece == MAP_FAILED)
		fault_die("mmap");
	munmap(piece, PIECE);
	if (++works % 4 == 0)
		fault_sleep_ns(1000000);
}

/* The child stays for as long as one that writes a snapshot would. */
static void *fork_again(void *arg)
{
	pid_t child;

	for (;;) {
		fault_sleep_ns(1000000000);
		child = fork();
		if (!child) {
			fault_sleep_ns(400000000);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return arg;
}

/* Its time begins when the pages are there, which takes some machines a minute. */
static _Noreturn void busy(long gigabytes, long seconds, int forks)
{
	pthread_t thread;

	fault_bound(FAULT_SECONDS_MAX);
	if (gigabytes)
		map_many((size_t)gigabytes << 30);
	fault_bound(seconds);
	if (forks && pthread_create(&thread, NULL, fork_again, NULL))
		fault_die("thread");
	fault_ready();
	for (;;)
		work();
}

static _Noreturn void bursty(void)
{
	fault_ready();
	for (;;) {
		compute(0.2);
		fault_sleep_ns(300000000);
	}
}

/* By the clock and not by its work, which others may slow down. */
static _Noreturn void grow(void)
{
	const size_t all = 512u << 20;
	char *pages = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const double began = fault_clock_seconds();
	size_t at = 0;

	if (pages == MAP_FAILED || madvise(pages, all, MADV_NOHUGEPAGE) < 0)
		fault_die("mmap");
	fault_ready();
	for (;;) {
		const double wanted = (fault_clock_seconds() - began) * (32u << 20);

		for (; at < all && (double)at < wanted; at += 65536)
			memset(pages + at, 1, 65536);
		compute(WORK_SECONDS);
	}
}

static void *under_lock(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		compute(WORK_SECONDS);
		pthread_mutex_unlock(&lock);
		fault_sleep_ns(1000000);
	}
	return arg;
}

static void *with_lock_asleep(void *arg)
{
	for (;;) {
		fault_sleep_ns(1000000000);
		pthread_mutex_lock(&lock);
		fault_sleep_ns(300000000);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *accept_under_lock(void *arg)
{
	const int listener = *(const int *)arg;

	for (;;) {
		int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		if (connection >= 0)
			close(connection);
	}
	return NULL;
}

static _Noreturn void own(long port, long seconds)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((unsigned short)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	static int listener;
	pthread_t thread;
	pid_t child;

	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		listen(listener, 8) < 0)
		fault_die("listen");
	/* Who asks is another process: its time on the CPU is not this one's. */
	child = fork();
	if (!child) {
		fault_bound(seconds);
		for (;;) {
			int asks = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

			connect(asks, (struct sockaddr *)&address, sizeof(address));
			close(asks);
			fault_sleep_ns(10000000);
		}
	}
	if (child < 0 || pthread_create(&thread, NULL, under_lock, NULL) ||
		pthread_create(&thread, NULL, accept_under_lock, &listener))
		fault_die("threads");
	fault_ready();
	with_lock_asleep(NULL);
	exit(0);
}

static void read_once(const char *path, int clears)
{
	const int fd = open(path, (clears ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	char bytes[65536];

	if (fd < 0 || (clears && write(fd, "1", 1) < 0))
		fault_die(path);
	while (!clears && read(fd, bytes, sizeof(bytes)) > 0)
		;
	close(fd);
}

static _Noreturn void read_again(long pid, const char *file, long times, long pause_ms)
{
	char path[64];
	long naps = 0;

	if (prctl(PR_SET_NAME, "reader") < 0)
		fault_die("prctl");
	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, file);
	fault_ready();
	for (; times; times--) {
		const double began = fault_clock_seconds();

		read_once(path, !strcmp(file, "clear_refs"));
		naps += fault_clock_seconds() - began >= 0.1;
		printf("took %.3f\n", fault_clock_seconds() - began);
		fflush(stdout);
		fault_sleep_ns(pause_ms * 1000000);
	}
	printf("naps %ld\n", naps);
	exit(0);
}

static int is_mode(int argc, char **argv, const char *mode, int words)
{
	if (argc != words || strcmp(argv[1], mode) != 0)
		return 0;
	if (strcmp(mode, "read") != 0)
		fault_bound(fault_number(argv[argc - 1], 1, FAULT_SECONDS_MAX));
	else
		fault_bound(FAULT_SECONDS_MAX);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		argc = 0;
	if (argc && is_mode(argc, argv, "busy", 4))
		busy(fault_number(argv[2], 0, 512), fault_number(argv[3], 1, FAULT_SECONDS_MAX), 0);
	if (argc && is_mode(argc, argv, "forks", 4))
		busy(fault_number(argv[2], 0, 512), fault_number(argv[3], 1, FAULT_SECONDS_MAX), 1);
	if (argc && is_mode(argc, argv, "bursty", 3))
		bursty();
	if (argc && is_mode(argc, argv, "own", 4))
		own(fault_number(argv[2], 1, 65535), fault_number(argv[3], 1, FAULT_SECONDS_MAX));
	if (argc && is_mode(argc, argv, "grows", 3))
		grow();
	if (argc && is_mode(argc, argv, "ends", 3)) {
		fault_ready();
		compute((double)fault_number(argv[2], 1, FAULT_SECONDS_MAX) - 0.5);
		return 0;
	}
	if (argc && is_mode(argc, argv, "idle", 3)) {
		fault_ready();
		pause();
		return 0;
	}
	if (argc && is_mode(argc, argv, "read", 6))
		read_again(fault_number(argv[2], 1, 1 << 22), argv[3],
			fault_number(argv[4], 1, 1000), fault_number(argv[5], 1, 60000));
	fputs("usage: napper busy|forks GIGABYTES SECONDS\n"
	      "       napper bursty|grows|ends|idle SECONDS\n"
	      "       napper own PORT SECONDS\n"
	      "       napper read PID FILE TIMES PAUSE_MS\n",
		stderr);
	return FAULT_MISUSE;
}
