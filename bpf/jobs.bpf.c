// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much CPU do processes use of which each uses so little that nobody sees it, and who starts
 * them?
 *
 * A process is noted when it is forked, with the name of who forks and its cgroup. When the kernel
 * frees a thread of it, the thread's CPU time is what the scheduler has added up to its last
 * switch: exact, where a look at the exit would miss all since the last tick, which of a job of a
 * millisecond is everything. That of its threads is added up, and counted when the leader is freed;
 * where the parent has not asked for its status by the end, it is not counted.
 *
 * Only who used less than 'slow' in all its life counts, whatever that was in time: on a crowded
 * CPU a millisecond of work takes long. Its parent and its cgroup are charged, each with the whole.
 * What we start ourselves to look, a child that asks how full a mount is, is left out.
 */
#include "trace.bpf.h"

SENTINEL(INSTANCE_NONE, "sched_process_fork and _free, processes that used little");

#define JOBS 4096 /* alive, started in this run */

struct job {
	__u64 cpu_ns; /* of its threads that were freed */
	__u64 cgroup;
	__u8 parent[TRACE_NAME];
	__u32 parent_tgid;
	__u32 pad;
};

/* What no other tracer reads. */
struct sched_entity___job {
	__u64 sum_exec_runtime;
} FROM_KERNEL;

struct task_struct___job {
	struct task_struct *group_leader;
	struct sched_entity___job se;
	char comm[16];
} FROM_KERNEL;

TUESDAY_MAP(jobs, HASH, JOBS, __u32, struct job);

SEC("raw_tp/sched_process_fork")
int BPF_PROG(jobs_fork, struct task_struct *parent, struct task_struct *child)
{
	const struct task_struct___job *thread = (const void *)parent;
	struct job job = {};
	__u32 tgid = (__u32)BPF_CORE_READ(child, tgid);

	job.parent_tgid = (__u32)BPF_CORE_READ(parent, tgid);
	if ((__u32)BPF_CORE_READ(child, pid) != tgid || !within_budget() || is_own(job.parent_tgid))
		return 0;
	job.cgroup = bpf_get_current_cgroup_id();
	BPF_CORE_READ_STR_INTO(&job.parent, thread, group_leader, comm);
	if (bpf_map_update_elem(&jobs, &tgid, &job, BPF_ANY_ELEMENT))
		__sync_fetch_and_add(&lost.starts, 1);
	return 0;
}

static __always_inline void job_charge(const struct job *job)
{
	struct who parent = {.kind = WHO_COMM}, cgroup = {.kind = WHO_CGROUP};

	__builtin_memcpy(parent.name, job->parent, sizeof(parent.name));
	__builtin_memcpy(cgroup.name, &job->cgroup, sizeof(job->cgroup));
	charge(&parent, job->parent_tgid, job->cpu_ns);
	charge(&cgroup, 0, job->cpu_ns);
}

SEC("raw_tp/sched_process_free")
int BPF_PROG(jobs_free, struct task_struct *task)
{
	const struct task_struct___job *thread = (const void *)task;
	__u32 tgid = (__u32)BPF_CORE_READ(task, tgid);
	struct job *job = bpf_map_lookup_elem(&jobs, &tgid);
	struct hist *hist;

	if (!job)
		return 0;
	__sync_fetch_and_add(&job->cpu_ns, BPF_CORE_READ(thread, se.sum_exec_runtime));
	if ((__u32)BPF_CORE_READ(task, pid) != tgid)
		return 0;
	hist = job->cpu_ns < params.slow ? hist_here() : NULL;
	if (hist) {
		hist_add(hist, job->cpu_ns);
		job_charge(job);
	}
	bpf_map_delete_elem(&jobs, &tgid);
	return 0;
}
