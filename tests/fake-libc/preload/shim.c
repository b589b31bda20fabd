/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine that runs out of something, or whose clock jumps, within a program that is linked
 * dynamically: LD_PRELOAD=.../fake-libc.so FAKE_LIBC="KEY=VALUE..." PROGRAM.
 *
 *   fail=memory  what asks the C library or the kernel for memory
 *   fail=files   what makes a descriptor
 *   at=N         the Nth such call fails, of the program and its children together
 *   more=1       and so do all after it
 *   places=FILE  the number of each call from a place that did not call before goes there, one a
 * line: who fails each of these has failed every call that is in the program jump=N by=S  from the
 * Nth call on CLOCK_REALTIME is S seconds off
 *
 * A place is who called, down to FRAMES functions; of files it is the path too, with one number as
 * good as another.
 */
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { FRAMES = 8, OWN_FRAMES = 3, PLACES_MAX = 1 << 16, PLACES_FD = 900 };

/* Of the program and all that it forks. */
struct shared {
	atomic_long calls, clock_calls;
	_Atomic uint64_t places[PLACES_MAX];
};

enum shortage { NOTHING, MEMORY, FILES };

static struct {
	enum shortage fail;
	long at, more, jump, by;
	const char *places;
} wanted;

static struct shared *shared;
static __thread bool inside;

static struct {
	int (*open)(const char *path, int flags, ...);
	int (*openat)(int dir, const char *path, int flags, ...);
	FILE *(*fopen)(const char *path, const char *how);
	DIR *(*opendir)(const char *path);
	int (*socket)(int family, int type, int protocol);
	int (*pipe2)(int fds[2], int flags);
	int (*dup)(int fd);
	int (*dup3)(int fd, int as, int flags);
	int (*eventfd)(unsigned int start, int flags);
	int (*accept4)(int fd, struct sockaddr *address, socklen_t *len, int flags);
	int (*epoll_create1)(int flags);
	int (*fcntl)(int fd, int command, ...);
	void *(*mmap)(void *at, size_t size, int protection, int flags, int fd, off_t offset);
	long (*syscall)(long number, ...);
	int (*clock_gettime)(clockid_t clock, struct timespec *out);
} real;

/* What an allocator of one's own may build on; dlsym itself allocates. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static void *fake_find(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static void fake_find_all(void)
{
	*(void **)&real.open = fake_find("open");
	*(void **)&real.openat = fake_find("openat");
	*(void **)&real.fopen = fake_find("fopen");
	*(void **)&real.opendir = fake_find("opendir");
	*(void **)&real.socket = fake_find("socket");
	*(void **)&real.pipe2 = fake_find("pipe2");
	*(void **)&real.dup = fake_find("dup");
	*(void **)&real.dup3 = fake_find("dup3");
	*(void **)&real.eventfd = fake_find("eventfd");
	*(void **)&real.accept4 = fake_find("accept4");
	*(void **)&real.epoll_create1 = fake_find("epoll_create1");
	*(void **)&real.fcntl = fake_find("fcntl");
	*(void **)&real.mmap = fake_find("mmap");
	*(void **)&real.syscall = fake_find("syscall");
	*(void **)&real.clock_gettime = fake_find("clock_gettime");
}

static void fake_take_word(char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		abort();
	*value++ = 0;
	if (!strcmp(word, "fail"))
		wanted.fail = !strcmp(value, "memory") ? MEMORY : FILES;
	else if (!strcmp(word, "at"))
		wanted.at = atol(value);
	else if (!strcmp(word, "more"))
		wanted.more = atol(value);
	else if (!strcmp(word, "jump"))
		wanted.jump = atol(value);
	else if (!strcmp(word, "by"))
		wanted.by = atol(value);
	else if (!strcmp(word, "places"))
		wanted.places = value;
	else
		abort();
}

/* Nothing is counted before. What the program starts by exec is not its own any more. */
__attribute__((constructor)) static void fake_begin(void)
{
	char *words = getenv("FAKE_LIBC"), *word, *rest = NULL;
	void *frames[FRAMES], *memory;
	int fd;

	fake_find_all();
	words = words ? strdup(words) : NULL;
	for (word = words; words && (word = strtok_r(word, " ", &rest)); word = NULL)
		fake_take_word(word);
	unsetenv("LD_PRELOAD");
	unsetenv("FAKE_LIBC");
	if (wanted.places) {
		backtrace(frames, FRAMES); /* allocates the first time */
		fd = real.open(wanted.places, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (fd < 0 || real.dup3(fd, PLACES_FD, O_CLOEXEC) < 0)
			abort();
		close(fd);
	}
	memory = real.mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		abort();
	shared = memory;
}

/* Whether this place called for the first time. */
static bool place_is_new(uint64_t place)
{
	size_t i = place % PLACES_MAX, tries;

	for (tries = 0; tries < PLACES_MAX; tries++, i = (i + 1) % PLACES_MAX) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&shared->places[i], &none, place))
			return true;
		if (none == place)
			return false;
	}
	return false;
}

static uint64_t place_add(uint64_t place, uint64_t more)
{
	return (place ^ more) * 0x100000001b3u;
}

__attribute__((noinline)) static void place_note(long number, const char *path)
{
	void *frames[FRAMES + OWN_FRAMES];
	uint64_t place = 0xcbf29ce484222325u;
	int n = backtrace(frames, FRAMES + OWN_FRAMES), i;
	char line[24];

	for (i = OWN_FRAMES; i < n; i++)
		place = place_add(place, (uintptr_t)frames[i]);
	for (; path && *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (!isdigit(c) || !isdigit((unsigned char)path[1]))
			place = place_add(place, isdigit(c) ? '0' : c);
	}
	if (!place_is_new(place | 1))
		return;
	n = snprintf(line, sizeof(line), "%ld\n", number);
	if (write(PLACES_FD, line, (size_t)n) != n)
		abort();
}

/* Counts a call, and says whether it is one that fails. */
__attribute__((noinline)) static bool fake_fails(enum shortage what, const char *path)
{
	long number;

	if (!shared || inside || wanted.fail != what)
		return false;
	number = atomic_fetch_add(&shared->calls, 1) + 1;
	if (wanted.places) {
		inside = true;
		place_note(number, path);
		inside = false;
	}
	if (!wanted.at || number < wanted.at || (number > wanted.at && !wanted.more))
		return false;
	errno = what == MEMORY ? ENOMEM : EMFILE;
	return true;
}

/* Memory. */

EXPORTED void *malloc(size_t size)
{
	return fake_fails(MEMORY, NULL) ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
	return fake_fails(MEMORY, NULL) ? NULL : __libc_calloc(count, size);
}

EXPORTED void *realloc(void *old, size_t size)
{
	return fake_fails(MEMORY, NULL) ? NULL : __libc_realloc(old, size);
}

EXPORTED void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (!real.mmap)
		fake_find_all();
	return fake_fails(MEMORY, NULL) ? MAP_FAILED
					: real.mmap(at, size, protection, flags, fd, offset);
}

EXPORTED void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

/* Descriptors. */

static mode_t fake_mode(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

EXPORTED int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = fake_mode(flags, args);
	va_end(args);
	return fake_fails(FILES, path) ? -1 : real.open(path, flags, mode);
}

EXPORTED int open64(const char *path, int flags, ...) __attribute__((alias("open")));

EXPORTED int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = fake_mode(flags, args);
	va_end(args);
	return fake_fails(FILES, path) ? -1 : real.openat(dir, path, flags, mode);
}

EXPORTED int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));

/* What a fortified program calls instead. */
EXPORTED int __open_2(const char *path, int flags);
EXPORTED int __open_2(const char *path, int flags)
{
	return fake_fails(FILES, path) ? -1 : real.open(path, flags);
}

EXPORTED int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));

EXPORTED int __openat_2(int dir, const char *path, int flags);
EXPORTED int __openat_2(int dir, const char *path, int flags)
{
	return fake_fails(FILES, path) ? -1 : real.openat(dir, path, flags);
}

EXPORTED int __openat64_2(int dir, const char *path, int flags)
	__attribute__((alias("__openat_2")));

EXPORTED FILE *fopen(const char *path, const char *how)
{
	return fake_fails(FILES, path) ? NULL : real.fopen(path, how);
}

EXPORTED FILE *fopen64(const char *path, const char *how) __attribute__((alias("fopen")));

EXPORTED DIR *opendir(const char *path)
{
	return fake_fails(FILES, path) ? NULL : real.opendir(path);
}

EXPORTED int socket(int family, int type, int protocol)
{
	return fake_fails(FILES, NULL) ? -1 : real.socket(family, type, protocol);
}

EXPORTED int pipe2(int fds[2], int flags)
{
	return fake_fails(FILES, NULL) ? -1 : real.pipe2(fds, flags);
}

EXPORTED int pipe(int fds[2])
{
	return pipe2(fds, 0);
}

EXPORTED int dup(int fd)
{
	return fake_fails(FILES, NULL) ? -1 : real.dup(fd);
}

EXPORTED int dup3(int fd, int as, int flags)
{
	return fake_fails(FILES, NULL) ? -1 : real.dup3(fd, as, flags);
}

EXPORTED int eventfd(unsigned int start, int flags)
{
	return fake_fails(FILES, NULL) ? -1 : real.eventfd(start, flags);
}

EXPORTED int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	return fake_fails(FILES, NULL) ? -1 : real.accept4(fd, address, len, flags);
}

EXPORTED int accept(int fd, struct sockaddr *address, socklen_t *len)
{
	return accept4(fd, address, len, 0);
}

EXPORTED int epoll_create1(int flags)
{
	return fake_fails(FILES, NULL) ? -1 : real.epoll_create1(flags);
}

EXPORTED int fcntl(int fd, int command, ...)
{
	va_list args;
	long value;

	va_start(args, command);
	value = va_arg(args, long);
	va_end(args);
	if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && fake_fails(FILES, NULL))
		return -1;
	return real.fcntl(fd, command, value);
}

EXPORTED int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

/* BPF, performance events and processes have no function of their own in this C library. */
EXPORTED long syscall(long number, ...)
{
	va_list args;
	long v[6];

	va_start(args, number);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		v[i] = va_arg(args, long);
	va_end(args);
	if ((number == SYS_bpf || number == SYS_perf_event_open || number == SYS_pidfd_open) &&
		fake_fails(FILES, NULL))
		return -1;
	return real.syscall(number, v[0], v[1], v[2], v[3], v[4], v[5]);
}

/* The clock. */

static time_t clock_is_off(void)
{
	if (!shared || !wanted.jump)
		return 0;
	return atomic_fetch_add(&shared->clock_calls, 1) + 1 >= wanted.jump ? wanted.by : 0;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *out)
{
	int result;

	if (!real.clock_gettime)
		fake_find_all();
	result = real.clock_gettime(clock, out);
	if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		out->tv_sec += clock_is_off();
	return result;
}

EXPORTED time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}

EXPORTED int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
	return 0;
}
