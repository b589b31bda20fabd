/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a file replaced so that no reader ever sees half of it? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "sys/atomic_file.h"
#include "sys/place.h"
#include "sys/read_write.h"

#define MEMORY_MAJOR 1 /* null, zero, full among others that are memory itself */
#define TERMINAL_MAJOR 5
#define PTY_MAJOR 136 /* and seven more */
#define PTY_MAJORS 8

/* A device to which a report can be written and does nothing else: to open another one can already
 * have an effect, as that of a watchdog has. admin-guide/devices.txt of the kernel. */
static bool is_harmless_device(dev_t device)
{
	unsigned int number = minor(device);

	if (major(device) == MEMORY_MAJOR)
		return number == 3 || number == 5 || number == 7;
	if (major(device) == TERMINAL_MAJOR)
		return number == 0;
	return major(device) >= PTY_MAJOR && major(device) < PTY_MAJOR + PTY_MAJORS;
}

/* A device or a pipe: there is nothing to replace. Opened without waiting, so that a pipe that
 * nobody reads is an error and no hang. Nobody else can put another thing in its place meanwhile.
 */
static int write_directly(int dir, const char *name, const char *text, size_t len)
{
	int fd = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	err = fcntl(fd, F_SETFL, 0) < 0 ? -errno : write_all(fd, text, len);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int atomic_file_refuse(struct str *why, const char *what, int err)
{
	str_add(why, what);
	return err;
}

/* Whether what is there already may be written to or replaced. *directly: it is no file. */
static int atomic_file_look(int dir, const char *name, bool *directly, struct str *why)
{
	struct stat st;

	*directly = false;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	*directly = !S_ISREG(st.st_mode);
	if (!*directly)
		return 0;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (S_ISLNK(st.st_mode))
		return atomic_file_refuse(
			why, "it is a symbolic link: name what it leads to", -ELOOP);
	if (S_ISCHR(st.st_mode) ? !is_harmless_device(st.st_rdev) : !S_ISFIFO(st.st_mode))
		return atomic_file_refuse(why,
			"it is a device or a socket: only a file, a pipe, a terminal or /dev/null "
			"is written to",
			-EPERM);
	if ((st.st_uid && st.st_uid != geteuid() && S_ISFIFO(st.st_mode)) ||
		!place_is_ours_alone(dir))
		return atomic_file_refuse(why,
			"it is no file, and another user may have put it there: name another "
			"path, or remove it",
			-EPERM);
	return 0;
}

/* The descriptor that a path of /dev means by its name, whatever that is, or -1. One of our own,
 * which would end with an exec, is none. */
static int atomic_file_standard(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t number = 0;
	size_t i;
	int flags;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (i = 0; i < ARRAY_SIZE(folders); i++)
		if (str_starts(path, folders[i]) &&
			!num_u64(path + strlen(folders[i]), 0, INT_MAX, &number))
			break;
	flags = i < ARRAY_SIZE(folders) ? fcntl((int)number, F_GETFD) : -1;
	return flags < 0 || (flags & FD_CLOEXEC) ? -1 : (int)number;
}

static int create_new(int dir, const char *name, mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir, name, flags, mode);

	if (fd < 0 && errno == EEXIST) {
		/* Left by one that was killed while it wrote: who else would use this name? */
		unlinkat(dir, name, 0);
		fd = openat(dir, name, flags, mode);
	}
	return fd < 0 ? -errno : fd;
}

/* Fills the new file: what is not on the disk is not written. Each step can be the one that says
 * that the disk is full. mode 0 leaves the one that it was made with. */
static int atomic_file_fill(int fd, mode_t mode, const char *text, size_t len)
{
	int err = write_all(fd, text, len);

	if (!err && mode && fchmod(fd, mode))
		err = -errno;
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* mode 0: what the umask leaves of 0644. */
static int replace(
	int dir, const char *name, const char *temporary, mode_t mode, const char *text, size_t len)
{
	int fd = create_new(dir, temporary, mode ? 0600 : 0644), err;

	if (fd < 0)
		return fd;
	err = atomic_file_fill(fd, mode, text, len);
	if (!err && renameat(dir, temporary, dir, name))
		err = -errno;
	if (err)
		unlinkat(dir, temporary, 0);
	return err;
}

char *atomic_file_temporary(const char *name, pid_t pid)
{
	return mem_printf("%s.tmp.%ld", name, (long)pid);
}

static int atomic_file_put(
	const char *path, enum file_readers readers, const char *text, size_t len, struct str *why)
{
	int standard = atomic_file_standard(path), dir, err;
	const char *name;
	char *temporary;
	bool directly;

	if (standard >= 0) {
		fflush(stdout);
		return write_all(standard, text, len);
	}
	dir = place_open_parent(path, &name, why);
	if (dir < 0)
		return dir;
	err = atomic_file_look(dir, name, &directly, why);
	temporary = atomic_file_temporary(name, getpid());
	if (!err && directly)
		err = write_directly(dir, name, text, len);
	else if (!err)
		err = replace(dir, name, temporary, readers == FILE_FOR_ALL ? 0644 : 0, text, len);
	free(temporary);
	close(dir);
	return err;
}

int write_file_atomically(
	const char *path, enum file_readers readers, const char *text, size_t len, struct str *why)
{
	int err = atomic_file_put(path, readers, text, len, why);

	if (err && !why->len)
		str_add(why, strerror(-err));
	return err;
}

int atomic_file_open_place(const char *path, const char **name, struct str *why)
{
	bool directly;
	int dir = place_open_parent(path, name, why), err;

	if (dir < 0)
		return dir;
	err = atomic_file_look(dir, *name, &directly, why);
	if (!err && directly)
		err = atomic_file_refuse(why, "it is no file, and cannot be replaced", -EINVAL);
	if (!err)
		return dir;
	if (!why->len)
		str_add(why, strerror(-err));
	close(dir);
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
