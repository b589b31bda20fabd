// SPDX-License-Identifier: GPL-2.0-only
/*
 * What share of its time does a thread sleep for I/O, however short each sleep is?
 *
 * Many quick waits are waits: a program that writes 12,000 times a second and waits 40 us for each
 * spends half of its time so, and no quantile of a latency shows it. For each thread the sleeps are
 * added up, and each time that it falls asleep two seconds or more after its sum was begun, its
 * share of that time is counted once, as nanoseconds of sleep in a second, and a new sum begins.
 *
 * Which sleeps count is what iowait says. The kernel's own threads are left out, whose waits are
 * somebody else's, and so are tasks that are meant to wait. A thread that sleeps for the whole
 * trace, or for I/O but once, has no share.
 */
#include "task.bpf.h"
#include "trace.bpf.h"

#define PERIOD_NS 2000000000ull

TRACER(INSTANCE_NONE, "sched_switch, the share of time that a thread sleeps in I/O wait");

struct sleeper {
	__u64 from;   /* since when sleeps are added up */
	__u64 asleep; /* their sum */
	__u64 since;  /* of the sleep that goes on, 0: awake */
};

TUESDAY_MAP(sleepers, HASH, 16384, __u32, struct sleeper);

static __always_inline void count_share(struct task_struct *task, __u64 asleep, __u64 period)
{
	__u64 share = asleep >= period ? SECOND_NS : asleep * 1000 / (period / 1000000);
	struct hist *hist = hist_here();

	if (!hist)
		return;
	hist_add(hist, share);
	if (share >= params.slow)
		charge_task(WHO_COMM, task, 0, share);
}

static __always_inline void ioshare_falls_asleep(struct task_struct *task, __u64 now)
{
	struct sleeper fresh = {.from = now, .since = now}, *known;
	__u32 pid = task->pid;

	known = bpf_map_lookup_elem(&sleepers, &pid);
	if (!known) {
		if (bpf_map_update_elem(&sleepers, &pid, &fresh, BPF_ANY_ELEMENT))
			__sync_fetch_and_add(&lost.starts, 1);
		return;
	}
	/* Clocks of two CPUs may differ. */
	if ((__s64)(now - known->from) >= (__s64)PERIOD_NS) {
		count_share(task, known->asleep, now - known->from);
		known->from = now;
		known->asleep = 0;
	}
	known->since = now;
}

static __always_inline void ioshare_wakes_up(struct task_struct *task)
{
	__u64 woken = task->sched_info.last_queued;
	__u32 pid = task->pid;
	struct sleeper *known = bpf_map_lookup_elem(&sleepers, &pid);

	if (!known || !known->since)
		return;
	if ((__s64)(woken - known->since) > 0)
		known->asleep += woken - known->since;
	known->since = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(ioshare_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	if (!is_counting())
		return 0;
	if (!preempt && BPF_CORE_READ_BITFIELD(prev, in_iowait) && is_uninterruptible(prev) &&
		!(prev->flags & PF_KTHREAD) && !is_background(prev) && !is_own(prev->tgid))
		ioshare_falls_asleep(prev, next->se.cfs_rq->rq->clock);
	if (BPF_CORE_READ_BITFIELD(next, in_iowait))
		ioshare_wakes_up(next);
	return 0;
}
