/* SPDX-License-Identifier: GPL-2.0-only */
/* What does /proc say that a thread is waiting for? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
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
		return WAITS_MEMORY;
	if (kind == WAITS_CALL_CHILDREN)
		return WAITS_FAMILY;
	if (kind == WAITS_CALL_LOCK)
		return WAITS_SHARED;
	return kind == WAITS_CALL_FILE || kind == WAITS_CALL_DATA ? WAITS_DISK : WAITS_OTHER;
}

void wait_seed_thread(
	struct waits_thread *thread, char state, const char *syscall, const char *wchan)
{
	unsigned long long nr, first = 0, second = 0, third = 0;
	enum waits_call kind;

	thread->nr = WAITS_NO_CALL;
	thread->detail = 0;
	/* "running", or "NUMBER ARGUMENT...", of which -1 is no call. */
	if (sscanf(syscall, "%llu %llx %llx %llx", &nr, &first, &second, &third) >= 1 &&
		*syscall != '-')
		thread->nr = nr < WAITS_NR_MAX ? (uint32_t)nr : WAITS_NO_CALL;
	kind = wait_call_kind(thread->nr);
	if (kind == WAITS_CALL_FCNTL)
		kind = second == F_SETLKW || second == F_OFD_SETLKW ? WAITS_CALL_LOCK
								    : WAITS_CALL_OTHER;
	if (state == 'R')
		thread->part = WAITS_RUNS;
	else if (state == 'T' || state == 't')
		thread->part = WAITS_STOPPED;
	else if (state == 'D')
		thread->part = seed_uninterruptible(kind, thread->nr, wchan);
	else
		thread->part = seed_sleep(kind);
	if (thread->part == WAITS_FUTEX)
		thread->detail = ((uint32_t)second & WAITS_FUTEX_CMD) |
			((uint32_t)third == WAITS_FUTEX_LOCKED ? WAITS_FUTEX_CONTENDED : 0);
	else if (kind == WAITS_CALL_DATA ||
		(kind == WAITS_CALL_EVENTS && thread->part == WAITS_EVENTS))
		thread->detail = (uint32_t)first;
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
