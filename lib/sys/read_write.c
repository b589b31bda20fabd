/* SPDX-License-Identifier: GPL-2.0-only */
/* How does all of it get through? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/read_write.h"

int read_all(int fd, size_t max, struct str *out)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (out->len + (size_t)n > max)
			return -EFBIG;
		str_addn(out, buf, (size_t)n);
	}
	return 0;
}

int write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}
