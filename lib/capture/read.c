/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a file of the kernel read to its end? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/internal.h"
#include "sys/privileged_call.h"

bool path_is_sound(const char *path)
{
	const char *at;

	if (*path != '/' && *path != '@')
		return false;
	for (at = path; (at = strstr(at, "/.")); at++) {
		size_t dots = 1 + (at[2] == '.');

		if (!at[1 + dots] || at[1 + dots] == '/')
			return false;
	}
	return true;
}

const char *path_below_root(const char *path)
{
	path += strspn(path, "/");
	return *path ? path : ".";
}

static void grow_buffer(struct capture *fs, size_t size)
{
	if (size <= fs->buf_size)
		return;
	fs->buf = mem_realloc_array(fs->buf, size, 1);
	fs->buf_size = size;
}

int capture_read_fd(struct capture *fs, int fd, struct manner manner, size_t *len)
{
	size_t ask = manner.ask;

	*len = 0;
	for (;;) {
		ssize_t n;

		if (*len > FILE_MAX)
			return -EFBIG;
		if (*len + ask + 1 > fs->buf_size)
			grow_buffer(fs, *len ? *len * 2 + ask + 1 : ask + 1);
		n = privileged_pread(fd, fs->buf + *len, ask, (off_t)*len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*len += (size_t)n;
		if (!n || (size_t)n < manner.last) {
			fs->buf[*len] = 0;
			return 0;
		}
	}
}
