/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a look taken? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/str.h"
#include "flame/tree.h"
#include "stacks/leaf.h"
#include "symbols/symbolizer.h"
#include "sys/caps.h"
#include "tools/cpu/asleep.h"
#include "tools/cpu/look.h"

enum {
	TAKE_MS = 200,	/* between two looks into the ring */
	AGAIN_MS = 500, /* between two looks for new processes of a cgroup */
};

static void look_take(void *arg, const struct sample_record *record)
{
	struct cpu_look *look = arg;
	const struct cpu_options *asked = look->asked;

	if (asked->waits) {
		stacks_profile_stack(&look->profile, record);
		return;
	}
	if (asked->until > 0) {
		const double at = ((double)record->at_ns - (double)look->profile.began_ns) / 1e9;

		if (at < asked->from || at >= asked->until)
			return;
	}
	stacks_profile_sample(&look->profile, record);
}

static void look_wait(void *arg, const struct sample_wait *wait, const struct sample_sum *sum)
{
	struct cpu_look *look = arg;

	stacks_profile_wait(&look->profile, wait, sum);
}

static void look_met(void *arg, uint32_t pid)
{
	struct cpu_look *look = arg;

	symbolizer_note(look->symbolizer, (pid_t)pid);
}

struct look_threads {
	pid_t *list;
	size_t n, room;
};

static void look_add_thread(void *arg, pid_t tid)
{
	struct look_threads *threads = arg;

	ARRAY_GROW(threads->list, threads->n, threads->room);
	threads->list[threads->n++] = tid;
}

static struct stacks_counters *look_count(struct cpu_look *look)
{
	struct look_threads threads = {.n = 0};
	struct stacks_counters *counters;

	if (look->asked->waits)
		return NULL;
	if (look->asked->thread)
		look_add_thread(&threads, (pid_t)look->asked->thread);
	for (size_t i = 0; !look->asked->thread && i < look->targets.n; i++)
		cpu_target_threads(look->targets.list[i], look_add_thread, &threads);
	counters = stacks_counters_begin(threads.list, threads.n, &look->counters_error);
	free(threads.list);
	return counters;
}

/* Until its time is over, somebody wants it to end, or nobody is left. */
static void look_watch(struct cpu_look *look, struct stacks_sampler *sampler)
{
	const double began = monotonic_seconds();
	double elapsed = 0, again = 0;

	while (elapsed < look->asked->seconds && !progress_told_to_stop()) {
		const double left = look->asked->seconds - elapsed;

		usleep(left < TAKE_MS / 1e3 ? (useconds_t)(left * 1e6) + 1 : TAKE_MS * 1000);
		stacks_sampler_take(sampler);
		elapsed = monotonic_seconds() - began;
		if (look->asked->seconds > 2)
			progress_show(
				look->asked->waits ? "watching who waits" : "sampling the CPUs",
				elapsed / look->asked->seconds);
		if (elapsed < again)
			continue;
		again = elapsed + AGAIN_MS / 1e3;
		cpu_targets_again(&look->targets);
		for (size_t i = 0; look->targets.group && i < look->targets.n; i++)
			stacks_sampler_target(sampler, look->targets.list[i]);
		if (cpu_targets_gone(&look->targets))
			break;
	}
	look->interrupted = progress_told_to_stop();
	progress_end();
}

static int look_sample(struct cpu_look *look, struct stacks_sampler *sampler, struct str *why)
{
	struct stacks_counters *counters;
	int err;

	for (size_t i = 0; i < look->targets.n; i++)
		stacks_sampler_target(sampler, look->targets.list[i]);
	/* A process that ends during the look has its names from its beginning. */
	for (size_t i = 0; i < look->targets.n; i++)
		symbolizer_note(look->symbolizer, look->targets.list[i]);
	if (look->asked->waits)
		cpu_asleep_tell(look, sampler);
	counters = look_count(look);
	look->profile.began_ns = monotonic_ns();
	err = stacks_sampler_begin(sampler, why);
	if (!err)
		look_watch(look, sampler);
	stacks_sampler_end(sampler);
	if (counters)
		look->counted = stacks_counters_end(counters);
	if (!err && look->asked->waits)
		err = stacks_sampler_waits(sampler, look_wait, look);
	stacks_sampler_seen(sampler, &look->seen);
	return err;
}

/* Names are asked for in the order of stacks; what is slow is to read files. */
static void look_name(struct cpu_look *look)
{
	stacks_leaf_find(&look->profile);
	look->fold =
		stacks_fold_new(&look->profile, look->symbolizer, (enum stacks_by)look->asked->by);
	look->tree = flame_tree_new();
	progress_show("reading symbols", 0);
	stacks_fold_tree(look->fold, look->tree);
	progress_end();
	look->folded = stacks_fold_seen(look->fold);
	flame_tree_settle(look->tree);
}

int cpu_look_run(struct cpu_look *look, const struct cpu_options *asked)
{
	const struct stacks_wanted wanted = {
		.hertz = asked->hertz,
		.wakers = asked->wakers,
		.by_target = asked->n_pids || asked->cgroup,
		.only_tid = (uint32_t)asked->thread,
		.take = look_take,
		.arg = look,
	};
	struct stacks_sampler *sampler = NULL;
	struct str why = STR_INIT;
	int err;

	*look = (struct cpu_look){.asked = asked};
	look->symbolizer = symbolizer_new();
	look->profile.slice_ns = (uint64_t)(asked->slice_seconds * 1e9);
	look->profile.slices = UINT32_MAX;
	look->profile.met = look_met;
	look->profile.met_arg = look;
	err = cpu_targets_find(&look->targets, asked);
	if (err)
		return err;
	err = stacks_sampler_open(&sampler, &wanted, &why);
	if (!err)
		err = look_sample(look, sampler, &why);
	stacks_sampler_close(sampler);
	if (err)
		fprintf(stderr, "%s: %s\n", asked->program,
			why.len ? str_text(&why) : strerror(-err));
	else
		look_name(look);
	str_free(&why);
	/* What is left is thinking and writing. */
	caps_drop(CAPS_ALL);
	return err;
}

void cpu_look_free(struct cpu_look *look)
{
	if (look->fold)
		stacks_fold_free(look->fold);
	if (look->tree)
		flame_tree_free(look->tree);
	stacks_profile_free(&look->profile);
	symbolizer_free(look->symbolizer);
	cpu_targets_free(&look->targets);
}
