/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long was a task away from its CPU? What the tracers of sleeps share: which sleeps count is
 * theirs.
 *
 * A sleep ends when the task is woken, by the scheduler's stamp, so that its wait for a CPU is not
 * included.
 */
#ifndef TUESDAY_BPF_SLEEP_BPF_H
#define TUESDAY_BPF_SLEEP_BPF_H

#include "trace.bpf.h"

TUESDAY_MAP(asleep, HASH, 16384, __u32, __u64);

static __always_inline void fall_asleep(struct task_struct *task, __u64 now)
{
	__u32 pid = task->pid;

	if (is_own(task->tgid))
		return;
	if (bpf_map_update_elem(&asleep, &pid, &now, BPF_ANY_ELEMENT))
		__sync_fetch_and_add(&lost.starts, 1);
}

static __always_inline void wake_up(struct task_struct *task)
{
	__u64 woken = task->sched_info.last_queued, wait, *since;
	__u32 pid = task->pid;
	struct hist *hist;

	since = bpf_map_lookup_elem(&asleep, &pid);
	if (!since)
		return;
	wait = woken - *since;
	bpf_map_delete_elem(&asleep, &pid);
	if ((__s64)wait < 0)
		wait = 0;
	hist = hist_here();
	if (!hist)
		return;
	hist_add(hist, wait);
	if (wait >= params.slow)
		charge_task(WHO_COMM, task, 0, wait);
}

#endif
