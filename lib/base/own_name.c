/* SPDX-License-Identifier: GPL-2.0-only */
/* By which path is this program found again? */
#include "base/banned.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/own_name.h"
#include "base/shellquote.h"
#include "base/str.h"

#define NAME "tuesday"
/* Of sudo, as shipped, and of what sys/subprocess.h starts. */
#define OTHER_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

extern const struct program __start_tuesday_programs[] __attribute__((weak));
extern const struct program __stop_tuesday_programs[] __attribute__((weak));

static bool own_is_file(const struct stat *own, const char *path)
{
	struct stat found;

	return !stat(path, &found) && found.st_dev == own->st_dev && found.st_ino == own->st_ino;
}

/* Whether a shell that is given the name alone runs this file. */
static bool own_in_path(const struct stat *own, const char *name, const char *list)
{
	bool is_own = false, found = false;

	while (list && *list && !found) {
		size_t len = strcspn(list, ":");
		char *path = mem_printf("%.*s/%s", (int)len, list, name);
		struct stat file;

		found = len && !stat(path, &file) && S_ISREG(file.st_mode) && file.st_mode & 0111;
		is_own = found && own_is_file(own, path);
		free(path);
		list += len + (list[len] == ':');
	}
	return is_own;
}

static const char *own_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where it was started: beside that, or that itself if it is called like the suite's program, for
 * by a tool's name it would be that tool. NULL where it is neither. The caller frees. */
static char *own_started(const struct stat *own)
{
	const char *started = program_invocation_name, *name = own_last_part(started);
	char *path;

	if (name == started)
		return NULL;
	path = mem_printf("%.*s" NAME, (int)(name - started), started);
	if (own_is_file(own, path))
		return path;
	free(path);
	return str_starts(name, NAME) && own_is_file(own, started) ? mem_strdup(started) : NULL;
}

/* The whole path; NULL where the file is called otherwise. The caller frees. */
static char *own_whole(const struct stat *own)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[len > 0 ? len : 0] = 0;
	return str_starts(own_last_part(path), NAME) && own_is_file(own, path) ? mem_strdup(path)
									       : NULL;
}

static bool own_is_tool(const char *name)
{
	const struct program *at;
	size_t len = strlen(name), tail = strlen("health");

	for (at = __start_tuesday_programs; at < __stop_tuesday_programs; at++)
		if (!strcmp(at->name, name))
			return true;
	return len > tail && !strcmp(name + len - tail, "health");
}

/* keepalivediagnose: a program of its own, which lies beside ours. */
static bool own_add_sibling(struct str *out, const char *path, const char *name)
{
	char *beside = mem_printf("%.*s%s", (int)(own_last_part(path) - path), path, name);
	bool added = !access(beside, X_OK) && shellquote_add(out, beside);

	free(beside);
	return added;
}

static bool own_is_apart(const char *name)
{
	size_t len = strlen(name), tail = strlen("diagnose");

	return len > tail && !strcmp(name + len - tail, "diagnose");
}

/* Returns false, with nothing appended, where the name is to stay. */
static bool own_add_name(struct str *out, const char *name, bool elsewhere)
{
	const char *list = elsewhere ? OTHER_PATH : getenv("PATH");
	bool is_main = !strcmp(name, NAME), is_tool = own_is_tool(name), added = false;
	struct stat own;
	char *path;

	if (stat("/proc/self/exe", &own) || own_in_path(&own, name, list))
		return false;
	if (is_tool && own_in_path(&own, NAME, list)) {
		str_addf(out, NAME " %s", name);
		return true;
	}
	path = elsewhere ? NULL : own_started(&own);
	path = path ? path : own_whole(&own);
	if (path && (is_main || is_tool)) {
		added = shellquote_add(out, path);
		if (added && is_tool)
			str_addf(out, " %s", name);
	} else if (path && own_is_apart(name)) {
		added = own_add_sibling(out, path, name);
	}
	free(path);
	return added;
}

void own_command(struct str *out, const char *command, bool elsewhere)
{
	size_t len = strcspn(command, " ");
	char *name = mem_strndup(command, len);

	str_add(out, own_add_name(out, name, elsewhere) ? command + len : command);
	free(name);
}
