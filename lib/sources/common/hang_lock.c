/* SPDX-License-Identifier: GPL-2.0-only */
/* Who hangs in what was asked by an earlier run? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/str.h"
#include "sources/common/hang_lock.h"
#include "sys/statedir.h"

#define BEFORE_START 20 /* words of /proc/PID/stat between the name and the time of the start */

int hang_lock_open(const char *name)
{
	char *path = rundir_itself();
	int dir = directory_open(path, 0755, true), fd = dir;

	free(path);
	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	fd = fd < 0 ? -errno : fd;
	close(dir);
	return fd;
}

/* A lock of the process: it goes with it, and the kernel says whose it is. */
static struct flock hang_lock_of(uint64_t number, short type)
{
	return (struct flock){.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(number & INT64_MAX),
		.l_len = 1};
}

void hang_lock_take(int fd, uint64_t number)
{
	struct flock lock = hang_lock_of(number, F_WRLCK);

	fcntl(fd, F_SETLK, &lock);
}

void hang_lock_free(int fd, uint64_t number)
{
	struct flock lock = hang_lock_of(number, F_UNLCK);

	fcntl(fd, F_SETLK, &lock);
}

/* The time of its start, in ticks since boot: behind the name, which may hold anything. */
static bool hang_lock_start_of(const char *stat, uint64_t *ticks)
{
	const char *at = strrchr(stat, ')');
	int i;

	for (i = 0; at && i < BEFORE_START; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	at++;
	return !num_next(&at, stat + strlen(stat), ticks);
}

static double hang_lock_age_of(pid_t pid)
{
	char *path = mem_printf("/proc/%d/stat", (int)pid), text[1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	uint64_t ticks;

	free(path);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	if (!hang_lock_start_of(text, &ticks))
		return 0;
	return (double)boottime_ns() / 1e9 - (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

double hang_lock_held(int fd, uint64_t number)
{
	struct flock lock = hang_lock_of(number, F_WRLCK);

	if (fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK || lock.l_pid <= 0)
		return 0;
	return hang_lock_age_of(lock.l_pid);
}
