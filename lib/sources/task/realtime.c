/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of a CPU do real-time programs take that others share?
 *
 * Instances are the threads of programs with SCHED_FIFO, SCHED_RR or SCHED_DEADLINE, "TID@START",
 * with cpu_ns. "none" is always there, with 0. Left out are the kernel's own threads, and those on
 * a CPU that is set apart from the others (isolcpus): there they keep nobody waiting.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>

#include "base/cpulist.h"
#include "base/culprit.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/task/task.h"

#define PF_KTHREAD 0x00200000
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_DEADLINE 6
#define ISOLATED "/sys/devices/system/cpu/isolated"

struct realtime {
	struct sink *sink;
	char isolated[4096]; /* a list of CPUs with its end, or "" */
	size_t len;
};

static const char *realtime_policy(uint32_t policy)
{
	return policy == SCHED_FIFO	   ? "SCHED_FIFO"
		: policy == SCHED_RR	   ? "SCHED_RR"
		: policy == SCHED_DEADLINE ? "SCHED_DEADLINE"
					   : NULL;
}

static void realtime_put(void *arg, const struct task_record *task)
{
	const struct realtime *realtime = arg;
	const char *policy = realtime_policy(task->policy);
	struct task_instance instance;
	char label[96];

	if (!policy || task->flags & PF_KTHREAD ||
		(task->cpu_and_1 &&
			cpulist_has(realtime->isolated, realtime->len, task->cpu_and_1 - 1)))
		return;
	instance = task_instance_of(task);
	sink_put(realtime->sink, instance.name, "cpu_ns", (double)task->cpu_ns);
	snprintf(label, sizeof(label), "%s (pid %u, %s)", (const char *)task->comm, task->tgid,
		policy);
	sink_label(realtime->sink, instance.name, label);
}

static int read_realtime(struct capture *fs, void *state, struct sink *sink)
{
	struct realtime realtime = {.sink = sink};
	struct bytes text;
	int err;

	if (!capture_read_once(fs, ISOLATED, &text) && text.len < sizeof(realtime.isolated)) {
		memcpy(realtime.isolated, text.data, text.len);
		realtime.len = text.len;
	}
	sink_put(sink, "none", "cpu_ns", 0);
	err = task_each(fs, state, sink, realtime_put, &realtime);
	if (err)
		sink_missing(sink, "threads: %s", strerror(-err));
	return err;
}

struct realtime_named {
	const char *instance;
	struct culprit *out;
	bool found;
};

static void realtime_find(void *arg, const struct task_record *task)
{
	struct realtime_named *named = arg;

	if (named->found || strcmp(task_instance_of(task).name, named->instance) != 0)
		return;
	snprintf(named->out->kind, sizeof(named->out->kind), "process");
	snprintf(named->out->name, sizeof(named->out->name), "%s", (const char *)task->comm);
	snprintf(named->out->id, sizeof(named->out->id), "%u", task->tgid);
	named->found = true;
}

static bool realtime_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct realtime_named named = {.instance = instance, .out = out};

	return !task_each(fs, state, NULL, realtime_find, &named) && named.found;
}

SOURCE(realtime) = {
	.name = "realtime",
	.what = "real-time threads of programs, on CPUs that others share: how long they ran",
	.open = task_open,
	.read = read_realtime,
	.culprit = realtime_culprit,
	.fleeting = true,
};
