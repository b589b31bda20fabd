/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads are ours? What we cost stands in the result, and is none of the machine's doing. */
#include "base/banned.h"

#include <linux/types.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bpf/iter/task.h"
#include "base/str.h"
#include "sources/task/own_tasks.h"
#include "sys/child.h"

#define OWN_MAX 256

struct own_tasks {
	uint32_t self;
	bool same_numbers; /* records number processes as this one sees them */
	uint32_t children[OWN_MAX];
	size_t n;
};

static struct task_record own_record_at(const struct str *blob, size_t at)
{
	struct task_record task;

	memcpy(&task, blob->text + at, sizeof(task));
	return task;
}

/* The iterator knows who reads it. Where files were read the number may be that of somebody else in
 * another pid namespace, but hardly under the same name. */
static bool own_is_self(const struct task_record *task, __u32 pid, const char *name)
{
	if (task->has & TASK_HAS_READ_THIS)
		return true;
	return task->tgid == pid && !strncmp((const char *)task->comm, name, sizeof(task->comm));
}

static void own_find_self(struct own_tasks *own, const struct str *blob, size_t from)
{
	const __u32 pid = (__u32)getpid();
	char name[16] = "";
	size_t at;

	prctl(PR_GET_NAME, name);
	for (at = from; !own->self && at + sizeof(struct task_record) <= blob->len;
		at += sizeof(struct task_record)) {
		const struct task_record task = own_record_at(blob, at);

		if (own_is_self(&task, pid, name))
			own->self = task.tgid;
	}
	own->same_numbers = own->self == pid;
}

static bool own_is_child(const struct own_tasks *own, uint32_t tgid)
{
	size_t i;

	for (i = 0; i < own->n; i++)
		if (own->children[i] == tgid)
			return true;
	return false;
}

/* Adds the children of ours that are not known yet. Returns whether there were any. */
static bool own_add_children(struct own_tasks *own, const struct str *blob, size_t from)
{
	size_t before = own->n, at;

	for (at = from; at + sizeof(struct task_record) <= blob->len && own->n < OWN_MAX;
		at += sizeof(struct task_record)) {
		const struct task_record task = own_record_at(blob, at);

		if (!(task.has & TASK_HAS_PROCESS) || own_is_child(own, task.tgid))
			continue;
		if (child_is_ours((pid_t)task.tgid) || own_is_child(own, task.parent))
			own->children[own->n++] = task.tgid;
	}
	return own->n > before;
}

void own_tasks_leave_out(struct str *blob, size_t from)
{
	struct own_tasks own = {0};
	size_t at, to = from;

	own_find_self(&own, blob, from);
	while (own.same_numbers && child_any_is_ours() && own_add_children(&own, blob, from))
		;
	for (at = from; at + sizeof(struct task_record) <= blob->len;
		at += sizeof(struct task_record)) {
		const struct task_record task = own_record_at(blob, at);

		if (task.tgid == own.self || own_is_child(&own, task.tgid))
			continue;
		memcpy(blob->text + to, &task, sizeof(task));
		to += sizeof(task);
	}
	blob->len = to;
}
