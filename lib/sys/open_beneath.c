/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a path opened so that it cannot lead out of its directory? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/open_beneath.h"

struct name {
	char text[NAME_MAX + 1];
};

/* Takes the next component. Returns 1, 0 at the end of the path, or -errno. */
static int next_name(const char **path, struct name *name)
{
	size_t len;

	*path += strspn(*path, "/");
	len = strcspn(*path, "/");
	if (!len)
		return 0;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name->text, *path, len);
	name->text[len] = 0;
	*path += len;
	if (!strcmp(name->text, ".") || !strcmp(name->text, ".."))
		return -EINVAL;
	return 1;
}

static bool is_last(const char *path)
{
	return !path[strspn(path, "/")];
}

static int open_directory(int dir, const char *name)
{
	int fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_last(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/* The directory of that name, made if it is not there. */
static int beneath_enter(int dir, const char *name)
{
	struct stat st;
	int fd;

	if (mkdirat(dir, name, 0700) && errno != EEXIST)
		return -errno;
	fd = open_directory(dir, name);
	if (fd != -ENOTDIR || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return fd;
	if (!S_ISREG(st.st_mode) || st.st_size)
		return -ENOTDIR;
	if (unlinkat(dir, name, 0) || mkdirat(dir, name, 0700))
		return -errno;
	return open_directory(dir, name);
}

/* Goes down to the directory that holds the last component. Returns its descriptor or -errno. */
static int descend(int dir, const char *path, struct name *last, int (*step)(int, const char *))
{
	int at = dup(dir), next, err;

	if (at < 0)
		return -errno;
	for (;;) {
		err = next_name(&path, last);
		if (err <= 0) {
			close(at);
			return err ? err : -EINVAL;
		}
		if (is_last(path))
			return at;
		next = step(at, last->text);
		close(at);
		if (next < 0)
			return next;
		at = next;
	}
}

int beneath_open(int dir, const char *path, int flags)
{
	struct name last;
	int at = descend(dir, path, &last, open_directory), fd;

	if (at < 0)
		return at;
	fd = open_last(at, last.text, flags);
	close(at);
	return fd;
}

static int make_file(int dir, const char *path, int flags)
{
	struct name last;
	int at = descend(dir, path, &last, beneath_enter), fd;

	if (at < 0)
		return at;
	fd = open_last(at, last.text, flags);
	close(at);
	return fd;
}

int beneath_create(int dir, const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL;
	struct name last;
	int at = descend(dir, path, &last, beneath_enter), fd;

	if (at < 0)
		return at;
	fd = open_last(at, last.text, flags);
	/* What is there is replaced and not written to: it may have another name elsewhere. */
	if (fd == -EEXIST && !unlinkat(at, last.text, 0))
		fd = open_last(at, last.text, flags);
	close(at);
	return fd;
}

int beneath_make_empty(int dir, const char *path)
{
	int fd = make_file(dir, path, O_WRONLY | O_CREAT | O_EXCL);

	if (fd == -EEXIST)
		return 0;
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int beneath_make_directory(int dir, const char *path)
{
	struct name last;
	int at = descend(dir, path, &last, beneath_enter), fd;

	if (at < 0)
		return at;
	fd = beneath_enter(at, last.text);
	close(at);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}
