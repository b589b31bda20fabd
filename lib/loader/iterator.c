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

int iter_read(int link, size_t max, struct str *out)
{
	int fd, err;

	caps_raise(CAPS_BPF);
	fd = bpf_iter_create(link);
	err = fd < 0 ? -errno : 0;
	caps_lower(CAPS_BPF);
	if (err)
		return err;
	err = iter_read_all(fd, max, out);
	close(fd);
	return err;
}
