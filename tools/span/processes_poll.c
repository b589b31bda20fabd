/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be seen of processes without BPF? */
#include "base/banned.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "sys/child.h"
#include "bpf/probe/process.h"
#include "tools/span/processes.h"
#include "tools/span/processes_poll.h"

#define POLL_TEXT 65536

struct poll_seen {
	uint32_t pid;
	double user_s, system_s; /* when it was last seen */
};

struct processes_poll {
	struct processes *to;
	pid_t command;
	struct poll_seen *living;
	size_t n, room;
	char text[POLL_TEXT];
};

/* A file of a process. Returns its bytes, with a 0 behind, or 0. */
static size_t processes_poll_text(struct processes_poll *poll, uint32_t pid, const char *file)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : read(fd, poll->text, sizeof(poll->text) - 1);
	if (fd >= 0)
		close(fd);
	poll->text[got > 0 ? got : 0] = 0;
	return got > 0 ? (size_t)got : 0;
}

static void processes_poll_add(struct processes_poll *poll, uint32_t pid, uint32_t parent)
{
	const struct process_fork fork = {
		.event = {PROCESS_FORK, pid, monotonic_ns()}, .parent = parent};

	if (processes_living(poll->to, (pid_t)pid))
		return;
	processes_take(poll->to, &fork, sizeof(fork));
	ARRAY_GROW(poll->living, poll->n, poll->room);
	poll->living[poll->n++] = (struct poll_seen){.pid = pid};
}

/* Its program, where that is another one now. */
static void processes_poll_program(struct processes_poll *poll, uint32_t pid)
{
	const size_t whole = processes_poll_text(poll, pid, "cmdline");
	struct process_exec exec = {.event = {PROCESS_EXEC, pid, monotonic_ns()}};

	if (!whole)
		return;
	exec.whole = (__u32)whole;
	exec.len = whole < PROCESS_ARGS ? (__u32)whole : PROCESS_ARGS;
	memcpy(exec.args, poll->text, exec.len);
	processes_take(poll->to, &exec, sizeof(exec));
}

static void processes_poll_children(struct processes_poll *poll, uint32_t pid)
{
	char file[64], *at = poll->text, *end;
	unsigned long child;

	snprintf(file, sizeof(file), "task/%u/children", pid);
	processes_poll_text(poll, pid, file);
	while ((child = strtoul(at, &end, 10)) && end != at) {
		at = end;
		if (child != (unsigned long)poll->command && !child_is_ours((pid_t)child))
			processes_poll_add(poll, (uint32_t)child, pid);
	}
}

/* Whether it lives; its CPU time is kept. */
static bool processes_poll_stat(struct processes_poll *poll, struct poll_seen *seen)
{
	const double ticks = (double)sysconf(_SC_CLK_TCK);
	unsigned long user, kernel;
	const char *at;
	char state;

	if (!processes_poll_text(poll, seen->pid, "stat"))
		return false;
	at = strrchr(poll->text, ')');
	if (!at ||
		sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state, &user,
			&kernel) != 3)
		return false;
	seen->user_s = (double)user / ticks;
	seen->system_s = (double)kernel / ticks;
	return state != 'Z' && state != 'X';
}

static void processes_poll_end(struct processes_poll *poll, size_t i)
{
	const struct poll_seen seen = poll->living[i];
	struct process *process = processes_living(poll->to, (pid_t)seen.pid);

	if (process)
		processes_gone(poll->to, process, seen.user_s, seen.system_s);
	/* One that was left by its parent is ours now. */
	if (seen.pid != (uint32_t)poll->command)
		waitpid((pid_t)seen.pid, NULL, WNOHANG);
	poll->living[i] = poll->living[--poll->n];
}

struct processes_poll *processes_poll_open(struct processes *to, pid_t pid)
{
	struct processes_poll *poll = mem_zalloc(sizeof(*poll));

	poll->to = to;
	poll->command = pid;
	ARRAY_GROW(poll->living, poll->n, poll->room);
	poll->living[poll->n++] = (struct poll_seen){.pid = (uint32_t)pid};
	return poll;
}

void processes_poll_look(struct processes_poll *poll)
{
	size_t i;

	for (i = 0; i < poll->n; i++) {
		processes_poll_program(poll, poll->living[i].pid);
		processes_poll_children(poll, poll->living[i].pid);
	}
	processes_poll_children(poll, (uint32_t)getpid());
	for (i = poll->n; i-- > 0;)
		if (!processes_poll_stat(poll, &poll->living[i]))
			processes_poll_end(poll, i);
}

void processes_poll_close(struct processes_poll *poll)
{
	if (!poll)
		return;
	free(poll->living);
	free(poll);
}
