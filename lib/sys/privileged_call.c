/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the kernel answer who may ask? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sys/open_beneath.h"
#include "sys/privileged_call.h"

#define RIGHTS (CAPS_READ | CAPS_PTRACE)
#define ENTRIES_BYTES 32768

/* Whether processes of others are not even listed, as with hidepid=ptraceable. Process 1 is
 * somebody's; access(2) would ask with all that root is permitted. */
static bool privileged_proc_hides(void)
{
	static int hides = -1;
	struct stat st;

	if (hides < 0)
		hides = !stat("/proc/self", &st) && stat("/proc/1", &st);
	return hides;
}

/* After a call that failed: whether rights were raised, with which it may succeed. */
static bool privileged_again(void)
{
	int err = errno;

	if (err != EACCES && err != EPERM && (err != ENOENT || !privileged_proc_hides())) {
		errno = err;
		return false;
	}
	return caps_lend(RIGHTS);
}

static void privileged_end(void)
{
	int err = errno;

	caps_lower(RIGHTS);
	errno = err;
}

int privileged_openat(int at, const char *path, int flags)
{
	int fd = openat(at, path, flags);

	if (fd < 0 && privileged_again()) {
		fd = openat(at, path, flags);
		privileged_end();
	}
	return fd;
}

int privileged_beneath_open(int dir, const char *path, int flags)
{
	int fd = beneath_open(dir, path, flags);

	errno = fd < 0 ? -fd : errno;
	if (fd < 0 && privileged_again()) {
		fd = beneath_open(dir, path, flags);
		privileged_end();
	}
	return fd;
}

ssize_t privileged_pread(int fd, void *buf, size_t size, off_t at)
{
	ssize_t n = pread(fd, buf, size, at);

	if (n < 0 && privileged_again()) {
		n = pread(fd, buf, size, at);
		privileged_end();
	}
	return n;
}

ssize_t privileged_readlinkat(int at, const char *path, char *buf, size_t size)
{
	ssize_t n = readlinkat(at, path, buf, size);

	if (n < 0 && privileged_again()) {
		n = readlinkat(at, path, buf, size);
		privileged_end();
	}
	return n;
}

int privileged_fstatat(int at, const char *path, struct stat *st, int flags)
{
	int result = fstatat(at, path, st, flags);

	if (result && privileged_again()) {
		result = fstatat(at, path, st, flags);
		privileged_end();
	}
	return result;
}

void privileged_readlinks(int dir, struct privileged_link *links, size_t n)
{
	bool raised = false;
	size_t i;

	for (i = 0; i < n; i++) {
		struct privileged_link *link = &links[i];
		const size_t size = sizeof(link->target) - 1;
		ssize_t len = readlinkat(dir, link->name, link->target, size);

		if (len < 0 && !raised) {
			raised = privileged_again();
			if (raised)
				len = readlinkat(dir, link->name, link->target, size);
		}
		link->error = len < 0 ? errno : 0;
		link->target[len > 0 ? len : 0] = 0;
	}
	if (raised)
		privileged_end();
}

/* Of a process that is hidden the kernel gives no entry, and no error. */
static ssize_t privileged_entries(int dir, char *buf)
{
	bool raised = privileged_proc_hides() && caps_lend(RIGHTS);
	ssize_t n = getdents64(dir, buf, ENTRIES_BYTES);

	if (n < 0 && !raised) {
		raised = privileged_again();
		if (raised)
			n = getdents64(dir, buf, ENTRIES_BYTES);
	}
	if (raised)
		privileged_end();
	return n;
}

int privileged_list(
	int dir, int (*found)(void *arg, const char *name, unsigned char type), void *arg)
{
	_Alignas(struct dirent64) char buf[ENTRIES_BYTES];
	const struct dirent64 *entry;
	ssize_t n, at;
	int stop = 0;

	while (!stop && (n = privileged_entries(dir, buf)) != 0) {
		if (n < 0)
			return -errno;
		for (at = 0; at < n && !stop; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(buf + at);
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				stop = found(arg, entry->d_name, entry->d_type);
		}
	}
	return 0;
}
