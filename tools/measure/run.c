/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How are samples taken so that neither a disk that never answers nor Ctrl-C loses more than the
 * rest? By a child that sends them as it takes them.
 */
#include "base/banned.h"

#include <errno.h>
#include <signal.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/clock.h"
#include "sys/child.h"
#include "base/progress.h"
#include "sys/read_write.h"
#include "tools/measure/internal.h"
#include "stats/quantile.h"

/* Caches, branch predictors, power states and a file's first blocks are not what is asked for. */
#define WARM_UP_SHARE 0.05
#define WARM_UP_MAX_NS 100000000u
/* A child that has sent nothing for that much longer than its time hangs in a call. */
#define PATIENCE_MS 5000
#define SAMPLES_MAX 4000000u
#define BATCH 512
#define FLUSH_NS 100000000u
/* From here on a person on a terminal is told how far it is. */
#define SHOW_FROM_SECONDS 2

/* What the child sends: blocks of a kind, a length and as many bytes. */
enum kind { KIND_SAMPLES, KIND_NOTES, KIND_WHY };

struct block {
	uint32_t kind;
	uint32_t len;
};

struct measure_job {
	const struct microbench *bench;
	const char *arg;
	uint64_t began, warm, until; /* ns */
	int fd;
	double batch[BATCH];
	size_t n, total;
};

bool measure_in_memory(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	return fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC || fs.f_type == HUGETLBFS_MAGIC;
}

int probe_fail(struct probe *probe, int err, const char *format, ...)
{
	va_list args;

	if (probe->why.len)
		return err;
	va_start(args, format);
	str_addv(&probe->why, format, args);
	va_end(args);
	return err;
}

void probe_note(struct probe *probe, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_addv(&probe->notes, format, args);
	va_end(args);
	str_addc(&probe->notes, '\n');
}

static int send_block(int fd, enum kind kind, const void *data, size_t len)
{
	const struct block block = {.kind = kind, .len = (uint32_t)len};

	if (!len)
		return 0;
	return write_all(fd, &block, sizeof(block)) ? -EPIPE : write_all(fd, data, len);
}

static int flush_batch(struct measure_job *job)
{
	int err = send_block(job->fd, KIND_SAMPLES, job->batch, job->n * sizeof(*job->batch));

	job->total += job->n;
	job->n = 0;
	return err;
}

static int take_samples(struct measure_job *job, struct probe *probe, void *state)
{
	uint64_t now = monotonic_ns(), flushed = now;
	int err = 0;

	while (!err && now < job->until && job->total + job->n < SAMPLES_MAX) {
		double value;

		err = job->bench->once(probe, state, &value);
		if (!err && now >= job->warm)
			job->batch[job->n++] = value;
		now = monotonic_ns();
		if (!err && (job->n == BATCH || now - flushed > FLUSH_NS)) {
			err = flush_batch(job);
			flushed = now;
		}
	}
	return err ? err : flush_batch(job);
}

static uint64_t warm_up_ns(uint64_t length)
{
	uint64_t part = (uint64_t)((double)length * WARM_UP_SHARE);

	return part < WARM_UP_MAX_NS ? part : WARM_UP_MAX_NS;
}

static int measure_work(void *arg, int fd)
{
	struct measure_job *job = arg;
	struct probe probe = {.arg = job->arg};
	uint64_t length = job->until - job->began;
	void *state = NULL;
	int err = job->bench->begin(&probe, &state);

	job->fd = fd;
	send_block(fd, KIND_NOTES, str_text(&probe.notes), probe.notes.len);
	if (!err) {
		/* Setting up may take a while, but the samples get all of their time. */
		job->began = monotonic_ns();
		job->until = job->began + length;
		job->warm = job->began + warm_up_ns(length);
		err = take_samples(job, &probe, state);
		job->bench->end(state);
	}
	send_block(fd, KIND_WHY, str_text(&probe.why), probe.why.len);
	str_free(&probe.notes);
	str_free(&probe.why);
	return err ? 1 : 0;
}

/* What has come so far. The last block may be cut, where the child was ended. */
static void read_blocks(struct measured *out, const struct str *answer)
{
	size_t at = 0, room = answer->len / sizeof(double);
	struct block block;

	out->samples = mem_realloc_array(NULL, room + 1, sizeof(*out->samples));
	while (answer->len - at >= sizeof(block)) {
		size_t len;

		memcpy(&block, answer->text + at, sizeof(block));
		at += sizeof(block);
		len = answer->len - at < block.len ? answer->len - at : block.len;
		if (block.kind == KIND_SAMPLES) {
			len -= len % sizeof(double);
			memcpy(out->samples + out->n, answer->text + at, len);
			out->n += len / sizeof(double);
		} else {
			str_addn(block.kind == KIND_NOTES ? &out->notes : &out->why,
				answer->text + at, len);
		}
		if (len < block.len)
			break;
		at += len;
	}
}

struct waiting {
	const struct microbench *bench;
	uint64_t began;
	double seconds;
};

static bool measure_tick(void *arg)
{
	struct waiting *waiting = arg;
	double passed = (double)(monotonic_ns() - waiting->began) / 1e9;

	if (waiting->seconds > SHOW_FROM_SECONDS)
		progress_show(waiting->bench->name,
			passed < waiting->seconds ? passed / waiting->seconds : 1);
	return !progress_interrupted();
}

/* Why there is no result, where the child itself did not say it. */
static int measure_explain(struct measured *out, int err, int status)
{
	if (out->interrupted && out->n)
		return 0;
	if (out->why.len || !err) {
		if (!err && !out->n)
			str_add(&out->why, "no sample in that time: give it more time with --for");
		return out->why.len ? -EIO : 0;
	}
	if (out->interrupted)
		str_add(&out->why, "interrupted before the first sample");
	else if (err == -ETIMEDOUT)
		str_add(&out->why, "it hangs: the last call did not return");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		str_add(&out->why, "it was killed, perhaps for lack of memory");
	else if (WIFSIGNALED(status))
		str_addf(&out->why, "it was ended by signal %d", WTERMSIG(status));
	else
		str_addf(&out->why, "it failed: %s", strerror(-err));
	return err;
}

int measure_run(
	struct measured *out, const struct microbench *bench, const char *arg, double seconds)
{
	struct measure_job job = {.bench = bench, .arg = arg};
	struct waiting waiting = {.bench = bench, .seconds = seconds};
	struct str answer = STR_INIT;
	struct child child;
	int err, status = 0;

	*out = (struct measured){.bench = bench, .arg = arg};
	progress_catch_signals();
	waiting.began = monotonic_ns();
	job.began = waiting.began;
	job.until = job.began + (uint64_t)(seconds * 1e9);
	err = child_start(&child, measure_work, &job);
	if (!err)
		err = child_collect(&child, (int)(seconds * 1000) + PATIENCE_MS, measure_tick,
			&waiting, &answer, &status);
	progress_end();
	out->interrupted = progress_interrupted();
	out->seconds = (double)(monotonic_ns() - waiting.began) / 1e9;
	read_blocks(out, &answer);
	str_free(&answer);
	stats_sort(out->samples, out->n);
	return measure_explain(out, err, status);
}

void measured_free(struct measured *measured)
{
	free(measured->samples);
	str_free(&measured->notes);
	str_free(&measured->why);
}
