/* SPDX-License-Identifier: GPL-2.0-only */
/* What does /proc say that a thread is waiting for? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "sys/privileged_call.h"
#include "tools/wait/calls.h"
#include "tools/wait/probe.h"
#include "tools/wait/seed.h"

#define TEXT_BYTES 512

struct seed_walk {
	struct wait_probe *probe;
	pid_t pid;
	int dir; /* of its threads */
};

static void seed_read(int dir, const char *tid, const char *file, char text[TEXT_BYTES])
{
	char path[64];
	ssize_t got = 0;
	int fd;

	snprintf(path, sizeof(path), "%.20s/%s", tid, file);
	fd = privileged_openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = privileged_pread(fd, text, TEXT_BYTES - 1, 0);
		close(fd);
	}
	text[got > 0 ? got : 0] = 0;
}

/* "NUMBER ARGUMENT...", of which -1 is no call, or "running". */
struct seed_call {
	enum waits_call kind;
	unsigned long long arguments[5];
};

static uint32_t seed_call(struct seed_call *call, const char *text)
{
	unsigned long long nr, *a = call->arguments;
	uint32_t number = WAITS_NO_CALL;

	if (sscanf(text, "%llu %llx %llx %llx %llx %llx", &nr, &a[0], &a[1], &a[2], &a[3], &a[4]) >=
			1 &&
		*text != '-' && nr < WAITS_NR_MAX)
		number = (uint32_t)nr;
	call->kind = wait_call_kind(number);
	if (call->kind == WAITS_CALL_FCNTL)
		call->kind = a[1] == F_SETLKW || a[1] == F_OFD_SETLKW ? WAITS_CALL_LOCK
								      : WAITS_CALL_OTHER;
	return number;
}

static enum waits_part seed_sleep(enum waits_call kind)
{
	switch (kind) {
	case WAITS_CALL_FUTEX:
		return WAITS_FUTEX;
	case WAITS_CALL_SLEEP:
		return WAITS_SLEEP;
	case WAITS_CALL_CHILDREN:
		return WAITS_FAMILY;
	case WAITS_CALL_DATA:
		return WAITS_DATA;
	case WAITS_CALL_EVENTS:
	case WAITS_CALL_EPOLL:
	case WAITS_CALL_POLL:
	case WAITS_CALL_SELECT:
	case WAITS_CALL_PAUSE:
		return WAITS_EVENTS;
	case WAITS_CALL_LOCK:
		return WAITS_SHARED;
	case WAITS_CALL_MESSAGE:
		return WAITS_MESSAGE;
	default:
		return WAITS_ELSE;
	}
}

static enum waits_part seed_uninterruptible(enum waits_call kind, uint32_t nr, const char *wchan)
{
	if (strstr(wchan, "rwsem") || strstr(wchan, "mutex"))
		return WAITS_LOCK;
	if (nr == WAITS_NO_CALL)
		return strstr(wchan, "folio_wait") || strstr(wchan, "wait_on_page") ? WAITS_DISK
										    : WAITS_MEMORY;
	if (kind == WAITS_CALL_CHILDREN)
		return WAITS_FAMILY;
	if (kind == WAITS_CALL_LOCK)
		return WAITS_SHARED;
	return kind == WAITS_CALL_FILE || kind == WAITS_CALL_DATA ? WAITS_DISK : WAITS_OTHER;
}

static bool seed_is_timed(unsigned long long timeout)
{
	return timeout && (uint32_t)timeout != UINT32_MAX;
}

/* As the kernel's probe has it, which can also look at one descriptor of a poll. */
static void seed_events(struct waits_thread *thread, const struct seed_call *call)
{
	const unsigned long long *a = call->arguments;

	if (call->kind == WAITS_CALL_EVENTS || call->kind == WAITS_CALL_EPOLL)
		thread->detail = (uint32_t)a[0] | WAITS_FD_KNOWN;
	if (call->kind == WAITS_CALL_EPOLL && seed_is_timed(a[3]))
		thread->detail |= WAITS_FD_TIMED;
	if (call->kind == WAITS_CALL_POLL && a[1])
		thread->detail = WAITS_FD_SEVERAL;
	if (call->kind == WAITS_CALL_SELECT && a[0] && (a[1] || a[2] || a[3]))
		thread->detail = WAITS_FD_SEVERAL;
	if ((call->kind == WAITS_CALL_POLL && !thread->detail && seed_is_timed(a[2])) ||
		(call->kind == WAITS_CALL_SELECT && !thread->detail && a[4]))
		thread->part = WAITS_SLEEP;
}

void wait_seed_thread(
	struct waits_thread *thread, char state, const char *syscall, const char *wchan)
{
	struct seed_call call = {0};

	thread->nr = seed_call(&call, syscall);
	thread->detail = 0;
	if (state == 'R')
		thread->part = WAITS_RUNS;
	else if (state == 'T' || state == 't')
		thread->part = WAITS_STOPPED;
	else if (state == 'D')
		thread->part = seed_uninterruptible(call.kind, thread->nr, wchan);
	else
		thread->part = seed_sleep(call.kind);
	if (thread->part == WAITS_FUTEX)
		thread->detail = ((uint32_t)call.arguments[1] & WAITS_FUTEX_CMD) |
			((uint32_t)call.arguments[2] == WAITS_FUTEX_LOCKED ? WAITS_FUTEX_CONTENDED
									   : 0);
	else if (call.kind == WAITS_CALL_DATA)
		thread->detail = (uint32_t)call.arguments[0] | WAITS_FD_KNOWN;
	else if (thread->part == WAITS_EVENTS)
		seed_events(thread, &call);
}

static int seed_thread(void *arg, const char *name, unsigned char type)
{
	const struct seed_walk *walk = arg;
	char stat[TEXT_BYTES], syscall[TEXT_BYTES], wchan[TEXT_BYTES] = "";
	struct waits_thread thread = {0};
	const char *behind;
	uint64_t tid;

	(void)type;
	if (num_u64(name, 1, INT32_MAX, &tid))
		return 0;
	seed_read(walk->dir, name, "stat", stat);
	behind = strrchr(stat, ')');
	if (!behind || behind[1] != ' ' || behind[2] == 'Z' || behind[2] == 'X')
		return 0;
	seed_read(walk->dir, name, "syscall", syscall);
	if (behind[2] == 'D')
		seed_read(walk->dir, name, "wchan", wchan);
	wait_seed_thread(&thread, behind[2], syscall, wchan);
	wait_probe_thread(walk->probe, walk->pid, (pid_t)tid, &thread);
	return 0;
}

void wait_seed_process(struct wait_probe *probe, pid_t pid)
{
	struct seed_walk walk = {probe, pid, -1};
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	walk.dir = privileged_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (walk.dir < 0)
		return;
	privileged_list(walk.dir, seed_thread, &walk);
	close(walk.dir);
}
