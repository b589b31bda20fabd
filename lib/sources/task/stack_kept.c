/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many frames does a stack have, as the kernel keeps them for perf?
 *
 * The events are opened for each look and closed after it: as long as anybody has one, the limit
 * (kernel.perf_event_max_stack) cannot be changed, and what changes it is to be watched by this. So
 * it does not look again at once either: an experiment is asked for its numbers while it turns.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/task/stack_kept.h"
#include "stacks/stack_ring.h"

enum { HERTZ = 499, LOOK_MS = 250, GAP_MS = 600, TURN_US = 20000 };

/* Of all looks of a run: they are counters. */
struct kept_state {
	uint64_t samples, frames;
	int64_t looked_ms; /* when the last look ended; 0: never */
};

size_t stack_kept_frames(const void *record, size_t len, pid_t *pid)
{
	const uint8_t *at = (const uint8_t *)record + sizeof(struct perf_event_header);
	const size_t words = len / sizeof(uint64_t);
	uint64_t word, n;
	size_t frames = 0;
	uint32_t who;

	*pid = 0;
	if (len < sizeof(struct perf_event_header) + 2 * sizeof(word))
		return 0;
	memcpy(&who, at, sizeof(who));
	*pid = (pid_t)who;
	memcpy(&n, at + sizeof(word), sizeof(n));
	if (n > words - 3)
		return 0;
	for (size_t i = 0; i < n; i++) {
		memcpy(&word, at + (2 + i) * sizeof(word), sizeof(word));
		frames += word < (uint64_t)PERF_CONTEXT_MAX;
	}
	return frames;
}

static void kept_take(void *arg, const void *record, size_t len)
{
	struct kept_state *kept = arg;
	pid_t pid;
	const size_t frames = stack_kept_frames(record, len, &pid);

	if (!frames || pid == getpid())
		return;
	kept->samples++;
	kept->frames += frames;
}

static int kept_look(struct kept_state *kept)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_kernel = 1,
	};
	const int64_t until = monotonic_ms() + LOOK_MS;
	struct stack_rings *rings;
	const int err = stack_rings_open(&rings, &attr, HERTZ);

	if (err)
		return err;
	while (monotonic_ms() < until) {
		usleep(TURN_US);
		stack_rings_take(rings, kept_take, kept);
	}
	stack_rings_close(rings);
	kept->looked_ms = monotonic_ms();
	return 0;
}

static int stack_kept_open(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct kept_state));
	return 0;
}

static int stack_kept_read(struct capture *fs, void *state, struct sink *sink)
{
	struct kept_state *kept = state;
	int err;

	if (!capture_is_live(fs)) {
		sink_absent(sink, "only on the machine itself");
		return -ENODATA;
	}
	err = kept->looked_ms && monotonic_ms() - kept->looked_ms < GAP_MS ? 0 : kept_look(kept);
	if (err)
		return err;
	sink_put(sink, "", "samples", (double)kept->samples);
	sink_put(sink, "", "frames", (double)kept->frames);
	return 0;
}

SOURCE(stack_kept) = {
	.name = "stack/kept",
	.what = "frames of stacks as the kernel keeps them for perf: each reading looks for a "
		"second",
	.fleeting = true,
	.open = stack_kept_open,
	.read = stack_kept_read,
	.close = free,
};
