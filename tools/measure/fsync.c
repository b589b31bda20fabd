/* SPDX-License-Identifier: GPL-2.0-only */
/* How long does a program wait until what it wrote is safe? In a file without a name, so that
 * nothing is left behind. */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/measure/internal.h"

#define BLOCK 4096
/* The file stays this small, and its blocks are written again and again, as those of a log are. */
#define FILE_BLOCKS 256

struct writer_state {
	int fd;
	unsigned int next;
	char block[BLOCK];
};

/* For file systems without unnamed files: one with a name, for as long as it takes to unlink it. */
static int open_named(int dir)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), ".tuesday-measure.%d", getpid());
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (unlinkat(dir, name, 0)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static int open_unnamed(int dir)
{
	int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)
		return open_named(dir);
	return -errno;
}

static int fsync_bench_open_file(struct probe *probe)
{
	int dir = open(probe->arg, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;

	if (dir < 0)
		return probe_fail(probe, -errno, "%s", strerror(errno));
	if (measure_in_memory(dir)) {
		close(dir);
		return probe_fail(probe, -EINVAL,
			"is on a tmpfs, where fsync does nothing: name a directory on the disk");
	}
	fd = open_unnamed(dir);
	close(dir);
	if (fd < 0)
		return probe_fail(probe, fd, "%s", strerror(-fd));
	return fd;
}

static int fsync_bench_begin(struct probe *probe, void **state)
{
	struct writer_state *writer;
	int fd = fsync_bench_open_file(probe);

	if (fd < 0)
		return fd;
	writer = mem_zalloc(sizeof(*writer));
	writer->fd = fd;
	*state = writer;
	return 0;
}

/* Others need the disk too: after each sample it rests as long as that took. */
static void rest(uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

	nanosleep(&time, NULL);
}

static int fsync_bench_once(struct probe *probe, void *state, double *value)
{
	struct writer_state *writer = state;
	off_t at = (off_t)(writer->next++ % FILE_BLOCKS) * BLOCK;
	uint64_t from, to;
	ssize_t n;

	writer->block[0] = (char)writer->next;
	from = monotonic_ns();
	n = pwrite(writer->fd, writer->block, BLOCK, at);
	if (n < 0 || (n == BLOCK && fsync(writer->fd)))
		return probe_fail(probe, -errno, "%s", strerror(errno));
	if (n < BLOCK)
		return probe_fail(probe, -ENOSPC, "%s", strerror(ENOSPC));
	to = monotonic_ns();
	*value = (double)(to - from) / 1e9;
	rest(to - from);
	return 0;
}

static void fsync_bench_end(void *state)
{
	struct writer_state *writer = state;

	close(writer->fd);
	free(writer);
}

MICROBENCH(fsync_bench) = {
	.name = "fsync",
	.arg = "DIR",
	.what = "one write of 4 KiB and fsync, to an unnamed file there",
	.unit = UNIT_SECONDS,
	.begin = fsync_bench_begin,
	.once = fsync_bench_once,
	.end = fsync_bench_end,
};
