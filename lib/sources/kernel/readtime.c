/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does it take to read what every agent reads again and again?
 *
 * memory_stat_ns is one reading of memory.stat of the root cgroup: the kernel first adds up there
 * what all cgroups below have changed on all CPUs, and whoever reads or changes such numbers waits
 * for that meanwhile. The blob is a line: "memory_stat_ns NUMBER".
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"

#define BLOB "readtime"

/* Of cgroup v2, of both versions side by side, and of v1. */
static const char *const readtime_files[] = {
	"/sys/fs/cgroup/memory.stat",
	"/sys/fs/cgroup/unified/memory.stat",
	"/sys/fs/cgroup/memory/memory.stat",
};

struct readtime {
	int fd; /* negative: -errno, -ENOENT where there is none */
};

static int open_readtime(struct capture *fs, void **state)
{
	struct readtime *readtime = mem_zalloc(sizeof(*readtime));
	size_t i;

	*state = readtime;
	readtime->fd = -ENOENT;
	for (i = 0;
		i < ARRAY_SIZE(readtime_files) && capture_is_live(fs) && readtime->fd == -ENOENT;
		i++)
		readtime->fd = capture_open_part(fs, readtime_files[i]);
	return 0;
}

/* An empty blob: there is no such file. */
static int readtime_take(struct capture *fs, const struct readtime *readtime)
{
	char text[64], buf[8192];
	uint64_t began_ns = monotonic_ns();
	int len = 0;

	if (readtime->fd < 0 && readtime->fd != -ENOENT)
		return readtime->fd;
	if (readtime->fd >= 0) {
		if (pread(readtime->fd, buf, sizeof(buf), 0) < 0)
			return -errno;
		len = snprintf(text, sizeof(text), "memory_stat_ns %" PRIu64 "\n",
			monotonic_ns() - began_ns);
	}
	return capture_put_blob(fs, BLOB, text, (size_t)len);
}

static int read_readtime(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes text;
	int err = 0;

	if (capture_is_live(fs))
		err = readtime_take(fs, state);
	if (!err)
		err = capture_get_blob(fs, BLOB, &text);
	if (err)
		sink_missing(sink, "the time to read memory.stat: %s", strerror(-err));
	else if (!text.len)
		sink_absent(sink, "there is no memory.stat of all cgroups");
	else
		text_put_pairs(text, sink, "", "");
	return err;
}

static void close_readtime(void *state)
{
	struct readtime *readtime = state;

	if (readtime->fd >= 0)
		close(readtime->fd);
	free(readtime);
}

SOURCE(readtime) = {
	.name = "readtime",
	.what = "how long it takes to read memory.stat of the root cgroup",
	.open = open_readtime,
	.read = read_readtime,
	.close = close_readtime,
};
