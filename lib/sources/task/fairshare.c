/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does a thread get the share of its CPU that its weight gives it?
 *
 * Compared are threads that could have run all of the time since the sample before, in the same
 * group, on the same CPU, and found there both times: the scheduler shares among these by weight
 * alone, whatever others take from all of them. A step of nice is a quarter more or less
 * (the kernel's Documentation/scheduler/sched-nice-design.rst), SCHED_IDLE weighs 3 where nice 0
 * weighs 1024.
 *
 * Instances are such threads, "TID@START", where there are two at least: got_ratio of the time that
 * all of these had, expected_ratio by their weights, and of_expected_ratio, the one over the other.
 * "none" is there with 1 where any thread is to be seen. The culprit is who of them had most above
 * its own share.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>
#include <math.h>

#include "base/culprit.h"
#include "base/hash.h"
#include "base/number_map.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/task/task.h"

#define PF_KTHREAD 0x00200000
#define SCHED_IDLE 5
#define SCHED_BATCH 3
#define SCHED_NORMAL 0
#define WEIGHT_NICE_0 1024
#define WEIGHT_IDLE 3
#define STEP 1.25      /* of a weight, for each nice value */
#define ALWAYS 0.9     /* of the time since the sample before, for somebody who could always run */
#define CANDIDATES 128 /* so many of those are compared */

struct fairshare_thread {
	uint64_t start, cpu_ns, run_delay_ns;
	uint32_t tid, cpu_and_1;
};

struct fairshare_candidate {
	uint64_t start, ran_ns, group;
	uint32_t tid, tgid, cpu_and_1;
	double weight, expected, got;
	char comm[16];
	int32_t nice;
};

struct fairshare {
	void *threads; /* of task_open */
	struct fairshare_thread *before, *now;
	size_t n_before, n_now, room_before, room_now;
	struct number_map places; /* in before, by thread */
	uint64_t before_ns, now_ns;
	struct fairshare_candidate candidates[CANDIDATES];
	size_t n;
	bool any; /* thread was seen now, whatever its policy */
};

static int open_fairshare(struct capture *fs, void **state)
{
	struct fairshare *share = mem_zalloc(sizeof(*share));

	*state = share;
	return task_open(fs, &share->threads);
}

static void close_fairshare(void *state)
{
	struct fairshare *share = state;

	free(share->before);
	free(share->now);
	number_map_free(&share->places);
	free(share);
}

static double fairshare_weight(const struct task_record *task)
{
	return task->policy == SCHED_IDLE ? WEIGHT_IDLE
					  : WEIGHT_NICE_0 * pow(STEP, -(double)task->nice);
}

static bool fairshare_is_fair(const struct task_record *task)
{
	return (task->policy == SCHED_NORMAL || task->policy == SCHED_BATCH ||
		       task->policy == SCHED_IDLE) &&
		!(task->flags & PF_KTHREAD) && task->has & TASK_HAS_DELAY && task->cpu_and_1;
}

static const struct fairshare_thread *fairshare_before(
	const struct fairshare *share, const struct task_record *task)
{
	size_t at;

	if (!number_map_get(&share->places, task->tid, &at) ||
		share->before[at].start != task->start)
		return NULL;
	return &share->before[at];
}

static void fairshare_candidate(struct fairshare *share, const struct task_record *task,
	const struct fairshare_thread *before)
{
	const uint64_t ran = task->cpu_ns - before->cpu_ns,
		       waited = task->run_delay_ns - before->run_delay_ns;
	struct fairshare_candidate *candidate;

	if (share->n == CANDIDATES || task->cpu_ns < before->cpu_ns ||
		task->run_delay_ns < before->run_delay_ns || before->cpu_and_1 != task->cpu_and_1 ||
		(double)(ran + waited) < ALWAYS * (double)(share->now_ns - share->before_ns))
		return;
	candidate = &share->candidates[share->n++];
	*candidate = (struct fairshare_candidate){.start = task->start,
		.ran_ns = ran,
		.tid = task->tid,
		.tgid = task->tgid,
		.cpu_and_1 = task->cpu_and_1,
		.nice = task->nice,
		.weight = fairshare_weight(task)};
	memcpy(candidate->comm, task->comm, sizeof(candidate->comm) - 1);
}

static void fairshare_take(void *arg, const struct task_record *task)
{
	struct fairshare *share = arg;
	const struct fairshare_thread *before;

	share->any = true;
	if (!fairshare_is_fair(task))
		return;
	ARRAY_GROW(share->now, share->n_now, share->room_now);
	share->now[share->n_now++] = (struct fairshare_thread){.start = task->start,
		.cpu_ns = task->cpu_ns,
		.run_delay_ns = task->run_delay_ns,
		.tid = task->tid,
		.cpu_and_1 = task->cpu_and_1};
	before = fairshare_before(share, task);
	if (before)
		fairshare_candidate(share, task, before);
}

/* What the scheduler takes for one group: all cgroups of a process, and its session. */
static uint64_t fairshare_group(struct capture *fs, uint32_t pid)
{
	static const char *const files[] = {"cgroup", "autogroup"};
	struct str all = STR_INIT;
	struct bytes text;
	uint64_t group;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = mem_printf("/proc/%u/%s", pid, files[i]);

		if (!capture_read_once(fs, path, &text))
			str_addn(&all, text.data, text.len);
		str_addc(&all, 0);
		free(path);
	}
	group = hash_keyed(str_text(&all), all.len);
	str_free(&all);
	return group;
}

static bool fairshare_siblings(
	const struct fairshare_candidate *a, const struct fairshare_candidate *b)
{
	return a->cpu_and_1 == b->cpu_and_1 && a->group == b->group;
}

static void fairshare_put(
	struct fairshare *share, struct fairshare_candidate *candidate, struct sink *sink)
{
	double weights = 0, ran = 0;
	char instance[48], label[96];
	size_t i, n = 0;

	for (i = 0; i < share->n; i++) {
		const struct fairshare_candidate *other = &share->candidates[i];

		if (!fairshare_siblings(candidate, other))
			continue;
		weights += other->weight;
		ran += (double)other->ran_ns;
		n++;
	}
	if (n < 2 || ran <= 0)
		return;
	candidate->expected = candidate->weight / weights;
	candidate->got = (double)candidate->ran_ns / ran;
	snprintf(instance, sizeof(instance), "%u@%llu", candidate->tid,
		(unsigned long long)candidate->start);
	sink_put(sink, instance, "got_ratio", candidate->got);
	sink_put(sink, instance, "expected_ratio", candidate->expected);
	sink_put(sink, instance, "of_expected_ratio", candidate->got / candidate->expected);
	snprintf(label, sizeof(label), "%s (pid %u, nice %d) on CPU %u", candidate->comm,
		candidate->tgid, candidate->nice, candidate->cpu_and_1 - 1);
	sink_label(sink, instance, label);
}

static void fairshare_begin(struct capture *fs, struct fairshare *share)
{
	struct fairshare_thread *recycled = share->before;
	const size_t room = share->room_before;
	size_t i;

	share->before = share->now;
	share->n_before = share->n_now;
	share->room_before = share->room_now;
	share->before_ns = share->now_ns;
	share->now = recycled;
	share->room_now = room;
	share->n_now = share->n = 0;
	share->any = false;
	share->now_ns = capture_time_ns(fs);
	number_map_clear(&share->places);
	for (i = 0; i < share->n_before; i++)
		number_map_add(&share->places, share->before[i].tid, i);
}

static int read_fairshare(struct capture *fs, void *state, struct sink *sink)
{
	struct fairshare *share = state;
	size_t i;
	int err;

	fairshare_begin(fs, share);
	err = task_each(fs, share->threads, sink, fairshare_take, share);
	if (err) {
		sink_missing(sink, "threads: %s", strerror(-err));
		return err;
	}
	if (!share->any) {
		sink_missing(sink, "no thread is to be seen");
		return 0;
	}
	sink_put(sink, "none", "of_expected_ratio", 1);
	if (share->n < 2)
		return 0;
	for (i = 0; i < share->n; i++)
		share->candidates[i].group = fairshare_group(fs, share->candidates[i].tgid);
	for (i = 0; i < share->n; i++)
		fairshare_put(share, &share->candidates[i], sink);
	return 0;
}

static const struct fairshare_candidate *fairshare_named(
	const struct fairshare *share, const char *instance)
{
	char name[48];
	size_t i;

	for (i = 0; i < share->n; i++) {
		snprintf(name, sizeof(name), "%u@%llu", share->candidates[i].tid,
			(unsigned long long)share->candidates[i].start);
		if (!strcmp(name, instance))
			return &share->candidates[i];
	}
	return NULL;
}

static bool fairshare_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct fairshare *share = state;
	const struct fairshare_candidate *victim = fairshare_named(share, instance), *most = NULL;
	size_t i;

	(void)fs;
	for (i = 0; victim && i < share->n; i++) {
		const struct fairshare_candidate *other = &share->candidates[i];

		if (other != victim && fairshare_siblings(victim, other) &&
			(!most || other->got - other->expected > most->got - most->expected))
			most = other;
	}
	if (!most)
		return false;
	snprintf(out->kind, sizeof(out->kind), "process");
	snprintf(out->name, sizeof(out->name), "%s", most->comm);
	snprintf(out->id, sizeof(out->id), "%u", most->tgid);
	return true;
}

SOURCE(fairshare) = {
	.name = "fairshare",
	.what = "threads that could always run: their share of the CPU, and what their weight "
		"gives",
	.open = open_fairshare,
	.close = close_fairshare,
	.read = read_fairshare,
	.culprit = fairshare_culprit,
	.fleeting = true,
};
