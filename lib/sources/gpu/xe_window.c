/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What comes out of the streams while they are on? A window ends by the clock, or when it has used
 * its CPU time, whatever the driver does: reads that fail for ever end with it.
 */
#include "base/banned.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sources/gpu/xe_uapi.h"
#include "sources/gpu/xe_stream.h"
#include "sources/gpu/xe_window.h"
#include "sources/gpu/xe_error.h"

#define AGAIN 1	     /* what no error and no reader returns: there may be more */
#define RESETS_MAX 1 /* that are recovered from, in all windows together */

struct window {
	struct xe_session *session;
	struct xe_window seen;
	uint64_t end_ns, cpu_start_ns, cpu_end_ns;
};

static int set_stream(struct xe_stream *stream, bool on)
{
	int result;

	do
		result = ioctl(stream->fd, on ? XE_IOCTL_STREAM_ENABLE : XE_IOCTL_STREAM_DISABLE);
	while (result && errno == EINTR);
	if (result)
		return -errno;
	stream->is_enabled = on;
	return 0;
}

static int explain_switch(struct xe_session *session, unsigned int gt, bool on, int error)
{
	if (error == ETIMEDOUT)
		return xe_trouble_set(session->trouble, XE_UNABLE, error,
			"%s: its GT %u does not wake up to be sampled (force wake timed out); "
			"dmesg "
			"may say why",
			session->gpu, gt);
	if (error == ECANCELED || error == ENODEV)
		return xe_explain_open(session->trouble, session->gpu, error);
	return xe_trouble_set(session->trouble, XE_UNABLE, error,
		"%s: the stream of GT %u cannot be switched %s: %s", session->gpu, gt,
		on ? "on" : "off", strerror(error));
}

int xe_streams_enable(struct xe_session *session)
{
	size_t i;
	int err = 0;

	for (i = 0; i < session->n && !err; i++) {
		err = set_stream(&session->streams[i], true);
		if (err)
			explain_switch(session, session->streams[i].gt, true, -err);
	}
	return err;
}

/* All that are on, also where one fails. */
int xe_streams_disable(struct xe_session *session)
{
	int err, first = 0;
	size_t i;

	for (i = 0; i < session->n; i++) {
		if (!session->streams[i].is_enabled)
			continue;
		err = set_stream(&session->streams[i], false);
		if (err && !first)
			first = explain_switch(session, session->streams[i].gt, false, -err);
	}
	return first;
}

/* The GT was reset: its stream is dead until it is switched off and on. A device that went away
 * refuses that. */
static int recover(struct window *window, struct xe_stream *stream)
{
	struct xe_session *session = window->session;
	int err = set_stream(stream, false);

	if (!err)
		err = set_stream(stream, true);
	if (err)
		return explain_switch(session, stream->gt, true, -err);
	window->seen.resets++;
	if (session->tally->resets + window->seen.resets <= RESETS_MAX)
		return 0;
	return xe_trouble_set(session->trouble, XE_UNABLE, ENODEV,
		"%s: its GT %u was reset again while it was sampled", session->gpu, stream->gt);
}

static bool is_over(struct window *window)
{
	if (clock_ns(CLOCK_PROCESS_CPUTIME_ID) >= window->cpu_end_ns)
		window->seen.is_cut = true;
	return window->seen.is_cut || monotonic_ns() >= window->end_ns;
}

/* One read of a stream. *again: retry at once. The kernel reports a loss once (EIO), before the
 * records that follow it, and so do we. */
static int read_once(struct window *window, struct xe_stream *stream, bool *again)
{
	struct xe_session *session = window->session;
	ssize_t n = read(stream->fd, session->buffer, session->buffer_bytes);
	size_t n_bytes = n > 0 ? (size_t)n - (size_t)n % 64 : 0;
	int err;

	if (n_bytes) {
		window->seen.bytes += n_bytes;
		window->seen.reads++;
		return session->reader->on_bytes(
			session->reader->arg, stream->gt, session->buffer, n_bytes);
	}
	if (n >= 0 || errno == EAGAIN)
		return 0;
	*again = errno == EINTR || errno == EIO;
	if (errno == EINTR)
		return 0;
	if (errno == EIO) {
		window->seen.drops++;
		if (session->reader->on_drop)
			session->reader->on_drop(session->reader->arg, stream->gt);
		return 0;
	}
	if (errno == ENODEV)
		return recover(window, stream);
	err = errno;
	if (err == ECANCELED)
		return xe_explain_open(session->trouble, session->gpu, err);
	return xe_trouble_set(session->trouble, XE_UNABLE, err,
		"%s: the stream of GT %u cannot be read: %s", session->gpu, stream->gt,
		strerror(err));
}

static int read_ready(struct window *window, struct xe_stream *stream)
{
	bool again;
	int err;

	do {
		again = false;
		err = read_once(window, stream, &again);
	} while (again && !err && !is_over(window));
	return err;
}

static int wait_and_read(struct window *window)
{
	struct xe_session *session = window->session;
	uint64_t now_ns = monotonic_ns();
	struct pollfd polled[XE_GTS_MAX];
	size_t i;
	int err = 0, ms;

	if (now_ns >= window->end_ns)
		return 0;
	for (i = 0; i < session->n; i++)
		polled[i] = (struct pollfd){.fd = session->streams[i].fd, .events = POLLIN};
	ms = (int)((window->end_ns - now_ns + 999999) / 1000000);
	if (poll(polled, session->n, ms) < 0)
		return errno == EINTR
			? 0
			: xe_trouble_set(session->trouble, XE_UNABLE, errno,
				  "the streams cannot be waited for: %s", strerror(errno));
	for (i = 0; i < session->n && !err; i++)
		if (polled[i].revents)
			err = read_ready(window, &session->streams[i]);
	return err;
}

static void count_window(struct window *window)
{
	struct xe_tally *tally = window->session->tally;
	const struct xe_window *seen = &window->seen;

	tally->windows++;
	tally->enabled_ns += seen->enabled_ns;
	tally->bytes += seen->bytes;
	tally->reads += seen->reads;
	tally->drops += seen->drops;
	tally->resets += seen->resets;
	tally->cuts += seen->is_cut;
}

int xe_read_window(struct xe_session *session, const struct xe_plan *plan, unsigned int number)
{
	struct window window = {.session = session, .seen = {.number = number}};
	int err, disable_err;

	window.cpu_start_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	window.cpu_end_ns = window.cpu_start_ns + plan->window_cpu_ms * 1000000ull;
	window.seen.start_ns = monotonic_ns();
	window.end_ns = window.seen.start_ns + plan->window_ms * 1000000ull;
	err = xe_streams_enable(session);
	while (!err && !is_over(&window))
		err = wait_and_read(&window);
	disable_err = xe_streams_disable(session);
	window.seen.enabled_ns = monotonic_ns() - window.seen.start_ns;
	window.seen.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - window.cpu_start_ns;
	count_window(&window);
	if (!err && session->reader->on_window)
		err = session->reader->on_window(session->reader->arg, &window.seen);
	return err ? err : disable_err;
}
