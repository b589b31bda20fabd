/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads have been in one uninterruptible sleep (state D) since the sample before, for how
 * long, and in which function of the kernel?
 *
 * Instances are "TID@START". seconds is how long the sleep has lasted: as the kernel stamped it or,
 * where that needs rights that we lack, since the first sample that saw it, so at least that long.
 * killable_seconds is the same of those that SIGKILL may end; where that is not known, of all.
 * FUNCTION.seconds is of those whose function begins with FUNCTION ("rpc_.seconds"). Who waits by
 * its own wish (for the child of a vfork, for the freezer to let go) is left out. "none" is always
 * there, with 0.
 */
#include "base/banned.h"

#include <linux/types.h>
#include <stdio.h>

#include "sources/task/task_group.h"
#include "base/culprit.h"
#include "base/number_map.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/task/task.h"

#define SLEEPERS_MAX 4096
#define FUNCTIONS_MAX 64 /* so many are looked up a sample */
#define SUFFIX ".seconds"

/* A thread in uninterruptible sleep, and since when it has not run. */
struct sleeper {
	struct task_record task;
	uint64_t since_ns;
};

struct blocked {
	void *threads; /* of task_open */
	struct sleeper *now, *before;
	size_t n_now, n_before, room_now, room_before;
	struct number_map before_by_tid; /* their numbers in before */
	uint64_t time_ns, time_before_ns;
	size_t looked_up;
	bool unknown;	 /* the function of one could not be read */
	size_t too_many; /* how many were looked at where there were more; 0: all were */
	bool any;	 /* thread at all */
};

static int open_blocked(struct capture *fs, void **state)
{
	struct blocked *blocked = mem_zalloc(sizeof(*blocked));

	*state = blocked;
	return task_open(fs, &blocked->threads);
}

static void close_blocked(void *state)
{
	struct blocked *blocked = state;

	free(blocked->now);
	free(blocked->before);
	number_map_free(&blocked->before_by_tid);
	free(blocked);
}

/* Whether b is the same sleep as a: the thread has not run in between. */
static bool blocked_is_same_sleep(const struct task_record *a, const struct task_record *b)
{
	return a->tid == b->tid && a->start == b->start && a->timeslices == b->timeslices &&
		a->cpu_ns == b->cpu_ns;
}

static uint64_t blocked_since(const struct blocked *blocked, const struct task_record *task)
{
	uint64_t now = blocked->time_ns;
	size_t i;

	if (task->wait_ns)
		return now > task->wait_ns ? now - task->wait_ns : 0;
	if (number_map_get(&blocked->before_by_tid, task->tid, &i) &&
		blocked_is_same_sleep(&blocked->before[i].task, task))
		return blocked->before[i].since_ns;
	return now;
}

static void blocked_take(void *arg, const struct task_record *task)
{
	struct blocked *blocked = arg;

	blocked->any = true;
	if (!task->blocked)
		return;
	if (blocked->n_now == SLEEPERS_MAX) {
		blocked->too_many = SLEEPERS_MAX;
		return;
	}
	ARRAY_GROW(blocked->now, blocked->n_now, blocked->room_now);
	blocked->now[blocked->n_now++] = (struct sleeper){*task, blocked_since(blocked, task)};
}

/* The function that it sleeps in, cut to size; "" where it cannot be read. */
static void blocked_function(struct capture *fs, uint32_t tid, char *out, size_t size)
{
	struct bytes wchan, line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/wchan", tid);
	if (!capture_read_hidden(fs, path, &wchan) && text_any_line(&wchan, &line) &&
		!text_is(line, "0"))
		snprintf(out, size, "%.*s", (int)(line.len < size ? line.len : size), line.data);
}

/* A parent until the child of a vfork runs another program; a task that the freezer holds. */
static bool blocked_by_wish(const char *function)
{
	return str_matches(function,
		"kernel_clone _do_fork do_fork wait_for_vfork_done __refrigerator *_freezer*");
}

struct of_function {
	struct sink *sink;
	const char *instance, *function;
	double seconds;
};

static void blocked_put_function(void *arg, const char *field)
{
	const struct of_function *of = arg;
	size_t len = strlen(field), suffix = strlen(SUFFIX);

	if (len > suffix && !strcmp(field + len - suffix, SUFFIX) &&
		(!of->function || !strncmp(of->function, field, len - suffix)))
		sink_put(of->sink, of->instance, field, of->seconds);
}

/* function is NULL for "none", which is in the function of everybody who asks. */
static void blocked_put(struct sink *sink, const char *instance, const char *function,
	double seconds, bool killable)
{
	struct of_function of = {sink, instance, function, seconds};

	sink_put(sink, instance, "seconds", seconds);
	if (killable)
		sink_put(sink, instance, "killable_seconds", seconds);
	sink_each_wanted(sink, blocked_put_function, &of);
}

static void blocked_instance(const struct task_record *task, char *out, size_t size)
{
	snprintf(out, size, "%u@%llu", task->tid, (unsigned long long)task->start);
}

static void blocked_put_sleeper(struct capture *fs, struct blocked *blocked, struct sink *sink,
	const struct sleeper *sleeper)
{
	const struct task_record *task = &sleeper->task;
	char instance[48], label[160], function[64] = "";

	if (sleeper->since_ns > blocked->time_before_ns)
		return;
	if (blocked->looked_up == FUNCTIONS_MAX) {
		blocked->too_many = FUNCTIONS_MAX;
		return;
	}
	blocked->looked_up++;
	blocked_function(fs, task->tid, function, sizeof(function));
	if (!*function)
		blocked->unknown = true;
	if (!*function || blocked_by_wish(function))
		return;
	blocked_instance(task, instance, sizeof(instance));
	blocked_put(sink, instance, function, (double)(blocked->time_ns - sleeper->since_ns) / 1e9,
		!task->stuck);
	snprintf(label, sizeof(label), "%s (pid %u) in %s", (const char *)task->comm, task->tgid,
		function);
	sink_label(sink, instance, label);
}

static void blocked_begin(struct capture *fs, struct blocked *blocked)
{
	struct sleeper *list = blocked->before;
	size_t room = blocked->room_before, i;

	blocked->before = blocked->now;
	blocked->n_before = blocked->n_now;
	blocked->room_before = blocked->room_now;
	number_map_clear(&blocked->before_by_tid);
	for (i = 0; i < blocked->n_before; i++)
		number_map_add(&blocked->before_by_tid, blocked->before[i].task.tid, i);
	blocked->now = list;
	blocked->n_now = 0;
	blocked->room_now = room;
	blocked->time_before_ns = blocked->time_ns;
	blocked->time_ns = capture_time_ns(fs);
	blocked->looked_up = 0;
	blocked->unknown = false;
	blocked->too_many = 0;
	blocked->any = false;
}

static int read_blocked(struct capture *fs, void *state, struct sink *sink)
{
	struct blocked *blocked = state;
	size_t i;
	int err;

	blocked_begin(fs, blocked);
	err = task_each(fs, blocked->threads, sink, blocked_take, blocked);
	if (err) {
		sink_missing(sink, "threads: %s", strerror(-err));
		return err;
	}
	/* A machine without a thread is none: a tree that lacks them. */
	if (!blocked->any) {
		sink_missing(sink, "no process is to be seen in /proc");
		return 0;
	}
	for (i = 0; i < blocked->n_now; i++)
		blocked_put_sleeper(fs, blocked, sink, &blocked->now[i]);
	blocked_put(sink, "none", NULL, 0, true);
	if (blocked->too_many)
		sink_missing(sink, "more threads are in state D than are looked at, %zu",
			blocked->too_many);
	else if (blocked->unknown)
		sink_missing(sink, "in which function a thread in state D sleeps cannot be read");
	return 0;
}

static bool blocked_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct blocked *blocked = state;
	char name[48];
	size_t i;

	(void)fs;
	for (i = 0; i < blocked->n_now; i++) {
		const struct task_record *task = &blocked->now[i].task;

		blocked_instance(task, name, sizeof(name));
		if (strcmp(name, instance) != 0)
			continue;
		snprintf(out->kind, sizeof(out->kind), "process");
		snprintf(out->name, sizeof(out->name), "%s", (const char *)task->comm);
		snprintf(out->id, sizeof(out->id), "%u", task->tgid);
		return true;
	}
	return false;
}

SOURCE(blocked) = {
	.name = "blocked",
	.what = "threads that stay in uninterruptible sleep, how long and in which function",
	.open = open_blocked,
	.read = read_blocked,
	.close = close_blocked,
	.culprit = blocked_culprit,
	.fleeting = true,
	.groups = TASK_GROUPS,
	.group_of = task_group_of,
};
