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

enum whom_by { WHOM_ALL, WHOM_PID, WHOM_NAME, WHOM_GROUP, WHOM_USER };

struct whom_walk {
	struct wait_targets *to;
	enum whom_by by;
	const char *asked;
	uint64_t number; /* pid or user */
};

static void whom_add(struct wait_targets *targets, pid_t pid)
{
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

static bool whom_is_named(pid_t pid, const char *name, char *text)
{
	size_t len = whom_read(pid, "comm", text);
	const char *slash;

	if (len && text[len - 1] == '\n')
		text[--len] = 0;
	if (len && !strncmp(text, name, 15) &&
		(strlen(name) <= 15 ? strlen(name) == len : len == 15))
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

static int whom_walk(void *arg, const char *name, unsigned char type)
{
	const struct whom_walk *walk = arg;
	char text[TEXT_BYTES];
	uint64_t pid;
	bool wanted = true;

	(void)type;
	if (num_u64(name, 1, INT32_MAX, &pid) || (pid_t)pid == getpid())
		return 0;
	if (walk->by == WHOM_GROUP)
		wanted = whom_read((pid_t)pid, "cgroup", text) && whom_in_group(text, walk->asked);
	else if (walk->by == WHOM_NAME)
		wanted = whom_is_named((pid_t)pid, walk->asked, text);
	else if (walk->by == WHOM_USER)
		wanted = whom_has_user((pid_t)pid, walk->number);
	if (wanted && !whom_is_kernel((pid_t)pid, text))
		whom_add(walk->to, (pid_t)pid);
	return 0;
}

static int whom_list(struct whom_walk *walk)
{
	const int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (dir < 0)
		return -errno;
	err = privileged_list(dir, whom_walk, walk);
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

static int whom_user(struct whom_walk *walk, const struct wait_options *asked)
{
	walk->by = WHOM_USER;
	if (!whom_user_number(asked->user, &walk->number) &&
		num_u64(asked->user, 0, UINT32_MAX, &walk->number))
		return whom_none(asked, "is of a user", asked->user);
	whom_list(walk);
	return walk->to->n ? 0 : whom_none(asked, "is of user", asked->user);
}

int wait_targets_find(struct wait_targets *targets, const struct wait_options *asked)
{
	struct whom_walk walk = {.to = targets, .asked = asked->target};
	char text[TEXT_BYTES];

	*targets = (struct wait_targets){0};
	if (asked->user)
		return whom_user(&walk, asked);
	if (!asked->target)
		return whom_list(&walk);
	if (!num_u64(asked->target, 1, INT32_MAX, &walk.number)) {
		if (!whom_read((pid_t)walk.number, "stat", text))
			return whom_none(asked, "has the number", asked->target);
		whom_add(targets, (pid_t)walk.number);
		return 0;
	}
	walk.by = *asked->target == '/' || whom_is_unit(asked->target) ? WHOM_GROUP : WHOM_NAME;
	whom_list(&walk);
	if (targets->n)
		return 0;
	return whom_none(asked, walk.by == WHOM_GROUP ? "is in" : "is called", asked->target);
}

void wait_targets_free(struct wait_targets *targets)
{
	free(targets->pids);
	*targets = (struct wait_targets){0};
}
