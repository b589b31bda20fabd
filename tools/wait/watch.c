/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a look taken, and how do sums in the kernel become what a process did? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number_map.h"
#include "base/progress.h"
#include "base/str.h"
#include "sys/caps.h"
#include "tools/wait/counted.h"
#include "tools/wait/watch.h"
#include "tools/wait/options.h"
#include "tools/wait/probe.h"
#include "tools/wait/seed.h"
#include "tools/wait/whom.h"

#define TAKE_MS 100
#define AGAIN_SECONDS 0.25 /* at least, between two looks for who has come */
#define CALLS_SHARE 0.25   /* of a look: so long system calls are counted, too */

struct watch_state {
	struct wait_look *look;
	struct wait_probe *probe;
	const struct wait_wanted *wanted;
	struct number_map places; /* of processes */
	uint64_t began_ns, ended_ns;
	struct wait_counted *before;
	size_t n_before;
	size_t before_room;
	uint64_t swapped_in;	 /* before */
	struct wait_taken taken; /* before */
	double again;		 /* of the look: then it is looked for who has come */
};

static struct wait_process *watch_process(struct watch_state *state, uint32_t pid)
{
	size_t place;

	return number_map_get(&state->places, pid, &place) ? &state->look->processes[place] : NULL;
}

static void watch_add_process(void *arg, uint32_t pid, const struct waits_process *seen)
{
	struct watch_state *state = arg;
	struct wait_look *look = state->look;
	struct wait_process *process;

	if (!number_map_add(&state->places, pid, look->n))
		return;
	ARRAY_GROW(look->processes, look->n, look->room);
	process = &look->processes[look->n++];
	*process = (struct wait_process){.pid = pid, .seen = *seen, .user_ticks = NAN};
	process->system_ticks = NAN;
	process->written_bytes = NAN;
	process->wall_ns = seen->ended_ns;
}

static struct wait_kind *watch_kind(struct wait_process *process, const struct waits_key *key)
{
	size_t i;

	for (i = 0; i < process->n_kinds; i++)
		if (!memcmp(&process->kinds[i].key, key, sizeof(*key)))
			return &process->kinds[i];
	ARRAY_GROW(process->kinds, process->n_kinds, process->kinds_room);
	process->kinds[process->n_kinds] = (struct wait_kind){.key = *key};
	return &process->kinds[process->n_kinds++];
}

static void watch_add_sum(void *arg, const struct waits_key *key, const struct waits_sum *sum)
{
	struct watch_state *state = arg;
	struct wait_process *process = watch_process(state, key->tgid);

	if (!process)
		return;
	ARRAY_GROW(process->kinds, process->n_kinds, process->kinds_room);
	process->kinds[process->n_kinds++] = (struct wait_kind){*key, *sum};
}

/* What a thread was in the middle of when the look ended. */
static void watch_add_thread(void *arg, uint32_t tid, const struct waits_thread *thread)
{
	struct watch_state *state = arg;
	struct wait_process *process = watch_process(state, thread->tgid);
	const uint64_t since = thread->since > state->began_ns ? thread->since : state->began_ns,
		       born = thread->born > state->began_ns ? thread->born : state->began_ns;
	uint64_t ns;

	(void)tid;
	if (!process || since > state->ended_ns || born > state->ended_ns ||
		thread->part >= WAITS_PARTS)
		return;
	ns = state->ended_ns - since;
	process->living++;
	process->wall_ns += state->ended_ns - born;
	process->seen.part_ns[thread->part] += ns;
	if (thread->part == WAITS_RUNS)
		process->seen.exec_ns += ns;
	if (thread->part > WAITS_QUOTA) {
		struct waits_key key = {.tgid = thread->tgid,
			.part = thread->part,
			.nr = thread->nr,
			.detail = thread->detail};
		struct wait_kind *kind;

		if (thread->part == WAITS_LOCK) {
			key.who = thread->who;
			memcpy(key.comm, thread->comm, sizeof(key.comm));
		}
		kind = watch_kind(process, &key);
		kind->sum.ns += ns;
		kind->sum.count++;
		if (ns > kind->sum.max_ns)
			kind->sum.max_ns = ns;
	}
}

static void watch_add_behind(void *arg, const struct waits_behind *key, uint64_t ns)
{
	struct wait_process *process = watch_process(arg, key->tgid);
	struct wait_party *party;

	if (!process)
		return;
	ARRAY_GROW(process->behind, process->n_behind, process->behind_room);
	party = &process->behind[process->n_behind++];
	*party = (struct wait_party){.pid = key->other, .ns = ns};
	memcpy(party->comm, key->comm, sizeof(party->comm));
	party->comm[WAITS_COMM - 1] = 0;
}

static void watch_add_child(
	void *arg, const struct waits_children *key, const struct waits_child_sum *sum)
{
	struct wait_process *process = watch_process(arg, key->tgid);
	struct wait_child *child;

	if (!process)
		return;
	ARRAY_GROW(process->children, process->n_children, process->children_room);
	child = &process->children[process->n_children++];
	*child = (struct wait_child){.sum = *sum};
	memcpy(child->comm, key->comm, sizeof(child->comm));
	child->comm[WAITS_COMM - 1] = 0;
}

void wait_process_add_slowest(struct wait_process *process, const struct waits_slow *event)
{
	size_t at = process->n_slowest;

	if (at == WAIT_SLOWEST && event->ns <= process->slowest[WAIT_SLOWEST - 1].ns)
		return;
	if (at == WAIT_SLOWEST)
		at--;
	else
		process->n_slowest++;
	for (; at && process->slowest[at - 1].ns < event->ns; at--)
		process->slowest[at] = process->slowest[at - 1];
	process->slowest[at] = *event;
}

/* Processes are not known yet, and are made as they come. */
static void watch_slow(void *arg, const struct waits_slow *event)
{
	struct watch_state *state = arg;
	struct wait_process *process = watch_process(state, event->key.tgid);
	const uint32_t part = event->key.part;

	if (part != WAITS_DISK && part != WAITS_LOCK && part != WAITS_MEMORY &&
		part != WAITS_DATA && part != WAITS_OTHER && part != WAITS_SHARED)
		return;
	if (!process) {
		watch_add_process(state, event->key.tgid, &(struct waits_process){0});
		process = watch_process(state, event->key.tgid);
	}
	if (!process)
		return;
	process->n_slow[part]++;
	process->slow_ns[part] += event->ns;
	wait_process_add_slowest(process, event);
}

/* Those that only had slow waits told get their sums. */
static void watch_fill_process(void *arg, uint32_t pid, const struct waits_process *seen)
{
	struct watch_state *state = arg;
	struct wait_process *process = watch_process(state, pid);

	if (!process) {
		watch_add_process(state, pid, seen);
		return;
	}
	process->seen = *seen;
	process->wall_ns = seen->ended_ns;
}

static void watch_follow(struct watch_state *state, pid_t pid)
{
	char comm[WAITS_COMM] = "";

	ARRAY_GROW(state->before, state->n_before, state->before_room);
	wait_count((uint32_t)pid, &state->before[state->n_before++]);
	wait_process_comm((uint32_t)pid, comm);
	wait_probe_follow(state->probe, pid, comm);
	if (!state->wanted->all)
		wait_frames_target(&state->look->frames, pid);
}

static void watch_counted_since(struct watch_state *state)
{
	size_t i;

	for (i = 0; i < state->n_before; i++) {
		const struct wait_counted *before = &state->before[i];
		struct wait_process *process = watch_process(state, before->pid);
		struct wait_counted now;

		if (!process || process->seen.died_ns)
			continue;
		wait_count(before->pid, &now);
		process->user_ticks = now.user_ticks - before->user_ticks;
		process->system_ticks = now.system_ticks - before->system_ticks;
		process->written_bytes = now.written_bytes - before->written_bytes;
	}
}

static void watch_taken_since(struct watch_state *state)
{
	struct wait_taken now;
	double interrupts, stolen;

	wait_count_taken(&now);
	interrupts = now.interrupts - state->taken.interrupts;
	stolen = now.stolen - state->taken.stolen;
	state->look->stolen_share = interrupts + stolen > 0 ? stolen / (interrupts + stolen) : NAN;
}

static int watch_kind_order(const void *a, const void *b)
{
	const struct wait_kind *left = a, *right = b;

	return left->sum.ns > right->sum.ns ? -1 : left->sum.ns < right->sum.ns;
}

static int watch_party_order(const void *a, const void *b)
{
	const struct wait_party *left = a, *right = b;

	return left->ns > right->ns ? -1 : left->ns < right->ns;
}

static int watch_child_order(const void *a, const void *b)
{
	const struct wait_child *left = a, *right = b;

	return left->sum.count > right->sum.count ? -1 : left->sum.count < right->sum.count;
}

static void watch_free_process(struct wait_process *process)
{
	free(process->kinds);
	free(process->behind);
	free(process->children);
}

/* Children of the targets were followed before it was known what they would become: of those that
 * are no targets nothing is said. */
static void watch_children_only(struct watch_state *state, const struct wait_targets *targets)
{
	struct wait_look *look = state->look;
	size_t i, n = 0;

	if (!wait_targets_may_grow(targets))
		return;
	number_map_clear(&state->places);
	for (i = 0; i < look->n; i++) {
		struct wait_process *process = &look->processes[i];

		if (!wait_targets_has(targets, (pid_t)process->pid, process->seen.comm)) {
			watch_free_process(process);
			continue;
		}
		if (!process->seen.died_ns)
			wait_process_comm(process->pid, process->seen.comm);
		number_map_add(&state->places, process->pid, n);
		look->processes[n++] = *process;
	}
	look->n = n;
}

static void watch_gather(struct watch_state *state, const struct wait_targets *targets)
{
	struct wait_look *look = state->look;
	size_t i;

	state->began_ns = wait_probe_began(state->probe);
	state->ended_ns = wait_probe_ended(state->probe);
	look->began_ns = state->began_ns;
	look->seconds = (double)(state->ended_ns - state->began_ns) / 1e9;
	look->lost = *wait_probe_lost(state->probe);
	look->calls_seconds = wait_probe_calls_seconds(state->probe);
	look->sees_calls = look->calls_seconds > 0;
	look->sees_locks = wait_probe_sees_locks(state->probe);
	wait_probe_processes(state->probe, watch_fill_process, state);
	wait_probe_sums(state->probe, watch_add_sum, state);
	wait_probe_threads(state->probe, watch_add_thread, state);
	wait_probe_behind(state->probe, watch_add_behind, state);
	wait_probe_children(state->probe, watch_add_child, state);
	watch_children_only(state, targets);
	watch_counted_since(state);
	watch_taken_since(state);
	look->swapped_in = wait_count_swapped_in() != state->swapped_in;
	for (i = 0; i < look->n; i++) {
		struct wait_process *process = &look->processes[i];

		if (process->n_kinds)
			qsort(process->kinds, process->n_kinds, sizeof(*process->kinds),
				watch_kind_order);
		if (process->n_behind)
			qsort(process->behind, process->n_behind, sizeof(*process->behind),
				watch_party_order);
		if (process->n_children)
			qsort(process->children, process->n_children, sizeof(*process->children),
				watch_child_order);
	}
}

/* Whether all that are looked at have ended: then there is nothing to wait for. */
static bool watch_is_over(const struct wait_targets *targets)
{
	char path[32];
	size_t i;

	for (i = 0; i < targets->n; i++) {
		snprintf(path, sizeof(path), "/proc/%d", (int)targets->pids[i]);
		if (!access(path, F_OK))
			return false;
	}
	return true;
}

/* Who has come to the targets, other than as a child of one. Asking for it may take a twentieth of
 * the time. */
static void watch_again(struct watch_state *state, struct wait_targets *targets, double elapsed)
{
	const double began = monotonic_seconds();
	size_t i = targets->n;

	if (!wait_targets_may_grow(targets) || elapsed < state->again)
		return;
	wait_targets_again(targets);
	for (; i < targets->n; i++) {
		watch_follow(state, targets->pids[i]);
		wait_seed_process(state->probe, targets->pids[i]);
	}
	state->again = elapsed + AGAIN_SECONDS + 20 * (monotonic_seconds() - began);
}

/* To count system calls costs every one of the machine something. Of a target it is done at the
 * beginning, for it may end soon; of all processes at the end, when most that matter are there. */
static void watch_calls(struct watch_state *state, double share)
{
	wait_probe_see_calls(
		state->probe, state->wanted->all ? share >= 1 - CALLS_SHARE : share < CALLS_SHARE);
}

static void watch_watch(
	struct watch_state *state, const struct wait_options *asked, struct wait_targets *targets)
{
	const double began = monotonic_seconds();
	double elapsed = 0;

	watch_calls(state, 0);
	while (elapsed < asked->seconds && !progress_told_to_stop()) {
		const double left = asked->seconds - elapsed;

		usleep(left < TAKE_MS / 1e3 ? (useconds_t)(left * 1e6) + 1 : TAKE_MS * 1000);
		wait_probe_take(state->probe);
		wait_disks_take(&state->look->disks);
		wait_frames_take(&state->look->frames);
		elapsed = monotonic_seconds() - began;
		watch_calls(state, elapsed / asked->seconds);
		if (asked->seconds > 2)
			progress_show("watching who waits", elapsed / asked->seconds);
		watch_again(state, targets, elapsed);
		if (targets->by == WAIT_BY_PID && watch_is_over(targets))
			break;
	}
	state->look->interrupted = progress_told_to_stop();
	progress_end();
}

int wait_look_run(
	struct wait_look *look, const struct wait_options *asked, struct wait_targets *targets)
{
	struct watch_state state = {.look = look};
	const struct wait_wanted wanted = {
		.all = targets->by == WAIT_BY_ALL,
		.children = wait_targets_may_grow(targets),
		.slow_ns = (uint64_t)(asked->slow_seconds * 1e9),
		.slow = watch_slow,
		.arg = &state,
	};
	struct str why = STR_INIT;
	size_t i;
	int err;

	*look = (struct wait_look){0};
	state.wanted = &wanted;
	err = wait_probe_open(&state.probe, &wanted, &why);
	if (err) {
		fprintf(stderr, "%s: %s\n", asked->program, str_text(&why));
		str_free(&why);
		return err;
	}
	wait_disks_open(&look->disks);
	wait_frames_open(&look->frames, wanted.all);
	for (i = 0; i < targets->n; i++)
		watch_follow(&state, targets->pids[i]);
	for (i = 0; i < targets->n; i++)
		wait_seed_process(state.probe, targets->pids[i]);
	state.swapped_in = wait_count_swapped_in();
	wait_count_taken(&state.taken);
	wait_disks_begin(&look->disks);
	wait_frames_begin(&look->frames);
	wait_probe_begin(state.probe);
	watch_watch(&state, asked, targets);
	wait_probe_end(state.probe);
	wait_disks_end(&look->disks);
	wait_frames_end(&look->frames);
	watch_gather(&state, targets);
	wait_probe_close(state.probe);
	number_map_free(&state.places);
	free(state.before);
	str_free(&why);
	return 0;
}

double wait_look_confidence(const struct wait_look *look)
{
	const struct waits_lost *lost = &look->lost;
	const uint64_t gone = lost->threads + lost->sums + lost->behind + lost->children;
	uint64_t kept = 0;
	size_t i;

	/* Each switch of a thread is an event that could have been lost. */
	for (i = 0; i < look->n; i++)
		kept += look->processes[i].seen.switches;
	return gone ? (double)kept / (double)(kept + gone) : 1;
}

void wait_look_free(struct wait_look *look)
{
	size_t i;

	for (i = 0; i < look->n; i++)
		watch_free_process(&look->processes[i]);
	free(look->processes);
	wait_disks_free(&look->disks);
	wait_frames_free(&look->frames);
	*look = (struct wait_look){0};
}
