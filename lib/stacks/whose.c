/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose is a stack: a process's, a thread's, a cgroup's? */
#include "base/banned.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "stacks/profile.h"
#include "stacks/whose.h"
#include "sys/privileged_call.h"

/* The name of the process, which is that of its first thread; its own where that is gone. */
static const char *whose_process(
	const struct stacks_profile *profile, const struct stacks_thread *thread)
{
	size_t at;

	if (number_map_get(&profile->by_tid, thread->pid, &at) &&
		profile->threads[at].pid == thread->pid)
		return profile->threads[at].comm;
	return thread->comm;
}

/* What /proc/PID/FILE says, cut to size. False where it says nothing. */
static bool whose_read(uint32_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = privileged_pread(fd, text, size - 1, 0);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0;
}

static void whose_add_name(
	struct str *out, const struct stacks_profile *profile, const struct stacks_thread *thread)
{
	char comm[64];
	size_t at;

	/* A thread that was not seen itself still names its process. */
	if (!number_map_get(&profile->by_tid, thread->pid, &at) && thread->pid != thread->tid &&
		whose_read(thread->pid, "comm", comm, sizeof(comm)))
		str_addn(out, comm, strcspn(comm, "\n"));
	else
		str_add(out, whose_process(profile, thread));
}

/* That of the controllers of the CPU, else that of version 2. */
static void whose_add_cgroup(struct str *out, uint32_t pid)
{
	const char *line, *best = NULL;
	char text[4096];

	if (!whose_read(pid, "cgroup", text, sizeof(text))) {
		str_add(out, "[a process that has ended]");
		return;
	}
	for (line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *controllers = strchr(line, ':');
		const char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			break;
		if (!best || controllers[1] == ':' || str_starts(controllers + 1, "cpu,") ||
			str_starts(controllers + 1, "cpu:"))
			if (!best || path[1] != '/' || path[2] != '\n')
				best = path + 1;
	}
	str_addn(out, best ? best : "", best ? strcspn(best, "\n") : 0);
}

void stacks_whose_add(
	struct str *out, const struct stacks_profile *profile, size_t thread, enum stacks_by by)
{
	const struct stacks_thread *of = &profile->threads[thread];
	const size_t begin = out->len;

	if (by == STACKS_BY_CGROUP) {
		whose_add_cgroup(out, of->pid);
	} else if (by == STACKS_BY_THREAD) {
		str_addf(out, "%s %u", of->comm, of->tid);
	} else {
		whose_add_name(out, profile, of);
		if (by == STACKS_BY_PID)
			str_addf(out, " %u", of->pid);
	}
	for (size_t i = begin; i < out->len; i++)
		if (out->text[i] == ';')
			out->text[i] = ':';
		else if ((unsigned char)out->text[i] < ' ' || out->text[i] == 0x7f)
			out->text[i] = '?';
}
