// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long do tasks sleep for I/O, wherever it is held up?
 *
 * A task that sleeps uninterruptibly and in I/O wait is noted when it leaves its CPU; when it gets
 * one again, the scheduler's stamp says when it was woken, so that its wait for a CPU is not
 * included. The flag is still set by then, and spares every other task the look-up. Waiters of an
 * idle io_uring are in I/O wait too, but sleep interruptibly. This sees what is held back above the
 * device, by a cgroup's limit or for want of a request, where a device's latency shows nothing.
 */
#include "sleep.bpf.h"
#include "task.bpf.h"

TRACER(INSTANCE_NONE, "sched_switch, tasks that sleep uninterruptibly in I/O wait");

SEC("tp_btf/sched_switch")
int BPF_PROG(iowait_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	if (!is_counting())
		return 0;
	/* A task that is preempted on its way to sleep stays on the run queue. */
	if (!preempt && BPF_CORE_READ_BITFIELD(prev, in_iowait) && is_uninterruptible(prev))
		fall_asleep(prev, next->se.cfs_rq->rq->clock);
	if (BPF_CORE_READ_BITFIELD(next, in_iowait))
		wake_up(next);
	return 0;
}
