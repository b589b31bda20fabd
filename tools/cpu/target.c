/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes are in that cgroup, and which threads in that process? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/num.h"
#include "base/str.h"
#include "sys/privileged_call.h"
#include "tools/cpu/options.h"
#include "tools/cpu/target.h"

enum { GROUPS_DEEP = 32, GROUP_BYTES = 1 << 20, TARGETS_MAX = 16384 };

static void targets_add(struct cpu_targets *targets, pid_t pid)
{
	for (size_t i = 0; i < targets->n; i++)
		if (targets->list[i] == pid)
			return;
	if (targets->n == TARGETS_MAX)
		return;
	ARRAY_GROW(targets->list, targets->n, targets->room);
	targets->list[targets->n++] = pid;
}

static int targets_complain(const struct cpu_options *asked, const char *what, const char *name)
{
	char *shown = escape_word(name);

	fprintf(stderr, "%s: there is no %s '%s'\n", asked->program, what, shown);
	free(shown);
	return -ENOENT;
}

bool cpu_target_is_there(pid_t pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !privileged_fstatat(AT_FDCWD, path, &st, 0);
}

/* The processes that a file of numbers has. */
static void targets_add_file(struct cpu_targets *targets, int dir)
{
	const int fd = privileged_openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : mem_alloc(GROUP_BYTES);
	const char *at, *end;
	uint64_t pid;
	ssize_t len;

	if (fd < 0)
		return;
	len = privileged_pread(fd, text, GROUP_BYTES, 0);
	close(fd);
	at = text;
	end = text + (len > 0 ? len : 0);
	while (at < end && !num_next(&at, end, &pid)) {
		targets_add(targets, (pid_t)pid);
		at += at < end;
	}
	free(text);
}

struct target_walk {
	struct cpu_targets *targets;
	int dir, deep;
};

static int targets_walk(void *arg, const char *name, unsigned char type)
{
	const struct target_walk *above = arg;
	struct target_walk walk = {above->targets, -1, above->deep + 1};

	if (type != DT_DIR || walk.deep > GROUPS_DEEP)
		return 0;
	walk.dir = privileged_openat(
		above->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (walk.dir < 0)
		return 0;
	targets_add_file(walk.targets, walk.dir);
	privileged_list(walk.dir, targets_walk, &walk);
	close(walk.dir);
	return 0;
}

void cpu_targets_again(struct cpu_targets *targets)
{
	struct target_walk walk = {targets, -1, 0};

	if (!targets->group)
		return;
	walk.dir = privileged_openat(AT_FDCWD, targets->group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (walk.dir < 0)
		return;
	targets_add_file(targets, walk.dir);
	privileged_list(walk.dir, targets_walk, &walk);
	close(walk.dir);
}

/* A cgroup as a person writes it: its folder, or its path in a hierarchy. */
static char *targets_group_folder(const char *cgroup)
{
	/* The hierarchy of version 2 alone, beside others; and of version 1 those that have most.
	 */
	static const char *const roots[] = {"", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/",
		"/sys/fs/cgroup/cpu,cpuacct/", "/sys/fs/cgroup/cpu/", "/sys/fs/cgroup/systemd/",
		"/sys/fs/cgroup/memory/"};

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		char *path = mem_printf("%s%s", roots[i], cgroup);
		char *procs = mem_printf("%s/cgroup.procs", path);
		struct stat st;
		const bool is_group = !privileged_fstatat(AT_FDCWD, procs, &st, 0);

		free(procs);
		if (is_group)
			return path;
		free(path);
	}
	return NULL;
}

static int targets_find_group(struct cpu_targets *targets, const struct cpu_options *asked)
{
	targets->group = targets_group_folder(asked->cgroup);
	if (!targets->group)
		return targets_complain(asked, "cgroup", asked->cgroup);
	cpu_targets_again(targets);
	if (targets->n)
		return 0;
	fprintf(stderr, "%s: no process is in that cgroup\n", asked->program);
	return -ESRCH;
}

/* The process that a thread belongs to, or 0. */
static pid_t targets_of_thread(pid_t tid)
{
	char path[48], text[4096];
	const char *line;
	uint64_t pid = 0;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : privileged_pread(fd, text, sizeof(text) - 1, 0);
	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	line = strstr(text, "\nTgid:\t");
	if (line) {
		line += strlen("\nTgid:\t");
		num_next(&line, text + len, &pid);
	}
	return (pid_t)pid;
}

int cpu_targets_find(struct cpu_targets *targets, const struct cpu_options *asked)
{
	char number[16];
	pid_t pid;

	if (asked->cgroup)
		return targets_find_group(targets, asked);
	if (asked->thread) {
		pid = targets_of_thread((pid_t)asked->thread);
		snprintf(number, sizeof(number), "%zu", asked->thread);
		if (!pid)
			return targets_complain(asked, "thread", number);
		targets_add(targets, pid);
	}
	for (size_t i = 0; i < asked->n_pids; i++) {
		if (!cpu_target_is_there((pid_t)asked->pids[i]))
			return targets_complain(asked, "process", asked->common.names[i]);
		targets_add(targets, (pid_t)asked->pids[i]);
	}
	return 0;
}

void cpu_targets_free(struct cpu_targets *targets)
{
	free(targets->list);
	free(targets->group);
}

bool cpu_targets_gone(const struct cpu_targets *targets)
{
	if (targets->group || !targets->n)
		return false;
	for (size_t i = 0; i < targets->n; i++)
		if (cpu_target_is_there(targets->list[i]))
			return false;
	return true;
}

struct target_threads {
	void (*each)(void *arg, pid_t tid);
	void *arg;
};

static int targets_thread(void *arg, const char *name, unsigned char type)
{
	const struct target_threads *threads = arg;
	uint64_t tid;

	(void)type;
	if (!num_u64(name, 1, INT32_MAX, &tid))
		threads->each(threads->arg, (pid_t)tid);
	return 0;
}

void cpu_target_threads(pid_t pid, void (*each)(void *arg, pid_t tid), void *arg)
{
	struct target_threads threads = {each, arg};
	char path[48];
	int dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = privileged_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	privileged_list(dir, targets_thread, &threads);
	close(dir);
}
