/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a BPF iterator write? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "sys/caps.h"
#include "loader/iterator.h"
#include "base/str.h"

#define READ_SIZE 65536

static int iter_read_all(int fd, size_t max, struct str *out)
{
	char *buf = mem_alloc(READ_SIZE);
	int err = -E2BIG;

	while (max) {
		ssize_t n = read(fd, buf, max < READ_SIZE ? max : READ_SIZE);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0) {
			err = n ? -errno : 0;
			break;
		}
		str_addn(out, buf, (size_t)n);
		max -= (size_t)n;
	}
	free(buf);
	return err;
}

static int iter_create(int link)
{
	int fd;

	caps_raise(CAPS_BPF);
	fd = bpf_iter_create(link);
	if (fd < 0)
		fd = -errno;
	caps_lower(CAPS_BPF);
	return fd;
}

int iter_read(int link, size_t max, struct str *out)
{
	int fd = iter_create(link), err;

	if (fd < 0)
		return fd;
	err = iter_read_all(fd, max, out);
	close(fd);
	return err;
}

/* What is left at the end of a piece is the beginning of a record. */
static int iter_take_all(
	int fd, size_t size, size_t max, void (*take)(void *arg, const char *record), void *arg)
{
	char *buf = mem_alloc(READ_SIZE);
	size_t len = 0, at, n_taken = 0;
	int err = 0;

	for (;;) {
		ssize_t n = read(fd, buf + len, READ_SIZE - len);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0) {
			err = n ? -errno : 0;
			break;
		}
		len += (size_t)n;
		for (at = 0; len - at >= size && n_taken < max; at += size, n_taken++)
			take(arg, buf + at);
		if (n_taken == max) {
			err = -E2BIG;
			break;
		}
		memmove(buf, buf + at, len - at);
		len -= at;
	}
	free(buf);
	return err;
}

int iter_each(
	int link, size_t size, size_t max, void (*take)(void *arg, const char *record), void *arg)
{
	int fd = iter_create(link), err;

	if (fd < 0)
		return fd;
	err = iter_take_all(fd, size, max, take, arg);
	close(fd);
	return err;
}
