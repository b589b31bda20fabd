/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which thread waits for a CPU though it may not run on all of them, kept to some by a cpuset, by
 * taskset or by itself?
 *
 * Instances are such threads, "TID@START", kernel threads and nice ones left out, with
 * run_delay_ns, and allowed_cpus, how many CPUs each may run on. "none" is always there, with a
 * delay of 0. How many a thread may have is only known by the BPF iterator.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>
#include <stdio.h>

#include "base/cgroup_words.h"
#include "base/culprit.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/task/task.h"

#define PF_KTHREAD 0x00200000

struct pinned {
	struct sink *sink;
	uint32_t most; /* CPUs that any thread may run on */
};

static void pinned_find_most(void *arg, const struct task_record *task)
{
	struct pinned *pinned = arg;

	if (task->allowed_cpus > pinned->most)
		pinned->most = task->allowed_cpus;
}

static void pinned_put(void *arg, const struct task_record *task)
{
	const struct pinned *pinned = arg;
	struct task_instance instance;
	char label[64];

	if (!task->allowed_cpus || task->allowed_cpus >= pinned->most ||
		(task->flags & PF_KTHREAD) || !(task->has & TASK_HAS_DELAY) || task_is_nice(task))
		return;
	instance = task_instance_of(task);
	sink_put(pinned->sink, instance.name, "run_delay_ns", (double)task->run_delay_ns);
	sink_put(pinned->sink, instance.name, "allowed_cpus", task->allowed_cpus);
	snprintf(label, sizeof(label), "%s (pid %u)", (const char *)task->comm, task->tgid);
	sink_label(pinned->sink, instance.name, label);
}

static int read_pinned(struct capture *fs, void *state, struct sink *sink)
{
	struct pinned pinned = {.sink = sink};
	int err = task_each(fs, state, sink, pinned_find_most, &pinned);

	if (err) {
		sink_missing(sink, "threads: %s", strerror(-err));
		return err;
	}
	if (!pinned.most) {
		task_missing(state, sink, "on how many CPUs a thread may run");
		return 0;
	}
	sink_put(sink, "none", "run_delay_ns", 0);
	return task_each(fs, state, NULL, pinned_put, &pinned);
}

struct pinned_named {
	const char *instance;
	struct task_record task;
	bool found;
};

static void pinned_find(void *arg, const struct task_record *task)
{
	struct pinned_named *named = arg;

	if (named->found || strcmp(task_instance_of(task).name, named->instance) != 0)
		return;
	named->task = *task;
	named->found = true;
}

/* The group that it is in, as people call it: of the hierarchy of cpusets on v1, else of v2.
 * Nothing where it is in the root, or cannot be read. */
static void pinned_add_group(struct capture *fs, uint32_t pid, struct str *out)
{
	char *path = mem_printf("/proc/%u/cgroup", pid), group[512] = "";
	struct bytes text, line, before;

	if (!capture_read_once(fs, path, &text)) {
		while (text_line(&text, &line)) {
			bool cpuset = text_until(&line, ':', &before) &&
				text_until(&line, ':', &before) && text_is(before, "cpuset");

			if ((cpuset || !*group) && !text_is(line, "/"))
				text_copy(line, group, sizeof(group));
		}
	}
	if (*group) {
		str_add(out, " of ");
		cgroup_words(out, group);
	}
	free(path);
}

static bool pinned_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct pinned_named named = {.instance = instance};
	struct str name = STR_INIT;

	if (task_each(fs, state, NULL, pinned_find, &named) || !named.found)
		return false;
	str_add(&name, (const char *)named.task.comm);
	pinned_add_group(fs, named.task.tgid, &name);
	snprintf(out->kind, sizeof(out->kind), "process");
	snprintf(out->name, sizeof(out->name), "%s", str_text(&name));
	snprintf(out->id, sizeof(out->id), "%u", named.task.tgid);
	str_free(&name);
	return true;
}

SOURCE(pinned) = {
	.name = "pinned",
	.what = "threads that may run on some CPUs only: how long they waited for those",
	.open = task_open,
	.read = read_pinned,
	.culprit = pinned_culprit,
	.fleeting = true,
};
