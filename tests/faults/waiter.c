/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of which it is known where their time goes: `waiter KIND [SHARE]` until it is killed. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void sleep_ms(double ms)
{
	const struct timespec time = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};

	nanosleep(&time, NULL);
}

/* On a CPU for so long, however long it takes. */
static void compute_ms(double ms)
{
	const double until = cpu_seconds() + ms / 1000;

	while (cpu_seconds() < until)
		;
}

static void computes(double share)
{
	for (;;) {
		compute_ms(20 * share);
		if (share < 1)
			sleep_ms(20 * (1 - share));
	}
}

/* From a pipe without data, without waiting. */
static void reads_nothing(void)
{
	int pipe_fds[2];
	char byte;

	if (pipe2(pipe_fds, O_NONBLOCK))
		exit(1);
	for (;;)
		if (read(pipe_fds[0], &byte, 1) >= 0)
			exit(1);
}

static int listener(struct sockaddr_in *at)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*at);

	*at = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (struct sockaddr *)at, sizeof(*at)) || listen(fd, 8) ||
		getsockname(fd, (struct sockaddr *)at, &len))
		exit(1);
	return fd;
}

static void waits_for_work(void)
{
	struct sockaddr_in at;
	const int fd = listener(&at);

	for (;;)
		close(accept(fd, NULL, NULL));
}

/* Asks a server that answers after 50 ms. */
static void waits_for_peer(void)
{
	struct sockaddr_in at;
	const int fd = listener(&at);
	char byte = 1;
	int to;

	if (!fork()) {
		int with = accept(fd, NULL, NULL);

		while (read(with, &byte, 1) == 1) {
			sleep_ms(50);
			if (write(with, &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	close(fd);
	to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(to, (struct sockaddr *)&at, sizeof(at)))
		exit(1);
	while (write(to, &byte, 1) == 1 && read(to, &byte, 1) == 1)
		;
}

static void has_children(void)
{
	for (;;) {
		const pid_t child = vfork();

		if (!child) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
}

static void writes_small(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	for (;;)
		if (pwrite(fd, "x", 1, 0) != 1 || fdatasync(fd))
			exit(1);
}

/* A file that is not in memory, by its mapping: one page after the other, each with a read. */
static void maps_file(const char *path)
{
	enum { PAGES = 4096, PAGE_BYTES = 4096 };
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	static char page[PAGE_BYTES] = "x";
	int i;

	for (i = 0; i < PAGES; i++)
		if (pwrite(fd, page, sizeof(page), (off_t)i * PAGE_BYTES) != PAGE_BYTES)
			exit(1);
	if (fsync(fd))
		exit(1);
	for (;;) {
		const char *map;

		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		map = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED ||
			madvise((void *)(uintptr_t)map, PAGES * PAGE_BYTES, MADV_RANDOM))
			exit(1);
		for (i = 0; i < PAGES; i++)
			if (((const volatile char *)map)[i * PAGE_BYTES] != 'x')
				exit(1);
		munmap((void *)(uintptr_t)map, PAGES * PAGE_BYTES);
	}
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holds_mutex(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&mutex);
		sleep_ms(60);
		pthread_mutex_unlock(&mutex);
		sleep_ms(1);
	}
	return NULL;
}

static void waits_for_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, holds_mutex, NULL);
	for (;;) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		compute_ms(0.1);
	}
}

static long futex(uint32_t *at, int operation, uint32_t value)
{
	return syscall(SYS_futex, at, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

static void *sleeps_on_futex(void *arg)
{
	uint32_t zero = 0;

	for (;;)
		futex(&zero, FUTEX_WAIT, 0);
	return arg;
}

/* As the idle threads of Go do, and those that wait for a condition. */
static void has_idle_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 5; i++)
		pthread_create(&thread, NULL, sleeps_on_futex, NULL);
	sleeps_on_futex(NULL);
}

/* Rust's Mutex: 1 is locked, and 2 with others that wait for it. */
static uint32_t word;

static void word_lock(void)
{
	uint32_t zero = 0;

	if (__atomic_compare_exchange_n(&word, &zero, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE))
		futex(&word, FUTEX_WAIT_BITSET, 2);
}

static void word_unlock(void)
{
	if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2)
		futex(&word, FUTEX_WAKE, 1);
}

static void *holds_word(void *arg)
{
	for (;;) {
		word_lock();
		sleep_ms(60);
		word_unlock();
		sleep_ms(1);
	}
	return arg;
}

static void waits_for_word(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, holds_word, NULL);
	for (;;) {
		word_lock();
		word_unlock();
		compute_ms(0.1);
	}
}

/* With a connection of its own that is of no importance. */
static void sleeps_in(const char *call)
{
	const int empty = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event none;
	struct sockaddr_in at;
	const int fd = listener(&at), to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(to, (struct sockaddr *)&at, sizeof(at)) || accept(fd, NULL, NULL) < 0)
		exit(1);
	close(fd);
	for (;;) {
		struct timeval tenth = {.tv_usec = 100000};
		struct timespec same = {.tv_nsec = 100000000};

		if (!strcmp(call, "select"))
			select(0, NULL, NULL, NULL, &tenth);
		else if (!strcmp(call, "poll"))
			poll(NULL, 0, 100);
		else if (!strcmp(call, "ppoll"))
			ppoll(NULL, 0, &same, NULL);
		else
			epoll_wait(empty, &none, 1, 100);
	}
}

/* A lock that two processes share, each by its own opening of a file, or by a number. */
struct shared {
	const char *path;
	void (*take)(struct shared *lock);
	void (*give)(struct shared *lock);
	int at;
};

static void flock_open(struct shared *lock)
{
	lock->at = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (lock->at < 0)
		exit(1);
}

static void flock_take(struct shared *lock)
{
	if (flock(lock->at, LOCK_EX))
		exit(1);
}

static void flock_give(struct shared *lock)
{
	flock(lock->at, LOCK_UN);
}

static void fcntl_take(struct shared *lock)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(lock->at, F_SETLKW, &all))
		exit(1);
}

static void fcntl_give(struct shared *lock)
{
	struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	fcntl(lock->at, F_SETLK, &all);
}

static void semaphore_change(int at, short by)
{
	struct sembuf change = {.sem_op = by};

	if (semop(at, &change, 1))
		exit(1);
}

static void semaphore_take(struct shared *lock)
{
	semaphore_change(lock->at, -1);
}

static void semaphore_give(struct shared *lock)
{
	semaphore_change(lock->at, 1);
}

/* Held by the other one, for so long again and again, or for good. */
static void waits_for_shared(struct shared *lock, double held_ms)
{
	if (!fork()) {
		if (lock->path)
			flock_open(lock);
		for (;;) {
			lock->take(lock);
			sleep_ms(held_ms);
			lock->give(lock);
			sleep_ms(1);
		}
	}
	if (lock->path)
		flock_open(lock);
	sleep_ms(20);
	for (;;) {
		lock->take(lock);
		lock->give(lock);
		compute_ms(0.1);
	}
}

/* In a namespace that goes with us. */
static int private_semaphore(void)
{
	int at;

	if (unshare(CLONE_NEWIPC))
		exit(1);
	at = semget(IPC_PRIVATE, 1, 0600);
	if (at < 0)
		exit(1);
	semaphore_change(at, 1);
	return at;
}

static void waits_for_message(void)
{
	struct {
		long type;
		char text[1];
	} message = {.type = 1};
	int at;

	if (unshare(CLONE_NEWIPC))
		exit(1);
	at = msgget(IPC_PRIVATE, 0600);
	if (at < 0)
		exit(1);
	if (!fork())
		for (;;) {
			sleep_ms(60);
			msgsnd(at, &message, 1, 0);
		}
	while (msgrcv(at, &message, 1, 0, 0) == 1)
		;
}

/* In a call of which nobody knows what it is for. */
static void waits_unknown(void)
{
	int from[2], to[2];

	if (pipe(from) || pipe(to))
		exit(1);
	splice(from[0], NULL, to[1], NULL, 1, 0);
}

/* A thousand quick answers, then one that takes half a second. */
static void has_rare_slow_ones(void)
{
	int pairs[2];
	char byte = 1;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs))
		exit(1);
	if (!fork()) {
		unsigned int n = 0;

		close(pairs[0]);
		while (read(pairs[1], &byte, 1) == 1) {
			sleep_ms(++n % 150 ? 0.2 : 400);
			if (write(pairs[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	close(pairs[1]);
	while (write(pairs[0], &byte, 1) == 1 && read(pairs[0], &byte, 1) == 1)
		;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "", *arg = argc > 2 ? argv[2] : "1";

	/* Whoever started it may be gone without a word: it ends by itself. */
	alarm(120);
	if (!strcmp(kind, "computes"))
		computes(strtod(arg, NULL));
	else if (!strcmp(kind, "nothing"))
		reads_nothing();
	else if (!strcmp(kind, "work"))
		waits_for_work();
	else if (!strcmp(kind, "peer"))
		waits_for_peer();
	else if (!strcmp(kind, "children"))
		has_children();
	else if (!strcmp(kind, "small"))
		writes_small(arg);
	else if (!strcmp(kind, "mapped"))
		maps_file(arg);
	else if (!strcmp(kind, "flock"))
		waits_for_shared(&(struct shared){arg, flock_take, flock_give, -1}, 60);
	else if (!strcmp(kind, "stuck"))
		waits_for_shared(&(struct shared){arg, flock_take, flock_give, -1}, 1e6);
	else if (!strcmp(kind, "fcntl"))
		waits_for_shared(&(struct shared){arg, fcntl_take, fcntl_give, -1}, 60);
	else if (!strcmp(kind, "semaphore"))
		waits_for_shared(
			&(struct shared){NULL, semaphore_take, semaphore_give, private_semaphore()},
			60);
	else if (!strcmp(kind, "message"))
		waits_for_message();
	else if (!strcmp(kind, "unknown"))
		waits_unknown();
	else if (!strcmp(kind, "thread"))
		waits_for_thread();
	else if (!strcmp(kind, "idle"))
		has_idle_threads();
	else if (!strcmp(kind, "word"))
		waits_for_word();
	else if (!strcmp(kind, "rare"))
		has_rare_slow_ones();
	else if (!strcmp(kind, "sleeps-in"))
		sleeps_in(arg);
	else if (!strcmp(kind, "sleeps"))
		for (;;)
			sleep_ms(100);
	return 1;
}
