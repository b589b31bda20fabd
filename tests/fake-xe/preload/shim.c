/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The same driver within the program: LD_PRELOAD=.../fake-xe.so FAKE_XE="KEY=VALUE..." PROGRAM, for
 * a program that is linked dynamically. It is for speed: what the other takes tens of microseconds
 * for is a call here, so records come as fast as a device of 20 XeCores makes them. It is not the
 * boundary of system calls: main.c of the folder above is.
 *
 * Nodes and streams are descriptors of the kernel (a null device and an eventfd), so that fcntl,
 * fstat and what a poll waits for are its own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../fake.h"

#define OBSERVATION 0x4020644b
#define EXPORTED __attribute__((visibility("default")))

static struct {
	int (*open)(const char *path, int flags, ...);
	int (*openat)(int dir, const char *path, int flags, ...);
	int (*ioctl)(int fd, unsigned long request, ...);
	ssize_t (*read)(int fd, void *to, size_t size);
	int (*poll)(struct pollfd *fds, nfds_t n, int ms);
	int (*close)(int fd);
} real;

bool peek(pid_t pid, uint64_t at, void *to, size_t n)
{
	(void)pid;
	if (at)
		memcpy(to, (const void *)(uintptr_t)at, n);
	return at != 0;
}

bool poke(pid_t pid, uint64_t at, const void *from, size_t n)
{
	(void)pid;
	if (at)
		memcpy((void *)(uintptr_t)at, from, n);
	return at != 0;
}

static void *find(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

/* The pool is made before the program begins, so that none of its windows is charged with it. */
__attribute__((constructor)) static void begin(void)
{
	char *words = getenv("FAKE_XE"), *word, *rest = NULL;

	*(void **)&real.open = find("open");
	*(void **)&real.openat = find("openat");
	*(void **)&real.ioctl = find("ioctl");
	*(void **)&real.read = find("read");
	*(void **)&real.poll = find("poll");
	*(void **)&real.close = find("close");
	words = words ? strdup(words) : NULL;
	for (word = words; words && (word = strtok_r(word, " ", &rest)); word = NULL)
		if (!scenario_take(word)) {
			fprintf(stderr, "fake-xe: no such key: %s\n", word);
			_exit(64);
		}
	free(words);
	if (scenario.pool)
		pool_make();
}

/* A descriptor of the driver's own numbers. */
static int place(int fd, int as, int flags)
{
	int placed = fd < 0 ? -1 : dup3(fd, as, flags);

	if (fd >= 0)
		real.close(fd);
	return placed;
}

static bool is_node(const char *path, int flags, int *fd)
{
	unsigned int minor;

	if (strncmp(path, "/dev/dri/", 9) != 0)
		return false;
	note("open %s", path);
	errno = scenario.node_errno ? (int)scenario.node_errno : ENOENT;
	*fd = -1;
	if (!scenario.node_errno && sscanf(path, "/dev/dri/renderD%u", &minor) == 1 &&
		minor >= 128 && minor < 128 + (unsigned int)scenario.gpus)
		*fd = place(real.open("/dev/null", O_RDWR | O_CLOEXEC), FD_NODE + (int)minor - 128,
			flags & O_CLOEXEC);
	return true;
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

EXPORTED int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;
	int fd;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return is_node(path, flags, &fd) ? fd : real.open(path, flags, mode);
}

EXPORTED int open64(const char *path, int flags, ...) __attribute__((alias("open")));

EXPORTED int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;
	int fd;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return is_node(path, flags, &fd) ? fd : real.openat(dir, path, flags, mode);
}

EXPORTED int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));

/* What a fortified program calls instead. */
EXPORTED int __open_2(const char *path, int flags);
EXPORTED int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

static int answer(long result)
{
	if (result < 0)
		errno = (int)-result;
	return result < 0 ? -1 : (int)result;
}

static struct stream *stream_of(int fd)
{
	size_t i = (size_t)(fd - FD_STREAM);

	return fd >= FD_STREAM && fd < FD_END ? &gpus[i / GTS].streams[i % GTS] : NULL;
}

static int open_stream(size_t gpu, uint64_t arg)
{
	long gt = stream_check(getpid(), gpu, arg);
	struct stream *stream;
	int fd;

	if (gt < 0)
		return answer(gt);
	stream = &gpus[gpu].streams[gt];
	fd = FD_STREAM + (int)(gpu * GTS) + (int)gt;
	*stream = (struct stream){.is_open = true, .event = fd};
	return place(eventfd(0, EFD_CLOEXEC), fd, 0);
}

EXPORTED int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	uint64_t arg;

	va_start(args, request);
	arg = va_arg(args, uint64_t);
	va_end(args);
	request &= 0xffffffff;
	if (fd < FD_FIRST || fd >= FD_END)
		return real.ioctl(fd, request, arg);
	if (fd >= FD_STREAM)
		return answer(stream_ioctl(
			(size_t)(fd - FD_STREAM) / GTS, (size_t)(fd - FD_STREAM) % GTS, request));
	if (request == OBSERVATION)
		return open_stream((size_t)(fd - FD_NODE), arg);
	return answer(node_ioctl(getpid(), (size_t)(fd - FD_NODE), request, arg));
}

/* stream.c reads the event itself, by which the driver says that there is something. */
static bool within;

EXPORTED ssize_t read(int fd, void *to, size_t size)
{
	size_t i = (size_t)(fd - FD_STREAM);
	ssize_t n;

	if (within || !stream_of(fd))
		return real.read(fd, to, size);
	within = true;
	n = stream_read(getpid(), i / GTS, i % GTS, fd, (uintptr_t)to, size);
	within = false;
	if (n < 0)
		errno = (int)-n;
	return n < 0 ? -1 : n;
}

EXPORTED ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
EXPORTED ssize_t __read_chk(int fd, void *to, size_t size, size_t room)
{
	if (size > room)
		abort();
	return read(fd, to, size);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* How long until the driver looks at the hardware again; it does so now where that is due. */
static int tick(struct pollfd *fds, nfds_t n)
{
	static int64_t last;
	int64_t now = now_ms();

	if (now - last < TICK_MS)
		return (int)(TICK_MS - (now - last));
	last = now;
	within = true;
	for (nfds_t i = 0; i < n; i++)
		if (stream_of(fds[i].fd) && stream_of(fds[i].fd)->is_open)
			stream_tick(stream_of(fds[i].fd));
	within = false;
	return TICK_MS;
}

EXPORTED int poll(struct pollfd *fds, nfds_t n, int ms)
{
	int64_t end = now_ms() + ms;
	bool any = false;
	int left, ready;

	for (nfds_t i = 0; i < n; i++)
		any |= stream_of(fds[i].fd) != NULL;
	if (!any)
		return real.poll(fds, n, ms);
	do {
		int next = tick(fds, n);

		left = ms < 0 ? next : (int)(end - now_ms());
		ready = real.poll(fds, n, left < 0 ? 0 : left < next ? left : next);
	} while (!ready && (ms < 0 || now_ms() < end));
	return ready;
}

EXPORTED int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room);
EXPORTED int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room)
{
	if (n * sizeof(*fds) > room)
		abort();
	return poll(fds, n, ms);
}

EXPORTED int close(int fd)
{
	struct stream *stream = stream_of(fd);

	if (stream)
		stream->is_open = stream->is_enabled = false;
	return real.close(fd);
}
