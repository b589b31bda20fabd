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

#include "../idle_group.bpf.h"
#include "../map.h"
#include "task.h"

#define FROM_KERNEL __attribute__((preserve_access_index))
#define TASK_UNINTERRUPTIBLE 2
#define TASK_TRACED 8
#define TASK_WAKEKILL 0x100
#define TASK_NOLOAD 0x400
#define TASK_FROZEN 0x8000
#define PF_FROZEN 0x10000 /* before Linux 6.1 */
#define PF_KTHREAD 0x00200000
#define EXIT_ZOMBIE 0x20
#define RLIMIT_NOFILE 7
#define NICE_0_PRIO 120

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long max_run_delay; /* since Linux 6.14 */
	unsigned long long last_arrival;
	unsigned long long last_queued;
} FROM_KERNEL;

struct sched_entity {
	__u64 sum_exec_runtime;
} FROM_KERNEL;

struct fdtable {
	unsigned int max_fds;
} FROM_KERNEL;

struct files_struct {
	struct fdtable *fdt;
} FROM_KERNEL;

struct rlimit {
	unsigned long rlim_cur;
} FROM_KERNEL;

struct signal_struct {
	struct rlimit rlim[RLIMIT_NOFILE + 1];
} FROM_KERNEL;

struct mm_struct {
	int map_count;
} FROM_KERNEL;

struct task_struct {
	unsigned int __state;
	unsigned int flags;
	int static_prio;
	unsigned int policy;
	int nr_cpus_allowed;
	int wake_cpu; /* the CPU that it is on, as it has been since Linux 3.13 */
	struct sched_entity se;
	struct sched_info sched_info;
	struct task_group *sched_task_group;
	unsigned int in_iowait : 1;
	int pid;
	int tgid;
	__u64 start_time;
	int exit_state;
	unsigned int ptrace;
	struct task_struct *real_parent;
	struct signal_struct *signal;
	struct files_struct *files;
	struct mm_struct *mm;
	char comm[16];
} FROM_KERNEL;

struct task_struct___before_5_14 {
	long state;
} FROM_KERNEL;

struct seq_file;

/* As they have been since Linux 5.8, each pointer in 8 bytes. Without relocations, since the kernel
 * looks through all its types for each that has some. */
struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

/* One record, in a map and not on the stack, where the verifier follows the value of each byte and
 * so each way through the program to its end. Only who opened this iterator reads it. */
TUESDAY_MAP(scratch, ARRAY, 1, __u32, struct task_record);

static __always_inline unsigned int state_of(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return (unsigned int)((struct task_struct___before_5_14 *)task)->state;
}

/* An idle kernel thread sleeps the same way, but nobody waits for anything there. */
static __always_inline bool is_blocked(unsigned int state)
{
	return (state & TASK_UNINTERRUPTIBLE) && !(state & TASK_NOLOAD);
}

static __always_inline bool is_frozen(const struct task_struct *task, unsigned int state)
{
	return (state & TASK_FROZEN) || (task->flags & PF_FROZEN);
}

/* In the kernel's own threads it is somebody else's I/O. */
static __always_inline bool sleeps_for_io(struct task_struct *task)
{
	return BPF_CORE_READ_BITFIELD(task, in_iowait) && !(task->flags & PF_KTHREAD);
}

/*
 * How long it has stood where it stands. The kernel stamps when a thread gets a CPU and when it is
 * queued for one, by a clock that no helper reads; but our own thread has just got one.
 */
static __always_inline void add_wait(struct task_struct *task, struct task_record *record)
{
	unsigned int state = state_of(task);
	struct task_struct *current = (struct task_struct *)bpf_get_current_task();
	__u64 now = BPF_CORE_READ(current, sched_info.last_arrival), since;

	record->stuck = is_blocked(state) && !(state & TASK_WAKEKILL) && !is_frozen(task, state);
	record->sleeps_for_io = is_blocked(state) && sleeps_for_io(task);
	record->queued = !state && task->sched_info.last_queued;
	record->has |= TASK_HAS_WAIT;
	if (!is_blocked(state) && !record->queued)
		return;
	since = record->queued ? task->sched_info.last_queued : task->sched_info.last_arrival;
	if (now > since)
		record->wait_ns = now - since;
}

/*
 * What all threads of a process have in common. Pointers are followed by the helper: the verifier
 * looks through all types of the kernel for each that is followed without. A pointer that is NULL
 * gives 0; to ask first would cost more, since each branch doubles what is verified.
 */
static __always_inline void add_process(struct task_struct *task, struct task_record *record)
{
	record->has |= TASK_HAS_PROCESS;
	record->parent = (__u32)BPF_CORE_READ(task, real_parent, tgid);
	record->zombie = task->exit_state == EXIT_ZOMBIE;
	record->files_room = BPF_CORE_READ(task, files, fdt, max_fds);
	record->files_max = BPF_CORE_READ(task, signal, rlim[RLIMIT_NOFILE].rlim_cur);
	record->mappings = (__u32)BPF_CORE_READ(task, mm, map_count);
}

/* By whom is asked elsewhere, of the few that are: one more pointer to follow takes a quarter of a
 * millisecond to load. Without a branch, which would double what is verified. */
static __always_inline void add_ptrace(
	struct task_struct *task, unsigned int state, struct task_record *record)
{
	record->has |= TASK_HAS_PTRACE;
	record->ptrace = task->ptrace;
	record->held = (__u8)(state / TASK_TRACED % 2);
}

SEC("iter/task")
int dump_task(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct seq_file *seq = context->meta->seq;
	struct task_record *record;
	__u32 zero = 0;

	/* Read here: behind the branches the verifier would look up its type for each way there. */
	asm volatile("" : "+r"(seq));
	record = bpf_map_lookup_elem(&scratch, &zero);
	if (!task || !record)
		return 0;
	__builtin_memset(record, 0, sizeof(*record));
	record->start = task->start_time;
	record->cpu_ns = task->se.sum_exec_runtime;
	if (bpf_core_field_exists(task->sched_info.run_delay)) {
		record->run_delay_ns = task->sched_info.run_delay;
		record->timeslices = task->sched_info.pcount;
		record->has = TASK_HAS_DELAY;
	}
	if (bpf_core_field_exists(task->sched_info.max_run_delay))
		record->longest_delay_ns = task->sched_info.max_run_delay;
	if ((__u32)task->tgid == (__u32)(bpf_get_current_pid_tgid() >> 32))
		record->has |= TASK_HAS_READ_THIS;
	record->tid = (__u32)task->pid;
	record->tgid = (__u32)task->tgid;
	record->nice = task->static_prio - NICE_0_PRIO;
	record->policy = task->policy;
	record->allowed_cpus = (__u32)task->nr_cpus_allowed;
	if (bpf_core_field_exists(task->wake_cpu))
		record->cpu_and_1 = (__u32)task->wake_cpu + 1;
	if (bpf_core_field_exists(task->sched_task_group))
		record->idle_group = group_is_idle(BPF_CORE_READ(task, sched_task_group));
	record->flags = task->flags;
	record->blocked = is_blocked(state_of(task));
	bpf_probe_read_kernel_str(record->comm, sizeof(record->comm), task->comm);
	if (task->pid == task->tgid && !(task->flags & PF_KTHREAD))
		add_process(task, record);
	if (bpf_core_field_exists(task->sched_info.last_queued))
		add_wait(task, record);
	add_ptrace(task, state_of(task), record);
	bpf_seq_write(seq, record, sizeof(*record));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
