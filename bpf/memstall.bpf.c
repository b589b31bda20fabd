// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long do tasks sleep for want of memory?
 *
 * The kernel marks a task for its pressure accounting while it waits for memory: for a page that
 * was in memory a moment ago and must be read again, for swap, for reclaim or write-back to make
 * room. What the mark covers is what /proc/pressure/memory counts, but by task and with its
 * distribution. Time in which a task reclaims on its CPU is not a sleep: the reclaim tracepoints
 * have it.
 */
#include "sleep.bpf.h"

TRACER(INSTANCE_NONE, "sched_switch, tasks that sleep in a memory stall");

SEC("tp_btf/sched_switch")
int BPF_PROG(memstall_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	if (!is_counting())
		return 0;
	if (!preempt && BPF_CORE_READ_BITFIELD(prev, in_memstall))
		fall_asleep(prev, next->se.cfs_rq->rq->clock);
	if (BPF_CORE_READ_BITFIELD(next, in_memstall))
		wake_up(next);
	return 0;
}
