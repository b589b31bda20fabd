/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes have that number, name, unit, cgroup or user? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/num.h"
#include "base/str.h"
#include "sys/privileged_call.h"
#include "tools/wait/options.h"
#include "tools/wait/whom.h"

#define TEXT_BYTES 16384

static void whom_add(struct wait_targets *targets, pid_t pid)
{
	if (!number_map_add(&targets->known, (uint64_t)pid, targets->n))
		return;
	ARRAY_GROW(targets->pids, targets->n, targets->room);
	targets->pids[targets->n++] = pid;
}

/* A file of a process, with a 0 behind. Returns its bytes, or 0. */
static size_t whom_read(pid_t pid, const char *file, char *text)
{
	char path[64];
	ssize_t got = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = privileged_pread(fd, text, TEXT_BYTES - 1, 0);
		close(fd);
	}
	text[got > 0 ? got : 0] = 0;
	return got > 0 ? (size_t)got : 0;
}

static bool whom_is_unit(const char *name)
{
	static const char *const kinds[] = {".service", ".scope", ".slice"};
	const size_t len = strlen(name);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (len > strlen(kinds[i]) && !strcmp(name + len - strlen(kinds[i]), kinds[i]))
			return true;
	return false;
}

bool wait_targets_group_is(const char *path, const char *asked)
{
	const size_t len = strlen(asked);
	const char *at = path;

	if (*asked == '/') {
		if (!strncmp(asked, "/sys/fs/cgroup/", 15)) {
			/* Below its mount stands, in version 1, the name of the hierarchy first. */
			const char *rest = asked + 14, *next = strchr(rest + 1, '/');

			return wait_targets_group_is(path, rest) ||
				(next && next[1] && wait_targets_group_is(path, next));
		}
		return !strcmp(asked, "/") ||
			(!strncmp(path, asked, len) && (!path[len] || path[len] == '/'));
	}
	while ((at = strchr(at, '/'))) {
		at++;
		if (!strncmp(at, asked, len) && (!at[len] || at[len] == '/'))
			return true;
	}
	return false;
}

/* Lines of "ID:CONTROLLERS:PATH". */
static bool whom_in_group(char *text, const char *asked)
{
	char *line, *rest = NULL;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *path = strchr(line, ':');

		path = path ? strchr(path + 1, ':') : NULL;
		if (path && wait_targets_group_is(path + 1, asked))
			return true;
	}
	return false;
}

static bool whom_has_user(pid_t pid, uint64_t user)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !privileged_fstatat(AT_FDCWD, path, &st, 0) && st.st_uid == user;
}

/* The kernel keeps the first 15 bytes of a name. */
static bool whom_comm_is(const char *comm, const char *name)
{
	return *comm && !strncmp(comm, name, 15) && strlen(comm) == strnlen(name, 15);
}

static bool whom_is_named(pid_t pid, const char *name, char *text)
{
	const size_t len = whom_read(pid, "comm", text);
	const char *slash;

	if (len && text[len - 1] == '\n')
		text[len - 1] = 0;
	if (whom_comm_is(text, name))
		return true;
	/* A script's comm is its own, and its program's another one. */
	if (!whom_read(pid, "cmdline", text))
		return false;
	slash = strrchr(text, '/');
	return !strcmp(slash ? slash + 1 : text, name);
}

/* A thread of the kernel has no memory of its own, and no command line. */
static bool whom_is_kernel(pid_t pid, char *text)
{
	const char *behind;

	if (!whom_read(pid, "stat", text))
		return true;
	behind = strrchr(text, ')');
	/* The ninth field has the flags. */
	if (behind) {
		unsigned int flags = 0;

		if (sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1)
			return flags & 0x00200000; /* PF_KTHREAD */
	}
	return false;
}

static bool whom_is_wanted(const struct wait_targets *targets, pid_t pid, char *text)
{
	switch (targets->by) {
	case WAIT_BY_GROUP:
		return whom_read(pid, "cgroup", text) && whom_in_group(text, targets->asked);
	case WAIT_BY_NAME:
		return whom_is_named(pid, targets->asked, text);
	case WAIT_BY_USER:
		return whom_has_user(pid, targets->number);
	case WAIT_BY_PID:
		return (uint64_t)pid == targets->number;
	default:
		return true;
	}
}

static int whom_walk(void *arg, const char *name, unsigned char type)
{
	struct wait_targets *targets = arg;
	char text[TEXT_BYTES];
	uint64_t pid;
	size_t at;

	(void)type;
	if (num_u64(name, 1, INT32_MAX, &pid) || (pid_t)pid == getpid() ||
		number_map_get(&targets->known, pid, &at))
		return 0;
	if (whom_is_wanted(targets, (pid_t)pid, text) && !whom_is_kernel((pid_t)pid, text))
		whom_add(targets, (pid_t)pid);
	return 0;
}

static int whom_list(struct wait_targets *targets)
{
	const int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (dir < 0)
		return -errno;
	err = privileged_list(dir, whom_walk, targets);
	close(dir);
	return err;
}

static int whom_none(const struct wait_options *asked, const char *what, const char *name)
{
	char *shown = escape_word(name);

	fprintf(stderr, "%s: no process %s %s\n", asked->program, what, shown);
	free(shown);
	return -ESRCH;
}

/* By the file alone: other directories of users are asked by what a static program has not. */
static bool whom_user_number(const char *name, uint64_t *number)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *user = NULL;

	while (file && (user = fgetpwent(file)))
		if (!strcmp(user->pw_name, name)) {
			*number = user->pw_uid;
			break;
		}
	if (file)
		fclose(file);
	return user;
}

static int whom_user(struct wait_targets *targets, const struct wait_options *asked)
{
	targets->by = WAIT_BY_USER;
	if (!whom_user_number(asked->user, &targets->number) &&
		num_u64(asked->user, 0, UINT32_MAX, &targets->number))
		return whom_none(asked, "is of a user", asked->user);
	whom_list(targets);
	return targets->n ? 0 : whom_none(asked, "is of user", asked->user);
}

int wait_targets_find(struct wait_targets *targets, const struct wait_options *asked)
{
	char text[TEXT_BYTES];

	*targets = (struct wait_targets){.asked = asked->target};
	if (asked->user)
		return whom_user(targets, asked);
	if (!asked->target)
		return whom_list(targets);
	if (!num_u64(asked->target, 1, INT32_MAX, &targets->number)) {
		targets->by = WAIT_BY_PID;
		if (!whom_read((pid_t)targets->number, "stat", text))
			return whom_none(asked, "has the number", asked->target);
		whom_add(targets, (pid_t)targets->number);
		return 0;
	}
	targets->by =
		*asked->target == '/' || whom_is_unit(asked->target) ? WAIT_BY_GROUP : WAIT_BY_NAME;
	whom_list(targets);
	if (targets->n)
		return 0;
	return whom_none(
		asked, targets->by == WAIT_BY_GROUP ? "is in" : "is called", asked->target);
}

bool wait_targets_may_grow(const struct wait_targets *targets)
{
	return targets->by >= WAIT_BY_NAME;
}

void wait_targets_again(struct wait_targets *targets)
{
	whom_list(targets);
}

bool wait_targets_has(const struct wait_targets *targets, pid_t pid, const char *comm)
{
	char text[TEXT_BYTES];
	size_t at;

	if (targets->by == WAIT_BY_ALL || number_map_get(&targets->known, (uint64_t)pid, &at))
		return true;
	if (whom_read(pid, "stat", text))
		return whom_is_wanted(targets, pid, text);
	return targets->by != WAIT_BY_NAME || whom_comm_is(comm, targets->asked);
}

void wait_targets_free(struct wait_targets *targets)
{
	free(targets->pids);
	number_map_free(&targets->known);
	*targets = (struct wait_targets){0};
}
