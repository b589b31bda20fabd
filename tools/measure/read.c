/* SPDX-License-Identifier: GPL-2.0-only */
/* How long does a disk take for one small read, when nobody's cache helps? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/measure/internal.h"

#define BLOCK 4096
/* Disks have caches of their own: below that much they may answer all of it from there. */
#define SMALL (256 << 20)
/* How often to look for a place that was ever written, in a file that may be all holes. */
#define TRIES 64

struct reader {
	int fd;
	bool regular;
	uint64_t blocks;
	uint64_t seed;
	void *buf;
};

/* SplitMix64, Steele, Lea and Flood, 2014. */
static uint64_t next_random(struct reader *reader)
{
	uint64_t z = reader->seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Looks before it opens: opening a device for reading can already do something, a tape is wound
 * back. Returns a descriptor that only names the file, or -errno. */
static int read_bench_look_at(struct probe *probe, bool *regular)
{
	struct stat st;
	int fd = open(probe->arg, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return probe_fail(probe, -errno, "%s", strerror(errno));
	if (fstat(fd, &st)) {
		int err = -errno;

		close(fd);
		return probe_fail(probe, err, "%s", strerror(-err));
	}
	*regular = S_ISREG(st.st_mode);
	if (*regular || S_ISBLK(st.st_mode))
		return fd;
	close(fd);
	return probe_fail(probe, -EINVAL, "is neither a file nor a block device such as /dev/sda");
}

static int open_direct(struct probe *probe, int named)
{
	char path[32];
	const int flags = O_RDONLY | O_DIRECT | O_CLOEXEC | O_NONBLOCK;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", named);
	/* Without a new access time where we may ask for that, which only the owner may. */
	fd = open(path, flags | O_NOATIME);
	if (fd < 0 && errno == EPERM)
		fd = open(path, flags);
	if (fd >= 0)
		return fd;
	err = -errno;
	return probe_fail(probe, err, "%s",
		err == -EINVAL ? "its file system has no direct reads (bypassing the page cache)"
			       : strerror(-err));
}

static int open_reader(struct probe *probe, struct reader *reader)
{
	int named = read_bench_look_at(probe, &reader->regular);
	off_t size;

	if (named < 0)
		return named;
	reader->fd = open_direct(probe, named);
	close(named);
	if (reader->fd < 0)
		return reader->fd;
	if (reader->regular && measure_in_memory(reader->fd))
		return probe_fail(probe, -EINVAL,
			"is on a tmpfs, which is memory: name a file on the disk to measure");
	size = lseek(reader->fd, 0, SEEK_END);
	if (size < BLOCK)
		return probe_fail(probe, -EINVAL, "is shorter than one read of %d bytes", BLOCK);
	reader->blocks = (uint64_t)size / BLOCK;
	if (size < SMALL)
		probe_note(probe, "only %lld MiB large: the disk may have it in its own cache",
			(long long)size >> 20);
	return 0;
}

static void read_bench_end(void *state)
{
	struct reader *reader = state;

	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->buf);
	free(reader);
}

static int read_bench_begin(struct probe *probe, void **state)
{
	struct reader *reader = mem_zalloc(sizeof(*reader));
	int err = -ENOMEM;

	reader->fd = -1;
	if (posix_memalign(&reader->buf, BLOCK, BLOCK))
		reader->buf = NULL;
	else
		err = open_reader(probe, reader);
	if (getrandom(&reader->seed, sizeof(reader->seed), 0) < 0)
		reader->seed = monotonic_ns();
	if (err) {
		read_bench_end(reader);
		return probe_fail(probe, err, "%s", strerror(-err));
	}
	*state = reader;
	return 0;
}

/* A random place that a read really goes to the disk for: a hole is filled with zeros by the file
 * system alone. Returns -1 where none was found. */
static off_t read_bench_find_place(struct reader *reader)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		off_t at = (off_t)(next_random(reader) % reader->blocks * BLOCK), data = at;

		if (reader->regular)
			data = lseek(reader->fd, at, SEEK_DATA);
		if (data == at)
			return at;
	}
	return -1;
}

static int read_bench_once(struct probe *probe, void *state, double *value)
{
	struct reader *reader = state;
	off_t at = read_bench_find_place(reader);
	uint64_t from, to;
	ssize_t n;

	if (at < 0)
		return probe_fail(
			probe, -ENODATA, "is only a hole (sparse): name a file with data");
	from = monotonic_ns();
	n = pread(reader->fd, reader->buf, BLOCK, at);
	to = monotonic_ns();
	if (n < 0)
		return probe_fail(probe, -errno, "%s", strerror(errno));
	if (n < BLOCK)
		return probe_fail(probe, -EIO, "was truncated meanwhile");
	*value = (double)(to - from) / 1e9;
	return 0;
}

MICROBENCH(read_bench) = {
	.name = "read",
	.arg = "PATH",
	.what = "one direct read of 4 KiB at a random place of a file or block device",
	.unit = UNIT_SECONDS,
	.begin = read_bench_begin,
	.once = read_bench_once,
	.end = read_bench_end,
};
