/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a file replaced so that no reader ever sees half of it? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/atomic_file.h"
#include "sys/read_write.h"

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

static int create_new(int dir, const char *name)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir, name, flags, 0600);

	if (fd < 0 && errno == EEXIST) {
		/* Left by one that was killed while it wrote: who else would use this name? */
		unlinkat(dir, name, 0);
		fd = openat(dir, name, flags, 0600);
	}
	return fd < 0 ? -errno : fd;
}

/* Fills the new file: what is not on the disk is not written. Each step can be the one that says
 * that the disk is full. */
static int atomic_file_fill(int fd, mode_t mode, const char *text, size_t len)
{
	int err = write_all(fd, text, len);

	if (!err && fchmod(fd, mode))
		err = -errno;
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int replace(
	int dir, const char *name, const char *temporary, mode_t mode, const char *text, size_t len)
{
	int fd = create_new(dir, temporary), err;

	if (fd < 0)
		return fd;
	err = atomic_file_fill(fd, mode, text, len);
	if (!err && renameat(dir, temporary, dir, name))
		err = -errno;
	if (err)
		unlinkat(dir, temporary, 0);
	return err;
}

int write_file_atomically(const char *path, const char *text, size_t len)
{
	struct stat st;
	char *temporary;
	int err;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : write_directly(path, text, len);
	if (!lstat(path, &st) && S_ISLNK(st.st_mode))
		return -ELOOP;
	temporary = mem_printf("%s.tmp.%ld", path, (long)getpid());
	err = replace(AT_FDCWD, path, temporary, 0644, text, len);
	free(temporary);
	return err;
}

int directory_write(int dir, const char *name, mode_t mode, const char *text, size_t len)
{
	char *temporary = mem_printf(".%s.new", name);
	int err = replace(dir, name, temporary, mode, text, len);

	if (!err && fsync(dir))
		err = -errno;
	free(temporary);
	return err;
}
