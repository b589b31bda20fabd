/* SPDX-License-Identifier: GPL-2.0-only */
/* Where is what one run has to leave for the next, and may it be believed? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/atomic_file.h"
#include "sys/read_write.h"
#include "sys/statedir.h"
#include "sys/statefile.h"
#include "base/str.h"
#include "sys/file_trust.h"

/* Another user's file would choose what we say; one that others may write to, too. */
static int statefile_read_trusted(int dir, const char *name, struct str *out)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), err;
	struct stat st;

	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	err = trusted_open(fd, &st);
	if (!err && st.st_size > STATEFILE_MAX_BYTES)
		err = -EINVAL;
	if (!err)
		err = read_all(fd, STATEFILE_MAX_BYTES, out);
	close(fd);
	return err;
}

static int read_from(struct str *out, const char *path, const char *name)
{
	int dir = directory_open(path, 0755, false), err;

	if (dir < 0)
		return dir == -ENOTDIR || dir == -ELOOP ? -EPERM : dir;
	err = statefile_read_trusted(dir, name, out);
	close(dir);
	return err;
}

int statefile_read(const char *given, const char *name, struct str *out)
{
	char *run = rundir_itself(), *state = statedir_itself(given);
	int err = -ENOENT;

	/* It is there only where the state directory could not take it, and then it is newer. */
	if (!given)
		err = read_from(out, run, name);
	if (err)
		err = read_from(out, state, name);
	free(run);
	free(state);
	return err;
}

/* Two that write at once would write into one temporary file. Without room for a lock there is
 * none for a file either, and that is said then. */
static int statefile_wait_for_turn(int dir)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = openat(dir, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	while (fd >= 0 && fcntl(fd, F_OFD_SETLKW, &lock) && errno == EINTR)
		;
	return fd;
}

static int statefile_write_to(const char *path, const char *name, const struct str *text)
{
	int dir = directory_open(path, 0755, true), turn, err;

	if (dir < 0)
		return dir;
	turn = statefile_wait_for_turn(dir);
	err = directory_write(dir, name, 0600, str_text(text), text->len);
	if (turn >= 0)
		close(turn);
	close(dir);
	return err;
}

static void remove_from(const char *path, const char *name)
{
	int dir = directory_open(path, 0755, false);

	if (dir < 0)
		return;
	unlinkat(dir, name, 0);
	close(dir);
}

int statefile_write(const char *given, const char *name, const struct str *text)
{
	char *run = rundir_itself(), *state = statedir_itself(given);
	int err = statefile_write_to(state, name, text);

	if (!given && !err)
		remove_from(run, name);
	else if (!given && !statefile_write_to(run, name, text))
		err = 0;
	free(run);
	free(state);
	return err;
}

/* Not a lock of the open file: that would be the children's too, and one of them that is stuck in
 * the kernel, where nobody can end it, would hold it until it is let go. */
static int lock_in(const char *path, const char *name, bool wait)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int dir = directory_open(path, 0755, true), fd, err;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = fd < 0 ? -errno : 0;
	close(dir);
	if (err)
		return err;
	do {
		err = fcntl(fd, wait ? F_SETLKW : F_SETLK, &lock);
	} while (err && wait && errno == EINTR);
	if (!err)
		return fd;
	err = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	close(fd);
	return err;
}

int statefile_lock(const char *given, const char *name, bool wait)
{
	char *run = rundir_itself(), *state = statedir_itself(given);
	int fd = -ENOENT;

	/* What is not on a disk can be locked when the disk is full. */
	if (!given && !geteuid())
		fd = lock_in(run, name, wait);
	if (fd < 0 && fd != -EBUSY)
		fd = lock_in(state, name, wait);
	free(run);
	free(state);
	return fd;
}
