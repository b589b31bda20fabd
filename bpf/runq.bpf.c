// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long do runnable tasks wait for a CPU, and behind whom?
 *
 * One hook. The scheduler itself stamps a task when it is queued (sched_info.last_queued, for
 * /proc/PID/schedstat), and the run queue has a clock that was read just before the switch: their
 * difference is the wait, and no wake-up needs to be seen, no clock read, no start remembered.
 * Where the kernel lacks a field (no SCHED_INFO, no group scheduling) the program does not load,
 * and the pair of tracepoints that the check file declares is used.
 *
 * What it does not see: a task that the balancer moves to another CPU while it waits is queued anew
 * there, so that the first part of its wait is in /proc/PID/schedstat and not here. Nor who gets a
 * CPU after a process that the kernel hides from all who trace, as some sandboxes do with theirs.
 *
 * Tasks that are meant to wait (nice above 0, SCHED_BATCH, SCHED_IDLE) are skipped and counted as
 * such, and those of an idle cgroup if their wait is slow. So are waits that a cgroup's CPU quota
 * imposed, if they are slow: the throttle check blames that by the cgroup's counters. It can be
 * told by how the wait began: before 6.18 the switch left a task of a throttled group that still
 * wanted to run; from 6.18 on tasks are throttled one by one and say so. What cannot be told is a
 * task that was waiting already when its group was throttled (before 6.18), or that woke up in a
 * throttled group (from 6.18 on).
 *
 * Who is to blame for a slow wait: the task that has just left the CPU, for as long as it had it,
 * and not for all of the wait. So a hog that ran for 500 ms is charged with 500 ms and the short
 * task that came between it and the victim with its own time, whatever the class of either (a
 * SCHED_FIFO hog stands here like any other). Its cgroup is charged with the same. A wait on an
 * idle CPU, its way out of sleep, is nobody's fault.
 *
 * Who waits already when the trace begins may have waited for the trace: what is before that is not
 * counted. Nor is what we wait for ourselves, or for how long others have waited for us. Who waits
 * still when it ends has waited for so long at least, which no switch tells: an iterator looks at
 * every task (Linux 5.8; bpf/runq___before_5_8.bpf.c goes without).
 */
#include "task.bpf.h"
#include "trace.bpf.h"

#ifndef RUNQ_REST
#define RUNQ_REST ", and iter/task"
#endif
#ifndef RUNQ_SEES_LESS
#define RUNQ_SEES_LESS 0
#endif

const volatile struct tracer_info info = {
	.sees_less = RUNQ_SEES_LESS,
	.instances = INSTANCE_NONE,
	.cpus_apart = 1,
	.method = "sched_switch and the scheduler's own time stamps" RUNQ_REST,
};

/* Since when a task has been throttled, by the clock that also stamps last_queued. */
TUESDAY_MAP(throttled, LRU_HASH, 1024, __u32, __u64);

/* When the first switch was counted, by the clock that also stamps last_queued. */
__u64 began = 0;

static __always_inline bool leaves_throttled(struct task_struct *prev)
{
	struct task_struct___since_6_18 *newer = (void *)prev;

	if (bpf_core_field_exists(newer->throttled))
		return newer->throttled;
	/* The pointer is followed in this branch only: for each one the verifier searches all
	 * types. */
	if (bpf_core_field_exists(struct cfs_rq, throttle_count))
		return prev->se.cfs_rq->throttle_count > 0;
	return false;
}

static __always_inline bool was_throttled(__u32 pid, __u64 queued)
{
	__u64 *since = bpf_map_lookup_elem(&throttled, &pid);

	return since && *since == queued;
}

/* For how long the task that leaves the CPU has had it. */
static __always_inline __u64 had_cpu(struct task_struct *prev, __u64 now)
{
	return now - prev->sched_info.last_arrival;
}

/* A person knows units and pods. Each look is a helper or four, so only slow waits are charged so.
 */
static __always_inline void charge_task_group(struct task_struct *task, __u64 value)
{
	__u64 id;

	if (is_own(task->tgid) || !bpf_core_field_exists(struct kernfs_node, id))
		return;
	id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	charge_group(id, 0, value);
}

/* A slow wait: returns false where it does not count. */
static __always_inline bool blame(
	struct task_struct *prev, struct task_struct *next, __u64 now, __u64 queued, __u64 wait)
{
	__u64 had = had_cpu(prev, now);

	if (was_throttled(next->pid, queued)) {
		__sync_fetch_and_add(&lost.throttled, 1);
		return false;
	}
	if (prev->pid) {
		charge_task(WHO_COMM, prev, 0, had < wait ? had : wait);
		charge_task_group(prev, had < wait ? had : wait);
	}
	charge_task(WHO_VICTIM, next, 0, wait);
	return true;
}

/* One wait of a task for a CPU that another has, or has just left. */
static __always_inline void count_wait(struct hist *hist, struct task_struct *prev,
	struct task_struct *next, __u64 now, __u64 queued)
{
	__u64 wait;

	if (is_background(next)) {
		add(&hist->skipped, 1);
		return;
	}
	wait = now - (queued < began ? began : queued);
	if (is_own(prev->tgid))
		wait -= had_cpu(prev, now);
	/* Clocks of two CPUs may differ, and it came while we ran. */
	if ((__s64)wait < 0)
		wait = 0;
	if (wait >= params.slow && is_in_idle_group(next))
		add(&hist->skipped, 1);
	else if (wait < params.slow || blame(prev, next, now, queued, wait))
		hist_add(hist, wait);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(runq_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 queued = next->sched_info.last_queued, now;
	struct hist *hist;

	if (!is_counting())
		return 0;
	now = next->se.cfs_rq->rq->clock;
	if (!began)
		began = now;
	if (leaves_throttled(prev)) {
		__u32 pid = prev->pid;

		bpf_map_update_elem(&throttled, &pid, &now, BPF_ANY_ELEMENT);
	}
	/* The idle task is never queued. */
	if (!queued || is_own(next->tgid))
		return 0;
	hist = hist_here();
	if (hist)
		count_wait(hist, prev, next, now, queued);
	return 0;
}

#ifndef RUNQ_WITHOUT_REST
struct bpf_iter__task {
	struct task_struct *task;
} FROM_KERNEL;

/* The row of the CPU that a task waits for, and not of the one that looks. */
static __always_inline struct hist *hist_of_cpu(__u32 cpu)
{
	cpu = params.shared && params.row_cpus ? cpu % params.row_cpus : cpu;
	return bpf_map_lookup_elem(&hists, &cpu);
}

SEC("iter/task")
int runq_rest(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct hist *hist;
	struct rq *rq;
	__u64 queued;

	if (!task || !is_ending() || !began)
		return 0;
	queued = task->sched_info.last_queued;
	if (!queued || is_own(task->tgid))
		return 0;
	rq = task->se.cfs_rq->rq;
	hist = hist_of_cpu(rq->cpu);
	if (!hist)
		return 0;
	if (leaves_throttled(task))
		__sync_fetch_and_add(&lost.throttled, 1);
	else
		count_wait(hist, rq->curr, task, rq->clock, queued);
	return 0;
}
#endif
