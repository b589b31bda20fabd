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
#include "tools/wait/counted.h"
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

	snprintf(path, sizeof(path), "%.20s/%s", tid, file);
	wait_read_text(dir, path, text, TEXT_BYTES);
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
		call->kind = waits_fcntl_kind(a[1]);
	return number;
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

/* As the kernel's probe has it, which can also look at one descriptor of a poll. */
static void seed_events(struct waits_thread *thread, const struct seed_call *call)
{
	const unsigned long long *a = call->arguments;

	if (call->kind == WAITS_CALL_EVENTS || call->kind == WAITS_CALL_EPOLL)
		thread->detail = (uint32_t)a[0] | WAITS_FD_KNOWN;
	if (call->kind == WAITS_CALL_EPOLL && waits_is_timed(a[3]))
		thread->detail |= WAITS_FD_TIMED;
	if (call->kind == WAITS_CALL_POLL && a[1])
		thread->detail = WAITS_FD_SEVERAL;
	if (call->kind == WAITS_CALL_SELECT && a[0] && (a[1] || a[2] || a[3]))
		thread->detail = WAITS_FD_SEVERAL;
	if ((call->kind == WAITS_CALL_POLL && !thread->detail && waits_is_timed(a[2])) ||
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
		thread->part = waits_interruptible_part(call.kind);
	if (thread->part == WAITS_FUTEX)
		thread->detail = waits_futex_detail(call.arguments[1], call.arguments[2]);
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
