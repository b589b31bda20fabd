// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes came from a command, what did they run, and what became of them? One that is
 * followed has its children followed, from the one on that the reader has put in.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "../map.h"
#include "process.h"

#define FROM_KERNEL __attribute__((preserve_access_index))
#define SIGNAL_GROUP_EXIT 4 /* before and after that name: group_exit_code counts */

struct sched_info {
	unsigned long long run_delay;
} FROM_KERNEL;

struct sched_entity {
	__u64 sum_exec_runtime;
} FROM_KERNEL;

struct task_delay_info {
	__u64 blkio_delay;
} FROM_KERNEL;

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
	int group_exit_code;
	unsigned int flags;
	__u64 utime, stime;
	unsigned long long sum_sched_runtime;
	unsigned long maxrss;
} FROM_KERNEL;

struct mm_struct {
	unsigned long arg_start, arg_end;
} FROM_KERNEL;

struct task_struct {
	int pid;
	int tgid;
	int exit_code;
	__u64 utime, stime;
	struct sched_entity se;
	struct sched_info sched_info;
	struct task_delay_info *delays;
	struct task_struct *group_leader;
	struct signal_struct *signal;
	struct mm_struct *mm;
	char comm[PROCESS_COMM];
} FROM_KERNEL;

TUESDAY_MAP(followed, HASH, PROCESS_FOLLOWED, __u32, __u32);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} events SEC(".maps");

__u64 lost;

static __always_inline bool is_followed(__u32 pid)
{
	return bpf_map_lookup_elem(&followed, &pid);
}

static __always_inline void begin(struct process_event *event, __u32 kind, __u32 pid)
{
	event->kind = kind;
	event->pid = pid;
	event->at_ns = bpf_ktime_get_ns();
}

static __always_inline void lose(void)
{
	__sync_fetch_and_add(&lost, 1);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(forked, struct task_struct *parent, struct task_struct *child)
{
	__u32 pid = child->tgid, parent_pid = parent->tgid;
	struct process_fork *fork;

	if (pid == parent_pid || !is_followed(parent_pid))
		return 0;
	if (bpf_map_update_elem(&followed, &pid, &parent_pid, BPF_ANY)) {
		lose();
		return 0;
	}
	fork = bpf_ringbuf_reserve(&events, sizeof(*fork), 0);
	if (!fork) {
		lose();
		return 0;
	}
	begin(&fork->event, PROCESS_FORK, pid);
	fork->parent = parent_pid;
	__builtin_memcpy(fork->comm, parent->comm, sizeof(fork->comm));
	bpf_ringbuf_submit(fork, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(executed, struct task_struct *task)
{
	__u32 pid = task->tgid, len;
	struct process_exec *exec;
	unsigned long from, to;

	if (!is_followed(pid))
		return 0;
	exec = bpf_ringbuf_reserve(&events, sizeof(*exec), 0);
	if (!exec) {
		lose();
		return 0;
	}
	begin(&exec->event, PROCESS_EXEC, pid);
	__builtin_memcpy(exec->comm, task->comm, sizeof(exec->comm));
	from = task->mm->arg_start;
	to = task->mm->arg_end;
	exec->whole = to > from ? to - from : 0;
	len = exec->whole < PROCESS_ARGS ? exec->whole : PROCESS_ARGS - 1;
	/* The verifier is to see a bound on what is handed over itself. */
	asm volatile("" : "+r"(len));
	len &= PROCESS_ARGS - 1;
	exec->len = bpf_probe_read_user(exec->args, len, (const void *)from) ? 0 : len;
	bpf_ringbuf_submit(exec, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline void measure(struct process_exit *exit, struct task_struct *task)
{
	struct signal_struct *signal = task->signal;
	struct task_struct *leader = task->group_leader;

	exit->cpu_ns = signal->sum_sched_runtime + task->se.sum_exec_runtime;
	exit->user_ns = signal->utime + task->utime;
	exit->system_ns = signal->stime + task->stime;
	/* The first thread is counted in when it is reaped, which is later. */
	if (leader->pid != task->pid) {
		exit->cpu_ns += leader->se.sum_exec_runtime;
		exit->user_ns += leader->utime;
		exit->system_ns += leader->stime;
	}
	exit->queue_ns = task->sched_info.run_delay;
	exit->disk_ns = 0;
	if (bpf_core_field_exists(task->delays) && task->delays)
		exit->disk_ns = BPF_CORE_READ(task, delays, blkio_delay);
	exit->rss_pages = signal->maxrss;
	exit->code =
		signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code : leader->exit_code;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exited, struct task_struct *task)
{
	__u32 pid = task->tgid;
	struct process_exit *exit;

	if (task->signal->live.counter || !is_followed(pid))
		return 0;
	bpf_map_delete_elem(&followed, &pid);
	exit = bpf_ringbuf_reserve(&events, sizeof(*exit), 0);
	if (!exit) {
		lose();
		return 0;
	}
	begin(&exit->event, PROCESS_EXIT, pid);
	measure(exit, task);
	bpf_ringbuf_submit(exit, BPF_RB_NO_WAKEUP);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
