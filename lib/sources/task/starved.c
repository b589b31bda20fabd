/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which thread could run and was left without a CPU, for how long at once, and who had its CPU?
 *
 * Instances are "TID@START", those with the longest waits of each sample. waiting_seconds is the
 * wait under way, as the kernel stamped its beginning; from a walk of /proc, since the first sample
 * that saw the thread runnable with counters that stand still, so at least that long.
 *
 * A wait that began and ended between two samples is told by what the scheduler adds up for
 * /proc/PID/schedstat. It adds a wait when it ends, so that one which began earlier is in the
 * sample after its end, whole. Of a thread's waits since the sample before, ended_seconds is how
 * long the longest was at least: to the nanosecond where it is the longest that the thread ever had
 * (the kernel keeps that since Linux 6.14), else the mean of them, which is the wait itself where
 * there was but one. possible_seconds is how long it was at most: their sum, or the longest ever;
 * without that it has none.
 *
 * Threads that wait by their own wish (nice, SCHED_BATCH, SCHED_IDLE, cpu.idle) are left out.
 * "none" is always there, with 0. The culprit is never who waits: it is the thread that ran most on
 * the same CPU meanwhile, as far as threads are still where they ran.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>
#include <stdio.h>

#include "base/culprit.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/task/task.h"
#include "sources/task/task_group.h"

#define WORST 8	       /* so many threads of each kind of wait are told, a sample */
#define BEHIND_MAX 256 /* so many that had a CPU are remembered */
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_DEADLINE 6

/* What is kept of a thread until the next sample. */
struct starved_thread {
	uint64_t start, cpu_ns, run_delay_ns, timeslices, longest_ns, wait_ns;
	uint64_t still_since_ns; /* when its counters were first seen as they are */
	uint64_t ran_ns,
		ran_before_ns; /* since the sample before, and up to that from the one before */
	uint32_t tid, tgid, policy, cpu_and_1, allowed_cpus;
	bool known; /* what it waited */
	bool stamped, runnable, by_wish;
	char comm[16];
};

struct starved_threads {
	struct starved_thread *list;
	size_t n, room;
	uint64_t time_ns;
};

/* The longest wait of a thread so far, and who had its CPU. */
struct behind {
	uint64_t start, wait_ns;
	uint32_t tid, tgid;
	char comm[16];
	char label[160];
	bool known; /* who it was */
};

enum starved_kind { KIND_WAITING, KIND_ENDED, KIND_POSSIBLE, KINDS };

/* The longest waits of one kind, the worst first. */
struct starved_worst {
	size_t at[WORST];
	uint64_t ns[WORST];
	size_t n;
};

struct starved {
	void *threads; /* of task_open */
	struct starved_threads now, before;
	struct starved_worst worst[KINDS];
	struct behind behind[BEHIND_MAX];
	size_t n_behind;
	bool any[KINDS]; /* whose waits of this kind are known */
};

static const char *const starved_fields[KINDS] = {
	[KIND_WAITING] = "waiting_seconds",
	[KIND_ENDED] = "ended_seconds",
	[KIND_POSSIBLE] = "possible_seconds",
};

static int open_starved(struct capture *fs, void **state)
{
	struct starved *starved = mem_zalloc(sizeof(*starved));

	*state = starved;
	return task_open(fs, &starved->threads);
}

static void close_starved(void *state)
{
	struct starved *starved = state;

	free(starved->now.list);
	free(starved->before.list);
	free(starved);
}

static void starved_take(void *arg, const struct task_record *task)
{
	struct starved *starved = arg;
	struct starved_threads *now = &starved->now;
	struct starved_thread *thread;

	ARRAY_GROW(now->list, now->n, now->room);
	thread = &now->list[now->n++];
	*thread = (struct starved_thread){
		.start = task->start,
		.cpu_ns = task->cpu_ns,
		.run_delay_ns = task->run_delay_ns,
		.timeslices = task->timeslices,
		.longest_ns = task->longest_delay_ns,
		.wait_ns = task->queued ? task->wait_ns : 0,
		.still_since_ns = now->time_ns,
		.tid = task->tid,
		.tgid = task->tgid,
		.policy = task->policy,
		.cpu_and_1 = task->cpu_and_1,
		.allowed_cpus = task->allowed_cpus,
		.known = task->has & TASK_HAS_DELAY,
		.stamped = task->has & TASK_HAS_WAIT,
		.runnable = task->runnable != 0,
		.by_wish = task_is_nice(task),
	};
	memcpy(thread->comm, task->comm, sizeof(thread->comm) - 1);
	starved->any[KIND_WAITING] |= thread->stamped;
	starved->any[KIND_ENDED] |= thread->known;
	starved->any[KIND_POSSIBLE] |= thread->longest_ns > 0;
}

static int starved_by_tid(const void *a, const void *b)
{
	const struct starved_thread *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* The iterator gives them in this order already. */
static void starved_sort(struct starved_threads *threads)
{
	size_t i;

	for (i = 1; i < threads->n; i++)
		if (threads->list[i - 1].tid > threads->list[i].tid) {
			qsort(threads->list, threads->n, sizeof(*threads->list), starved_by_tid);
			return;
		}
}

/* Keeps the longest waits: a list of eight is searched quicker than it is sorted. */
static void starved_rank(struct starved *starved, enum starved_kind kind, size_t at, uint64_t ns)
{
	struct starved_worst *worst = &starved->worst[kind];
	size_t i = worst->n;

	if (!ns || (worst->n == WORST && ns <= worst->ns[WORST - 1]))
		return;
	if (worst->n == WORST)
		i--;
	else
		worst->n++;
	for (; i && worst->ns[i - 1] < ns; i--) {
		worst->ns[i] = worst->ns[i - 1];
		worst->at[i] = worst->at[i - 1];
	}
	worst->ns[i] = ns;
	worst->at[i] = at;
}

/* Of a walk of /proc: since when it has wanted to run and has not. */
static uint64_t starved_stands_still(const struct starved *starved, struct starved_thread *thread,
	const struct starved_thread *before)
{
	if (!before || thread->stamped || !thread->known || !thread->runnable ||
		!before->runnable || thread->cpu_ns != before->cpu_ns ||
		thread->timeslices != before->timeslices)
		return 0;
	thread->still_since_ns = before->still_since_ns;
	return starved->now.time_ns - thread->still_since_ns;
}

/* What it waited since the sample before, told by what has been added to its counters. */
static void starved_compare_ended(
	struct starved *starved, size_t at, const struct starved_thread *before)
{
	const struct starved_thread *thread = &starved->now.list[at];
	uint64_t grew, slices;

	if (!thread->known || thread->run_delay_ns <= before->run_delay_ns ||
		thread->timeslices <= before->timeslices)
		return;
	grew = thread->run_delay_ns - before->run_delay_ns;
	slices = thread->timeslices - before->timeslices;
	starved_rank(starved, KIND_ENDED, at,
		thread->longest_ns > before->longest_ns && thread->longest_ns <= grew
			? thread->longest_ns
			: grew / slices);
	starved_rank(
		starved, KIND_POSSIBLE, at, thread->longest_ns < grew ? thread->longest_ns : grew);
}

/* One that was not there has had its whole life since, unless it is only now within what is read.
 */
static bool starved_is_new(const struct starved *starved, const struct starved_thread *thread)
{
	return starved->before.time_ns &&
		thread->cpu_ns + thread->run_delay_ns <=
		starved->now.time_ns - starved->before.time_ns;
}

static void starved_compare(struct starved *starved, size_t at, const struct starved_thread *before)
{
	struct starved_thread *thread = &starved->now.list[at];
	const struct starved_thread none = {0};
	uint64_t still = starved_stands_still(starved, thread, before);

	if (!thread->by_wish)
		starved_rank(starved, KIND_WAITING, at,
			still > thread->wait_ns ? still : thread->wait_ns);
	if (!before && !starved_is_new(starved, thread))
		return;
	before = before ? before : &none;
	if (thread->cpu_ns > before->cpu_ns)
		thread->ran_ns = thread->cpu_ns - before->cpu_ns;
	thread->ran_before_ns = before->ran_ns;
	if (!thread->by_wish)
		starved_compare_ended(starved, at, before);
}

/* Both lists are in the order of their numbers, so one walk through both finds who was there. */
static void starved_compare_all(struct starved *starved)
{
	const struct starved_threads *before = &starved->before;
	size_t at, b = 0;

	for (at = 0; at < starved->now.n; at++) {
		const struct starved_thread *thread = &starved->now.list[at], *same = NULL;

		while (b < before->n && before->list[b].tid < thread->tid)
			b++;
		if (b < before->n && before->list[b].tid == thread->tid &&
			before->list[b].start == thread->start)
			same = &before->list[b];
		starved_compare(starved, at, same);
	}
}

/* For how long a thread ran, of what can have been during a wait that has just ended or goes on. */
static uint64_t starved_ran(
	const struct starved *starved, const struct starved_thread *thread, uint64_t wait_ns)
{
	bool longer = wait_ns > starved->now.time_ns - starved->before.time_ns;

	return thread->ran_ns + (longer ? thread->ran_before_ns : 0);
}

static bool starved_is_realtime(uint32_t policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

/* The thread that ran most on the CPU of this one; NULL where none is known to have. Where a thread
 * ran before it came to this CPU nobody knows, so a real-time thread that ran for half of the wait
 * comes first: it shares with nobody. */
static const struct starved_thread *starved_behind(
	const struct starved *starved, const struct starved_thread *thread, uint64_t wait_ns)
{
	const struct starved_thread *found = NULL;
	bool found_realtime = false;
	uint64_t most = 0;
	size_t i;

	for (i = 0; thread->cpu_and_1 && i < starved->now.n; i++) {
		const struct starved_thread *other = &starved->now.list[i];
		uint64_t ran = starved_ran(starved, other, wait_ns);
		bool realtime = starved_is_realtime(other->policy) && ran >= wait_ns / 2;

		if (other->cpu_and_1 != thread->cpu_and_1 || other->tid == thread->tid || !ran ||
			realtime < found_realtime || (realtime == found_realtime && ran <= most))
			continue;
		found = other;
		found_realtime = realtime;
		most = ran;
	}
	return found;
}

static const char *starved_policy(uint32_t policy)
{
	return policy == SCHED_FIFO	   ? ", SCHED_FIFO"
		: policy == SCHED_RR	   ? ", SCHED_RR"
		: policy == SCHED_DEADLINE ? ", SCHED_DEADLINE"
					   : "";
}

/* "web (pid 12) behind spin (pid 13, SCHED_FIFO) on CPU 1, the only one that it may use" */
static void starved_label(const struct starved_thread *thread, const struct starved_thread *ran,
	char *out, size_t size)
{
	struct str label = STR_INIT;

	str_addf(&label, "%s (pid %u)", thread->comm, thread->tgid);
	if (ran && ran->tgid == thread->tgid)
		str_add(&label, " behind another of its threads");
	else if (ran)
		str_addf(&label, " behind %s (pid %u%s)", ran->comm, ran->tgid,
			starved_policy(ran->policy));
	if (thread->cpu_and_1)
		str_addf(&label, " on CPU %u%s", thread->cpu_and_1 - 1,
			thread->allowed_cpus == 1 ? ", the only one that it may use" : "");
	snprintf(out, size, "%s", str_text(&label));
	str_free(&label);
}

/* What is remembered of a thread, or a place for it where that is nothing. */
static struct behind *starved_recall(struct starved *starved, const struct starved_thread *thread)
{
	size_t known = starved->n_behind < BEHIND_MAX ? starved->n_behind : BEHIND_MAX, i;
	struct behind *behind;

	for (i = 0; i < known; i++)
		if (starved->behind[i].tid == thread->tid &&
			starved->behind[i].start == thread->start)
			return &starved->behind[i];
	behind = &starved->behind[starved->n_behind++ % BEHIND_MAX];
	*behind = (struct behind){.start = thread->start, .tid = thread->tid};
	return behind;
}

/* Whoever had the CPU in the longest wait is told, whenever that was. */
static void starved_put(
	struct starved *starved, struct sink *sink, enum starved_kind kind, size_t i)
{
	const struct starved_worst *worst = &starved->worst[kind];
	const struct starved_thread *thread = &starved->now.list[worst->at[i]];
	struct behind *behind = starved_recall(starved, thread);
	char instance[48];

	if (worst->ns[i] > behind->wait_ns) {
		const struct starved_thread *ran = starved_behind(starved, thread, worst->ns[i]);

		behind->wait_ns = worst->ns[i];
		behind->known = ran != NULL;
		behind->tgid = ran ? ran->tgid : 0;
		memcpy(behind->comm, ran ? ran->comm : "", ran ? sizeof(behind->comm) : 1);
		starved_label(thread, ran, behind->label, sizeof(behind->label));
	}
	snprintf(instance, sizeof(instance), "%u@%llu", thread->tid,
		(unsigned long long)thread->start);
	sink_put(sink, instance, starved_fields[kind], (double)worst->ns[i] / 1e9);
	sink_label(sink, instance, behind->label);
}

static void starved_begin(struct capture *fs, struct starved *starved)
{
	struct starved_threads recycled = starved->before;

	starved->before = starved->now;
	recycled.n = 0;
	recycled.time_ns = capture_time_ns(fs);
	starved->now = recycled;
	memset(starved->any, 0, sizeof(starved->any));
	memset(starved->worst, 0, sizeof(starved->worst));
}

/* In the first sample nobody knows what the waits of a life were. */
static void starved_put_all(struct starved *starved, struct sink *sink)
{
	bool first = !starved->before.time_ns;
	enum starved_kind kind;
	size_t i;

	for (kind = 0; kind < KINDS; kind++) {
		if (!sink_wants(sink, starved_fields[kind]) || (kind != KIND_WAITING && first))
			continue;
		for (i = 0; i < starved->worst[kind].n; i++)
			starved_put(starved, sink, kind, i);
		if (starved->any[kind])
			sink_put(sink, "none", starved_fields[kind], 0);
	}
}

static int read_starved(struct capture *fs, void *state, struct sink *sink)
{
	struct starved *starved = state;
	int err;

	starved_begin(fs, starved);
	err = task_each(fs, starved->threads, sink, starved_take, starved);
	if (err) {
		sink_missing(sink, "threads: %s", strerror(-err));
		return err;
	}
	starved_sort(&starved->now);
	starved_compare_all(starved);
	starved_put_all(starved, sink);
	if (!starved->any[KIND_WAITING])
		task_missing(starved->threads, sink, "the wait time of threads");
	return 0;
}

static bool starved_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct starved *starved = state;
	size_t i;

	(void)fs;
	for (i = 0; i < starved->n_behind && i < BEHIND_MAX; i++) {
		const struct behind *behind = &starved->behind[i];
		char name[48];

		snprintf(name, sizeof(name), "%u@%llu", behind->tid,
			(unsigned long long)behind->start);
		if (!behind->known || strcmp(name, instance) != 0)
			continue;
		snprintf(out->kind, sizeof(out->kind), "process");
		snprintf(out->name, sizeof(out->name), "%s", behind->comm);
		snprintf(out->id, sizeof(out->id), "%u", behind->tgid);
		return true;
	}
	return false;
}

SOURCE(starved) = {
	.name = "starved",
	.what = "threads that could run and were left without a CPU, how long, and behind whom",
	.open = open_starved,
	.read = read_starved,
	.close = close_starved,
	.culprit = starved_culprit,
	.fleeting = true,
	.groups = TASK_GROUPS,
	.group_of = task_group_of,
};
