/* SPDX-License-Identifier: GPL-2.0-only */
/* How are samples of stacks taken beside a look, and which functions are they in? */
#include "base/banned.h"

#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "stacks/fold.h"
#include "stacks/sampler.h"
#include "symbols/symbolizer.h"
#include "tools/wait/answer.h"
#include "tools/wait/frames.h"
#include "tools/wait/sort.h"
#include "tools/wait/watch.h"

/* Not in step with what comes a hundred times a second. */
#define HERTZ 49

static void frames_sample(void *arg, const struct sample_record *record)
{
	struct wait_frames *frames = arg;

	stacks_profile_sample(&frames->profile, record);
}

/* One that came during the look may be gone when it is over. */
static void frames_met(void *arg, uint32_t pid)
{
	struct wait_frames *frames = arg;

	symbolizer_note(frames->symbolizer, (pid_t)pid);
}

void wait_frames_open(struct wait_frames *frames, bool all)
{
	const struct stacks_wanted wanted = {
		.hertz = HERTZ, .by_target = !all, .take = frames_sample, .arg = frames};

	frames->symbolizer = symbolizer_new();
	frames->profile.slices = UINT32_MAX;
	if (!all) {
		frames->profile.met = frames_met;
		frames->profile.met_arg = frames;
	}
	if (stacks_sampler_open(&frames->sampler, &wanted, &frames->why))
		frames->sampler = NULL;
}

void wait_frames_target(struct wait_frames *frames, pid_t pid)
{
	if (!frames->sampler)
		return;
	stacks_sampler_target(frames->sampler, pid);
	symbolizer_note(frames->symbolizer, pid);
}

void wait_frames_begin(struct wait_frames *frames)
{
	frames->profile.began_ns = monotonic_ns();
	if (!frames->sampler || !stacks_sampler_begin(frames->sampler, &frames->why))
		return;
	stacks_sampler_close(frames->sampler);
	frames->sampler = NULL;
}

void wait_frames_take(struct wait_frames *frames)
{
	if (frames->sampler)
		stacks_sampler_take(frames->sampler);
}

void wait_frames_end(struct wait_frames *frames)
{
	if (!frames->sampler)
		return;
	stacks_sampler_end(frames->sampler);
	stacks_sampler_close(frames->sampler);
	frames->sampler = NULL;
}

void wait_frames_free(struct wait_frames *frames)
{
	wait_frames_end(frames);
	stacks_profile_free(&frames->profile);
	if (frames->symbolizer)
		symbolizer_free(frames->symbolizer);
	str_free(&frames->why);
}

/* "memcpy", or "write, in the kernel"; a thread without a program of its own has the kernel's. */
static void frames_add(struct wait_answer *answer, const struct stacks_named *named, uint64_t n)
{
	const struct waits_sum sum = {.ns = n, .count = n};
	const bool is_user = named->kernel > named->user;
	struct str text = STR_INIT;

	if (named->waker <= named->user)
		return;
	escape_terminal(&text, named->frames[(is_user ? named->kernel : named->waker) - 1]);
	if (is_user && named->waker > named->kernel)
		str_add(&text, ", in the kernel");
	wait_row_add(&answer->functions, &sum, str_text(&text), 0);
	str_free(&text);
}

void wait_frames_sort(struct wait_answer *answer, struct wait_frames *frames)
{
	const struct stacks_profile *profile = &frames->profile;
	struct stacks_fold *fold;
	struct stacks_named named;
	size_t i;

	if (!frames->symbolizer)
		return;
	fold = stacks_fold_new(profile, frames->symbolizer, STACKS_BY_PID);
	for (i = 0; i < profile->n_entries; i++) {
		const struct stacks_entry *entry = &profile->entries[i];

		if (profile->threads[entry->thread].pid != answer->process->pid)
			continue;
		stacks_fold_entry(fold, entry, &named);
		frames_add(answer, &named, entry->weight);
	}
	stacks_fold_free(fold);
	wait_row_order(&answer->functions);
}
