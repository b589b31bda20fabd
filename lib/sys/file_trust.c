/* SPDX-License-Identifier: GPL-2.0-only */
/* Who could change this file, or what its path leads to? */
#include "base/banned.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/file_trust.h"

#define LINKS_MAX 40

/* One component of a path; that a link itself can be written to by all means nothing. */
static int check_one(const char *path, struct str *why)
{
	struct stat st;

	if (lstat(path, &st)) {
		int err = -errno;

		str_addf(why, "%s: %s", path, strerror(-err));
		return err;
	}
	if (st.st_uid && st.st_uid != getuid()) {
		str_addf(why, "%s belongs to user %u, neither root nor you", path, st.st_uid);
		return -EPERM;
	}
	if (S_ISLNK(st.st_mode) || !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	if (S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX))
		return 0;
	str_addf(why, "%s can be written to by others: chmod go-w", path);
	return -EPERM;
}

/* Every prefix of an absolute path that ends before a slash, and the whole. */
static int check_all(const char *path, struct str *why)
{
	size_t len;
	int err = check_one("/", why);

	for (len = 1; !err && path[len - 1]; len++) {
		char *prefix;

		if ((path[len] && path[len] != '/') || path[len - 1] == '/')
			continue;
		prefix = mem_strndup(path, len);
		err = check_one(prefix, why);
		free(prefix);
	}
	return err;
}

/* The path with its first symbolic link replaced by what that says, or NULL where there is none. */
static char *follow_one(const char *path)
{
	char target[PATH_MAX];
	size_t len;

	for (len = 1; path[len - 1]; len++) {
		char *prefix, *next;
		ssize_t n;

		if (path[len] && path[len] != '/')
			continue;
		prefix = mem_strndup(path, len);
		n = readlink(prefix, target, sizeof(target) - 1);
		if (n < 0) {
			free(prefix);
			continue;
		}
		target[n] = 0;
		*strrchr(prefix, '/') = 0;
		next = mem_printf("%s%s%s%s", *target == '/' ? "" : prefix,
			*target == '/' ? "" : "/", target, path + len);
		free(prefix);
		return next;
	}
	return NULL;
}

int trusted_file(const char *path, struct str *why)
{
	char here[PATH_MAX], *now;
	int err = 0, links;

	if (*path != '/' && !getcwd(here, sizeof(here))) {
		err = -errno;
		str_addf(why, "%s: %s", path, strerror(-err));
		return err;
	}
	now = *path == '/' ? mem_strdup(path) : mem_printf("%s/%s", here, path);
	for (links = 0; !err; links++) {
		char *next = NULL;

		err = links < LINKS_MAX ? check_all(now, why) : -ELOOP;
		if (!err)
			next = follow_one(now);
		if (!next)
			break;
		free(now);
		now = next;
	}
	free(now);
	return err;
}

int trusted_open(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return -errno;
	if (!S_ISREG(st->st_mode) || (st->st_uid && st->st_uid != geteuid()) ||
		(st->st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	return 0;
}
