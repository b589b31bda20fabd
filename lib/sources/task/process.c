/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which process has the most mappings of memory, and which does not ask how its children ended?
 *
 * Instances are processes: mappings of those that have the most, and zombies of those that have
 * any, and of process 1, so that none at all is a number too.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>
#include <stdio.h>

#include "bpf/iter/task.h"
#include "base/num.h"
#include "capture/capture.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/task/task.h"
#include "base/number_map.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"

#define FOLLOWED 16

struct process {
	uint32_t pid, count;
	char name[sizeof(((struct task_record *)0)->comm)];
};

struct processes {
	struct process mapped[FOLLOWED]; /* the most mappings first */
	size_t mapped_n;
	struct process *parents; /* of zombies */
	size_t parents_n, parents_room;
	struct number_map places; /* of parents, by pid */
};

static void keep_mapped(struct processes *all, const struct task_record *task)
{
	struct process *list = all->mapped;
	size_t at = all->mapped_n;

	while (at && list[at - 1].count < task->mappings)
		at--;
	if (at == FOLLOWED)
		return;
	if (all->mapped_n < FOLLOWED)
		all->mapped_n++;
	memmove(&list[at + 1], &list[at], (all->mapped_n - at - 1) * sizeof(*list));
	list[at] = (struct process){.pid = task->tgid, .count = task->mappings};
	memcpy(list[at].name, task->comm, sizeof(list[at].name));
}

static void keep_parent(struct processes *all, uint32_t pid, uint32_t zombies)
{
	size_t i;

	if (number_map_add(&all->places, pid, all->parents_n)) {
		ARRAY_GROW(all->parents, all->parents_n, all->parents_room);
		all->parents[all->parents_n++] = (struct process){.pid = pid, .count = zombies};
	} else if (number_map_get(&all->places, pid, &i)) {
		all->parents[i].count += zombies;
	}
}

static void take_task(void *arg, const struct task_record *task)
{
	struct processes *all = arg;

	if (!(task->has & TASK_HAS_PROCESS))
		return;
	if (!all->parents_n)
		keep_parent(all, 1, 0);
	if (task->mappings)
		keep_mapped(all, task);
	if (task->zombie)
		keep_parent(all, task->parent, 1);
}

static void name_parents(void *arg, const struct task_record *task)
{
	struct processes *all = arg;
	size_t i;

	if (task->tid == task->tgid && number_map_get(&all->places, task->tgid, &i))
		memcpy(all->parents[i].name, task->comm, sizeof(task->comm));
}

static void processes_free(struct processes *all)
{
	free(all->parents);
	number_map_free(&all->places);
}

/* Whoever has slept all the time may have no record: process 1 is "systemd" all the same. */
static void process_read_name(struct capture *fs, uint32_t pid, char *name, size_t size)
{
	struct bytes text, line;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (capture_read_once(fs, path, &text) || !text_line(&text, &line) ||
		!text_copy(line, name, size))
		snprintf(name, size, "process");
}

static void process_put(struct sink *sink, const struct process *process, const char *field)
{
	char instance[16], label[64];

	snprintf(instance, sizeof(instance), "%u", process->pid);
	snprintf(label, sizeof(label), "%s (pid %u)", process->name, process->pid);
	sink_put(sink, instance, field, process->count);
	sink_label(sink, instance, label);
}

static int read_processes(struct capture *fs, void *state, struct sink *sink)
{
	struct processes all = {0};
	int err = task_each(fs, state, sink, take_task, &all);
	size_t i;

	if (err) {
		sink_missing(sink, "processes: %s", strerror(-err));
		processes_free(&all);
		return err;
	}
	task_each(fs, state, NULL, name_parents, &all);
	for (i = 0; i < all.parents_n; i++) {
		struct process *parent = &all.parents[i];

		if (!*parent->name)
			process_read_name(fs, parent->pid, parent->name, sizeof(parent->name));
		process_put(sink, parent, "zombies");
	}
	for (i = 0; i < all.mapped_n; i++)
		process_put(sink, &all.mapped[i], "mappings");
	if (!all.mapped_n)
		task_missing(state, sink, "the number of mappings");
	processes_free(&all);
	return 0;
}

struct search {
	uint64_t pid;
	struct culprit *out;
};

static void process_look_for(void *arg, const struct task_record *task)
{
	struct search *search = arg;

	if (task->tid != task->tgid || task->tgid != search->pid)
		return;
	snprintf(search->out->name, sizeof(search->out->name), "%s", (const char *)task->comm);
}

static bool process_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct search search = {.out = out};

	if (num_u64(instance, 1, UINT32_MAX, &search.pid))
		return false;
	if (task_each(fs, state, NULL, process_look_for, &search))
		return false;
	if (!*out->name)
		process_read_name(fs, (uint32_t)search.pid, out->name, sizeof(out->name));
	snprintf(out->kind, sizeof(out->kind), "process");
	snprintf(out->id, sizeof(out->id), "%u", (unsigned int)search.pid);
	return true;
}

SOURCE(process) = {
	.name = "process",
	.what = "processes with the most mappings of memory, and those whose children are zombies",
	.open = task_open,
	.read = read_processes,
	.culprit = process_culprit,
	.fleeting = true,
};
