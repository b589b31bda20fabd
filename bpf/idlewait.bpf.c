// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who waits for a CPU while another one has nothing to do?
 *
 * Of each CPU is kept since when it is idle, or when it was last. Who gets a CPU after a long wait
 * has that wait compared with all of these, and the longest idle time of one CPU within it is
 * counted: as idle where the task may run there, else as pinned, since it may only run elsewhere.
 *
 * Tasks that are meant to wait, by their own wish or that of their group, are left out. So are
 * waits for a cgroup's quota, as far as it can be told: those have an idle CPU beside them by
 * nature.
 */
#include "task.bpf.h"
#include "trace.bpf.h"

TRACER_FIELDS(INSTANCE_PROCESS, "sched_switch, and since when each CPU has been idle",
	"idle pinned", .since = SINCE_LINUX(5, 5));

enum field { FIELD_IDLE, FIELD_PINNED };

#define CPUS 256 /* that are looked at; a wait of a task is not compared with CPUs above */

struct idle {
	__u64 since; /* by the run queue's clock; 0: it is not idle */
	__u64 last_from, last_to;
};

struct cpumask {
	unsigned long bits[CPUS / 64];
} FROM_KERNEL;

struct task_struct___idlewait {
	const struct cpumask *cpus_ptr; /* 5.3 on */
} FROM_KERNEL;

TUESDAY_MAP(idles, ARRAY, CPUS, __u32, struct idle);

/* In a map, where the verifier takes each for any number: on the stack it would follow what they
 * may be through all turns of the loop. */
struct scratch {
	__u64 allowed[CPUS / 64];
	__u64 longest_ns[2]; /* by enum field */
};

TUESDAY_MAP(scratches, PERCPU_ARRAY, 1, __u32, struct scratch);

/* How long the CPU was idle between two times, at its end or last before. */
static __always_inline __u64 idle_within(const struct idle *idle, __u64 from, __u64 to)
{
	__u64 start = idle->since ? idle->since : idle->last_from,
	      end = idle->since ? to : idle->last_to;

	if (start < from)
		start = from;
	if (end > to)
		end = to;
	return (__s64)(end - start) > 0 ? end - start : 0;
}

/* What was never idle, and what is no CPU, has 0 for all. */
static __always_inline void find_idle(struct scratch *scratch, __u64 from, __u64 to)
{
	__u32 i, field;

	scratch->longest_ns[FIELD_IDLE] = scratch->longest_ns[FIELD_PINNED] = 0;
	for (i = 0; i < CPUS; i++) {
		__u32 cpu = i;
		const struct idle *idle = bpf_map_lookup_elem(&idles, &cpu);
		__u64 ns = idle ? idle_within(idle, from, to) : 0;

		field = scratch->allowed[i >> 6] >> (i & 63) & 1 ? FIELD_IDLE : FIELD_PINNED;
		if (ns > scratch->longest_ns[field])
			scratch->longest_ns[field] = ns;
	}
}

static __always_inline bool read_allowed(struct scratch *scratch, struct task_struct *task)
{
	const struct task_struct___idlewait *newer = (const void *)task;

	if (!bpf_core_field_exists(newer->cpus_ptr))
		return false;
	return !bpf_probe_read_kernel(
		scratch->allowed, sizeof(scratch->allowed), BPF_CORE_READ(newer, cpus_ptr));
}

static __always_inline void count(
	struct task_struct *prev, struct task_struct *next, __u64 ns, enum field field)
{
	__u64 id[2] = {next->tgid, field};
	struct hist *hist = hist_of(id);

	if (!hist)
		return;
	hist_add(hist, ns);
	charge_task(WHO_VICTIM, next, instance_fold(next->tgid, 0), ns);
	if (field == FIELD_IDLE && prev->pid)
		charge_task(WHO_COMM, prev, instance_fold(next->tgid, 0), ns);
}

static __always_inline void waited(
	struct task_struct *prev, struct task_struct *next, __u64 from, __u64 now)
{
	__u32 zero = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &zero);

	if (!scratch || !read_allowed(scratch, next))
		return;
	find_idle(scratch, from, now);
	if (scratch->longest_ns[FIELD_IDLE] >= params.slow)
		count(prev, next, scratch->longest_ns[FIELD_IDLE], FIELD_IDLE);
	else if (scratch->longest_ns[FIELD_PINNED] >= params.slow)
		count(prev, next, scratch->longest_ns[FIELD_PINNED], FIELD_PINNED);
}

static __always_inline bool is_throttled(struct task_struct *task)
{
	struct task_struct___since_6_18 *newer = (void *)task;

	if (bpf_core_field_exists(newer->throttled))
		return false;
	return bpf_core_field_exists(struct cfs_rq, throttle_count) &&
		task->se.cfs_rq->throttle_count > 0;
}

/* When somebody left a CPU because his group's quota was used up: as in bpf/runq.bpf.c. */
TUESDAY_MAP(throttled, LRU_HASH, 1024, __u32, __u64);

static __always_inline void note_throttled(struct task_struct *prev, __u64 now)
{
	struct task_struct___since_6_18 *newer = (void *)prev;
	__u32 pid = prev->pid;

	if (is_throttled(prev) || (bpf_core_field_exists(newer->throttled) && newer->throttled))
		bpf_map_update_elem(&throttled, &pid, &now, BPF_ANY_ELEMENT);
}

static __always_inline bool was_throttled(__u32 pid, __u64 queued)
{
	__u64 *since = bpf_map_lookup_elem(&throttled, &pid);

	return since && *since == queued;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(idlewait_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 queued = next->sched_info.last_queued, now;
	__u32 cpu = bpf_get_smp_processor_id();
	struct idle *idle;

	if (is_over())
		return 0;
	now = next->se.cfs_rq->rq->clock;
	idle = bpf_map_lookup_elem(&idles, &cpu);
	if (idle && !prev->pid && idle->since) {
		idle->last_from = idle->since;
		idle->last_to = now;
		idle->since = 0;
	}
	if (idle && !next->pid)
		idle->since = now;
	note_throttled(prev, now);
	if (!queued || !is_counting() || is_own(next->tgid) || is_own(prev->tgid))
		return 0;
	if ((__s64)(now - queued) < (__s64)params.slow || is_background(next) ||
		is_in_idle_group(next) || was_throttled(next->pid, queued))
		return 0;
	waited(prev, next, queued, now);
	return 0;
}
