// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is each thread doing, for a hundredth of what reading /proc costs? One record a thread, read
 * from the iterator's descriptor.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "task.h"

#define FROM_KERNEL __attribute__((preserve_access_index))
#define TASK_UNINTERRUPTIBLE 2
#define TASK_NOLOAD 0x400
#define NICE_0_PRIO 120

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
} FROM_KERNEL;

struct sched_entity {
	__u64 sum_exec_runtime;
} FROM_KERNEL;

struct task_struct {
	unsigned int __state;
	unsigned int flags;
	int static_prio;
	unsigned int policy;
	struct sched_entity se;
	struct sched_info sched_info;
	int pid;
	int tgid;
	__u64 start_time;
	char comm[16];
} FROM_KERNEL;

struct task_struct___before_5_14 {
	long state;
} FROM_KERNEL;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} FROM_KERNEL;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} FROM_KERNEL;

static __always_inline bool is_blocked(struct task_struct *task)
{
	unsigned int state;

	if (bpf_core_field_exists(task->__state))
		state = task->__state;
	else
		state = (unsigned int)((struct task_struct___before_5_14 *)task)->state;
	/* An idle kernel thread sleeps the same way, but nobody waits for anything there. */
	return (state & TASK_UNINTERRUPTIBLE) && !(state & TASK_NOLOAD);
}

SEC("iter/task")
int dump_task(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct task_record record;

	if (!task)
		return 0;
	__builtin_memset(&record, 0, sizeof(record));
	record.start = task->start_time;
	record.cpu_ns = task->se.sum_exec_runtime;
	if (bpf_core_field_exists(task->sched_info.run_delay)) {
		record.run_delay_ns = task->sched_info.run_delay;
		record.timeslices = task->sched_info.pcount;
		record.has = TASK_HAS_DELAY;
	}
	record.tid = (__u32)task->pid;
	record.tgid = (__u32)task->tgid;
	record.nice = task->static_prio - NICE_0_PRIO;
	record.policy = task->policy;
	record.flags = task->flags;
	record.blocked = is_blocked(task);
	bpf_probe_read_kernel_str(record.comm, sizeof(record.comm), task->comm);
	bpf_seq_write(context->meta->seq, &record, sizeof(record));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
