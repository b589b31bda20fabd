/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a file replaced so that no reader ever sees half of it? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/atomic_file.h"

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A device or a pipe: there is nothing to replace. Opened without waiting, so that a pipe that
 * nobody reads is an error and no hang. */
static int write_directly(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISREG(st.st_mode))
		err = -ELOOP; /* became a file meanwhile */
	else if (fcntl(fd, F_SETFL, 0) < 0)
		err = -errno;
	else
		err = write_all(fd, text, len);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int create_new(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0644);

	if (fd < 0 && errno == EEXIST) {
		/* Left by a process of the same number that was killed while it wrote. */
		unlink(path);
		fd = open(path, flags, 0644);
	}
	return fd < 0 ? -errno : fd;
}

/* Fills the new file. Each step can be the one that says that the disk is full. */
static int fill(int fd, const char *text, size_t len)
{
	int err = write_all(fd, text, len);

	if (!err && fchmod(fd, 0644))
		err = -errno;
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int replace(const char *path, const char *text, size_t len)
{
	char *temporary = mem_printf("%s.tmp.%ld", path, (long)getpid());
	int fd = create_new(temporary), err;

	if (fd < 0) {
		free(temporary);
		return fd;
	}
	err = fill(fd, text, len);
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	free(temporary);
	return err;
}

int write_file_atomically(const char *path, const char *text, size_t len)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : write_directly(path, text, len);
	if (!lstat(path, &st) && S_ISLNK(st.st_mode))
		return -ELOOP;
	return replace(path, text, len);
}
