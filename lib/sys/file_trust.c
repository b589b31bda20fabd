/* SPDX-License-Identifier: GPL-2.0-only */
/* Who could change this file, or what its path leads to? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/file_trust.h"
#include "sys/privileged_call.h"

#define LINKS_MAX 40

static int trust_refuse_owner(const char *path, uid_t owner, struct str *why)
{
	str_addf(why, "%s belongs to user %u, ", path, owner);
	str_add(why,
		getuid() ? "neither root nor you"
			 : "not to root: 'chown root' it, or put the file where all of the "
			   "path belongs to root");
	return -EPERM;
}

static int trust_refuse_mode(const char *path, struct str *why)
{
	str_addf(why, "%s is writable by others than its owner: 'chmod go-w' it", path);
	return -EPERM;
}

/* One component of a path. What is written to a link or a device is not what is read from it. */
static int check_one(const char *path, struct str *why)
{
	struct stat st;

	if (privileged_fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW)) {
		int err = -errno;

		str_addf(why, "%s: %s", path, strerror(-err));
		return err;
	}
	if (st.st_uid && st.st_uid != getuid())
		return trust_refuse_owner(path, st.st_uid, why);
	if ((!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	if (S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX))
		return 0;
	return trust_refuse_mode(path, why);
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
		n = privileged_readlinkat(AT_FDCWD, prefix, target, sizeof(target) - 1);
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

		if (links == LINKS_MAX) {
			err = -ELOOP;
			str_addf(why, "%s: %s", path, strerror(-err));
			break;
		}
		err = check_all(now, why);
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

bool obeyed_file(const char *path, struct str *why)
{
	struct str said = STR_INIT;
	int err = geteuid() ? 0 : trusted_file(path, &said);
	bool obeyed = !err || err == -ENOENT;

	if (!obeyed)
		str_add(why, str_text(&said));
	str_free(&said);
	return obeyed;
}

bool obeyed_directory(const char *path, struct str *why)
{
	struct stat st;

	if (!obeyed_file(path, why))
		return false;
	/* The sticky bit keeps what is there, and lets everybody add to it. */
	if (geteuid() || privileged_fstatat(AT_FDCWD, path, &st, 0) ||
		!(st.st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	trust_refuse_mode(path, why);
	return false;
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
