/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of task is it, and does it sleep where no signal wakes it? */
#ifndef TUESDAY_BPF_TASK_BPF_H
#define TUESDAY_BPF_TASK_BPF_H

#include "idle_group.bpf.h"
#include "kernel.h"

static __always_inline bool is_uninterruptible(const struct task_struct *task)
{
	const struct task_struct___before_5_14 *older = (const void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state & TASK_UNINTERRUPTIBLE;
	return older->state & TASK_UNINTERRUPTIBLE;
}

/* Meant to wait, by its own wish. */
static __always_inline bool is_background(const struct task_struct *task)
{
	return task->static_prio > NICE_0_PRIO || task->policy == SCHED_BATCH ||
		task->policy == SCHED_IDLE;
}

/* Meant to wait by the wish of its cgroup. Costs a helper or two for each group above it. */
static __always_inline bool is_in_idle_group(const struct task_struct *task)
{
	if (!bpf_core_field_exists(task->sched_task_group))
		return false;
	return group_is_idle(task->sched_task_group);
}

#endif
