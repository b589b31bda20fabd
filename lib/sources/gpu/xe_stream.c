/* SPDX-License-Identifier: GPL-2.0-only */
/* How is the stream of each main GT opened, so that a window can read all of them? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/caps.h"
#include "base/str.h"
#include "sources/gpu/xe_uapi.h"
#include "sources/gpu/xe_stream.h"
#include "sources/gpu/xe_error.h"
#include "sources/gpu/xe_window.h"

const struct xe_plan xe_plan_default = {
	.windows = 11,
	.window_ms = 20,
	.gap_ms = 80,
	.window_cpu_ms = 13,
};

/* The right to look at others' work is for this call alone. */
static int open_stream(int fd, const struct xe_observation_param *param)
{
	int stream, error;

	caps_raise(CAPS_BPF);
	do {
		stream = ioctl(fd, XE_IOCTL_OBSERVATION, param);
		error = stream < 0 ? errno : 0;
	} while (error == EINTR);
	caps_lower(CAPS_BPF);
	return error ? -error : stream;
}

/* The driver makes it blocking and inherited: O_CLOEXEC is a flag of the descriptor, not of the
 * file, so it takes both calls. */
static int set_flags(int fd)
{
	if (fcntl(fd, F_SETFL, O_NONBLOCK) || fcntl(fd, F_SETFD, FD_CLOEXEC))
		return -errno;
	return 0;
}

static int open_gt(
	struct xe_session *session, const struct xe_gpu *gpu, const struct xe_gt *gt, uint64_t rate)
{
	struct xe_set_property wait = {.property = XE_EU_STALL_WAIT_NUM_REPORTS, .value = 1};
	struct xe_set_property sample = {.next_extension = (uintptr_t)&wait,
		.property = XE_EU_STALL_SAMPLE_RATE,
		.value = rate};
	struct xe_set_property which = {.next_extension = (uintptr_t)&sample,
		.property = XE_EU_STALL_GT_ID,
		.value = gt->id};
	struct xe_observation_param param = {.observation_type = XE_OBSERVATION_EU_STALL,
		.observation_op = XE_OBSERVATION_STREAM_OPEN,
		.param = (uintptr_t)&which};
	int err, fd = open_stream(gpu->fd, &param);

	if (fd < 0)
		return xe_explain_open(session->trouble, gpu->name, -fd);
	session->streams[session->n++] = (struct xe_stream){.fd = fd, .gt = gt->id};
	err = set_flags(fd);
	if (err)
		return xe_trouble_set(session->trouble, XE_UNABLE, -err,
			"%s: its stream cannot be made non-blocking: %s", gpu->name,
			strerror(-err));
	return 0;
}

/* All of the driver's buffers of a GT: with less, those of the XeCores that come last would run
 * over, and the sample would be of the first ones. Touched now, not within a window. */
static void make_buffer(struct xe_session *session, const struct xe_gpu *gpu)
{
	size_t i;

	for (i = 0; i < gpu->n_gts; i++) {
		size_t bytes = (size_t)gpu->buffer_bytes * gpu->gts[i].xecores;

		if (bytes > session->buffer_bytes)
			session->buffer_bytes = bytes;
	}
	session->buffer = mem_alloc(session->buffer_bytes);
	memset(session->buffer, 0, session->buffer_bytes);
}

static int open_all(struct xe_session *session, const struct xe_gpu *gpu, uint64_t rate)
{
	size_t i;
	int err = 0;

	for (i = 0; i < gpu->n_gts && !err; i++)
		err = open_gt(session, gpu, &gpu->gts[i], rate);
	return err;
}

/* Fewest records, so fewest are lost: at full load drops are normal at every rate. */
static uint64_t slowest(const struct xe_gpu *gpu)
{
	uint64_t rate = 0;
	size_t i;

	for (i = 0; i < gpu->n_rates; i++)
		if (gpu->rates[i] > rate)
			rate = gpu->rates[i];
	return rate;
}

static int run_windows(struct xe_session *session, const struct xe_plan *plan)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < plan->windows && !err; i++) {
		if (i)
			poll(NULL, 0, (int)plan->gap_ms);
		err = xe_read_window(session, plan, i);
	}
	return err;
}

int xe_sample(struct xe_gpu *gpu, const struct xe_plan *plan, const struct xe_reader *reader,
	struct xe_tally *tally, struct xe_trouble *trouble)
{
	struct xe_session session = {
		.gpu = gpu->name, .reader = reader, .tally = tally, .trouble = trouble};
	uint64_t start_ns = monotonic_ns(), cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	size_t i;
	int err;

	*tally = (struct xe_tally){.rate = plan->rate ? plan->rate : slowest(gpu)};
	*trouble = (struct xe_trouble){0};
	err = open_all(&session, gpu, tally->rate);
	if (!err) {
		make_buffer(&session, gpu);
		err = run_windows(&session, plan);
	}
	for (i = 0; i < session.n; i++)
		close(session.streams[i].fd);
	free(session.buffer);
	tally->wall_ns = monotonic_ns() - start_ns;
	tally->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	return err;
}
