/* SPDX-License-Identifier: GPL-2.0-only */
/* Where is what the runs of one machine have to know of each other, and who holds the lock? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/caller_env.h"
#include "sys/place.h"
#include "sys/statedir.h"

static char *below(const char *variable, const char *usual, const char *name)
{
	const char *dir = caller_env(variable);

	return mem_printf("%s%s%s", dir && *dir == '/' ? dir : usual, *name ? "/" : "", name);
}

char *rundir_path(const char *name)
{
	return below("TUESDAY_RUN_DIR", "/run/tuesday", name);
}

char *statedir_path(const char *name)
{
	return below("TUESDAY_STATE_DIR", "/var/lib/tuesday", name);
}

char *rundir_itself(void)
{
	return below("TUESDAY_RUN_DIR", "/run/tuesday", "");
}

char *statedir_itself(const char *given)
{
	const char *home = secure_getenv("HOME"), *state = secure_getenv("XDG_STATE_HOME");

	if (given)
		return mem_strdup(given);
	if (!geteuid() || caller_env("TUESDAY_STATE_DIR"))
		return below("TUESDAY_STATE_DIR", "/var/lib/tuesday", "");
	if (state && *state == '/')
		return mem_printf("%s/tuesday", state);
	if (home && *home == '/')
		return mem_printf("%s/.local/state/tuesday", home);
	return below("TUESDAY_STATE_DIR", "/var/lib/tuesday", "");
}

int directory_open(const char *path, mode_t mode, bool make)
{
	const struct place how = {.use = PLACE_FOR_STATE,
		.make = make ? PLACE_MAKE_ALL : PLACE_MAKE_NONE,
		.mode = mode,
		.last_is_no_link = true};
	struct str why = STR_INIT;
	int found = place_open(path, &how, &why), fd, err = 0;
	struct stat st;

	str_free(&why);
	if (found < 0)
		return found;
	fd = openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		err = -errno;
	else if ((st.st_uid && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		err = -EPERM;
	close(found);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

static int lock_open(int flags)
{
	char *path = rundir_path("experiment.lock"), *dir = rundir_path(".");
	int fd, err = 0;

	*strrchr(dir, '/') = 0;
	if (flags & O_CREAT) {
		fd = directory_open(dir, 0755, true);
		err = fd < 0 ? fd : 0;
		if (fd >= 0)
			close(fd);
	}
	if (!err) {
		fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
		err = fd < 0 ? -errno : fd;
	}
	free(dir);
	free(path);
	return err;
}

int experiment_lock(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = lock_open(O_RDWR | O_CREAT), err;

	if (fd < 0)
		return fd;
	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return fd;
	err = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	close(fd);
	return err;
}

bool experiment_locked(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = lock_open(O_RDONLY);
	bool locked;

	if (fd < 0)
		return false;
	locked = !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
	close(fd);
	return locked;
}
