/* SPDX-License-Identifier: GPL-2.0-only */
/* When is it time to look again? */
#include "base/banned.h"

#include <poll.h>

#include "base/clock.h"
#include "base/progress.h"
#include "capture/capture.h"
#include "sample/sampler.h"
#include "sample/sweep.h"

/* How long something that ended may go unnoticed. */
#define ENDED_POLL_MS 50
#define POLL_MS 500

static uint64_t due_ns(const struct sampler *sampler)
{
	uint64_t window = (uint64_t)(sampler->window_seconds * 1e9);

	return sampler->start_ns + (sampler->taken + 1) * window;
}

int sampler_begin(struct sampler *sampler)
{
	int err;

	sampler->start_ns = monotonic_ns();
	sweep_open(sampler->sweep, sampler->fs);
	err = sweep_take(sampler->sweep);
	sampler->over = err != 0;
	return err;
}

/*
 * Whether what an interruption leaves of a window says more wrong than right: rates over an
 * instant, and nothing of what comes seldom. A person who ends the first window wants it all the
 * same.
 */
static bool is_too_short(const struct sampler *sampler)
{
	size_t samples = sweep_samples(sampler->sweep);
	double lasted = (double)(monotonic_ns() - sweep_time_ns(sampler->sweep, samples - 1)) / 1e9;

	if (sampler->ended || lasted * 2 >= sampler->window_seconds)
		return false;
	return sampler->taken || !progress_told_to_stop();
}

static bool sampler_has_all(const struct sampler *sampler)
{
	if (!capture_is_replay(sampler->fs))
		return sampler->taken >= sampler->windows;
	return sampler->recorded && sampler->taken >= sampler->recorded;
}

bool sampler_tick(struct sampler *sampler)
{
	bool replay = capture_is_replay(sampler->fs), last;

	if (sampler->over)
		return false;
	last = progress_interrupted() || (sampler->ended && sampler->ended(sampler->arg));
	if (!replay && !last && monotonic_ns() < due_ns(sampler))
		return true;
	if (!replay && last && is_too_short(sampler)) {
		sampler->cut = !sampler->taken;
		sampler->over = true;
		return false;
	}
	sampler->error = sweep_take(sampler->sweep);
	if (sampler->error)
		last = true;
	else
		sampler->taken++;
	if (sampler_has_all(sampler))
		last = true;
	sampler->over = last;
	return !last;
}

void sampler_wait(const struct sampler *sampler)
{
	int most = sampler->ended ? ENDED_POLL_MS : POLL_MS;
	uint64_t now = monotonic_ns(), due = due_ns(sampler);
	uint64_t left_ms = due > now ? (due - now + 999999) / 1000000 : 0;
	double window = sampler->window_seconds;

	if (!left_ms || capture_is_replay(sampler->fs))
		return;
	if (!sampler->ended && sampler->windows * window >= 2)
		progress_show("sampling counters:",
			(sampler->taken + 1 - (double)left_ms / 1000 / window) / sampler->windows);
	poll(NULL, 0, left_ms < (uint64_t)most ? (int)left_ms : most);
}

void sampler_run(struct sampler *sampler, unsigned int windows)
{
	while (sampler_tick(sampler) &&
		(sampler->taken < windows || capture_is_replay(sampler->fs)))
		sampler_wait(sampler);
	progress_end();
}
