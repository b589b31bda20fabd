/* SPDX-License-Identifier: GPL-2.0-only */
/* How are the format files of tracepoints read where nobody has mounted tracefs? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/read_write.h"
#include "trace/tracefs.h"

/* The largest of 6.18 has 21 KB; what is longer is no format file. */
#define FORMAT_MAX (1u << 20)

/* A mount that is attached nowhere: it goes away with its descriptor. */
static int open_unseen(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), mount;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0)) {
		mount = -errno;
	} else {
		mount = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
		if (mount < 0)
			mount = -errno;
	}
	close(fs);
	return mount;
}

/* The directory may be there with nothing mounted on it. */
static int open_mounted(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (dir < 0)
		return -errno;
	if (!faccessat(dir, "events", F_OK, AT_EACCESS))
		return dir;
	err = -errno;
	close(dir);
	return err;
}

int tracefs_open(void)
{
	int unseen = open_unseen(), dir;

	if (unseen >= 0)
		return unseen;
	dir = open_mounted("/sys/kernel/tracing");
	if (dir < 0)
		dir = open_mounted("/sys/kernel/debug/tracing");
	return dir < 0 ? unseen : dir;
}

int tracefs_format(int dir, const char *event, struct str *text)
{
	const char *colon = strchr(event, ':');
	char *path;
	int fd, err;

	if (!colon || strchr(event, '/') || event[0] == '.' || colon[1] == '.')
		return -EINVAL;
	path = mem_printf("events/%.*s/%s/format", (int)(colon - event), event, colon + 1);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : read_all(fd, FORMAT_MAX, text);
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}
