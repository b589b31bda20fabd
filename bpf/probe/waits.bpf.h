/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why will a thread that leaves its CPU not run? By what the kernel knows of it at that moment:
 * that it waits for a disk (in_iowait), for memory (in_memstall), for a lock of the kernel (between
 * the two events of a contention), in which system call it is, and on which descriptor.
 */
#ifndef TUESDAY_BPF_WAITS_BPF_H
#define TUESDAY_BPF_WAITS_BPF_H

#include "../kernel.h"
#include "../map.h"
#include "waits.h"

#define TASK_INTERRUPTIBLE 1
#define TASK_STOPPED_OR_TRACED 12
#define TASK_DEAD 0x80
#define LOCK_SPIN 1 /* of a contention's flags: its waiter stays on its CPU */

struct signal_struct;

struct sched_entity___waits {
	__u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
} FROM_KERNEL;

struct pt_regs___waits_x86 {
	unsigned long orig_ax, di, si, dx, r10, r8;
} FROM_KERNEL;

struct pt_regs___waits_arm64 {
	__u64 regs[31];
	int syscallno;
} FROM_KERNEL;

struct task_struct___waits {
	unsigned int __state;
	unsigned int flags;
	int pid;
	int tgid;
	int exit_code;
	__u64 start_time;
	unsigned in_iowait : 1;
	unsigned in_memstall : 1;
	void *stack;
	struct sched_entity___waits se;
	struct signal_struct *signal;
	struct task_struct___waits *group_leader;
	struct task_struct___waits *real_parent;
	char comm[WAITS_COMM];
} FROM_KERNEL;

/* Where the registers of the user lie on a kernel stack, for kernels before 5.15, which do not say.
 */
const volatile __u32 regs_at = 0;

/* Of each number its enum waits_call, filled by the reader. */
TUESDAY_MAP(calls, ARRAY, WAITS_NR_MAX, __u32, __u32);

/* What the thread has brought into the kernel. */
static __always_inline const void *regs_of(const struct task_struct___waits *task)
{
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return (const void *)bpf_task_pt_regs((struct task_struct *)task);
	return (const char *)task->stack + regs_at;
}

/* The system call that it is in; none in a page fault. */
static __always_inline __u32 call_of(const void *regs)
{
#if defined(__TARGET_ARCH_x86)
	long call = (long)BPF_CORE_READ((const struct pt_regs___waits_x86 *)regs, orig_ax);

	return call < 0 ? WAITS_NO_CALL : (__u32)call;
#elif defined(__TARGET_ARCH_arm64)
	int call = BPF_CORE_READ((const struct pt_regs___waits_arm64 *)regs, syscallno);

	return call < 0 ? WAITS_NO_CALL : (__u32)call;
#else
	return WAITS_NO_CALL;
#endif
}

/* Its arguments are counted from 0 on. */
static __always_inline __u64 argument(const void *regs, int which)
{
#if defined(__TARGET_ARCH_x86)
	const struct pt_regs___waits_x86 *x86 = regs;

	return which == 0    ? BPF_CORE_READ(x86, di)
		: which == 1 ? BPF_CORE_READ(x86, si)
		: which == 2 ? BPF_CORE_READ(x86, dx)
		: which == 3 ? BPF_CORE_READ(x86, r10)
			     : BPF_CORE_READ(x86, r8);
#elif defined(__TARGET_ARCH_arm64)
	const struct pt_regs___waits_arm64 *arm = regs;
	const __u64 *first = &arm->regs[0];
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), first + which);
	return value;
#else
	return 0;
#endif
}

static __always_inline __u32 call_kind(__u32 nr)
{
	__u32 *kind = nr < WAITS_NR_MAX ? bpf_map_lookup_elem(&calls, &nr) : NULL;

	return kind ? *kind : WAITS_CALL_OTHER;
}

/* Of a sleep that no signal ends. The parent of a vfork() sleeps so. A page fault that waits for a
 * disk is one of a mapped file, or of a swap that is not under pressure. */
static __always_inline __u32 uninterruptible_part(
	const struct task_struct___waits *task, __u32 nr, __u32 kind)
{
	if (BPF_CORE_READ_BITFIELD(task, in_iowait) || kind == WAITS_CALL_FILE ||
		kind == WAITS_CALL_DATA)
		return WAITS_DISK;
	if (nr == WAITS_NO_CALL)
		return WAITS_MEMORY;
	if (kind == WAITS_CALL_LOCK)
		return WAITS_SHARED;
	return kind == WAITS_CALL_CHILDREN ? WAITS_FAMILY : WAITS_OTHER;
}

/* Of several descriptors it is not known which are meant, but one alone can be looked up. */
static __always_inline __u32 poll_detail(const void *regs)
{
	const __u32 n = (__u32)argument(regs, 1);
	int fd = 0;

	if (!n)
		return 0;
	if (n > 1 || bpf_probe_read_user(&fd, sizeof(fd), (const void *)argument(regs, 0)))
		return WAITS_FD_SEVERAL;
	return fd < 0 ? 0 : (__u32)fd | WAITS_FD_KNOWN;
}

static __always_inline __u32 select_detail(const void *regs)
{
	if ((int)argument(regs, 0) <= 0 ||
		!(argument(regs, 1) | argument(regs, 2) | argument(regs, 3)))
		return 0;
	return WAITS_FD_SEVERAL;
}

/* Who asks for a time and for no descriptor sleeps. */
static __always_inline __u32 events_part(const void *regs, __u32 kind, __u32 *detail)
{
	switch (kind) {
	case WAITS_CALL_EVENTS:
		*detail = (__u32)argument(regs, 0) | WAITS_FD_KNOWN;
		return WAITS_EVENTS;
	case WAITS_CALL_EPOLL:
		*detail = (__u32)argument(regs, 0) | WAITS_FD_KNOWN;
		if (waits_is_timed(argument(regs, 3)))
			*detail |= WAITS_FD_TIMED;
		return WAITS_EVENTS;
	case WAITS_CALL_POLL:
		*detail = poll_detail(regs);
		return !*detail && waits_is_timed(argument(regs, 2)) ? WAITS_SLEEP : WAITS_EVENTS;
	case WAITS_CALL_SELECT:
		*detail = select_detail(regs);
		return !*detail && argument(regs, 4) ? WAITS_SLEEP : WAITS_EVENTS;
	default:
		return WAITS_EVENTS;
	}
}

/* Why a thread that leaves its CPU will sleep; nr and detail as in struct waits_thread. */
static __always_inline __u32 why_asleep(
	const struct task_struct___waits *task, bool in_lock, __u32 state, __u32 *nr, __u32 *detail)
{
	const void *regs = regs_of(task);
	__u32 kind, part;

	*detail = 0;
	*nr = WAITS_NO_CALL;
	if (state & TASK_STOPPED_OR_TRACED)
		return WAITS_STOPPED;
	if (!(task->flags & PF_KTHREAD))
		*nr = call_of(regs);
	kind = call_kind(*nr);
	if (kind == WAITS_CALL_FCNTL)
		kind = waits_fcntl_kind((__u32)argument(regs, 1));
	if (in_lock)
		part = WAITS_LOCK;
	else if (bpf_core_field_exists(task->in_memstall) &&
		BPF_CORE_READ_BITFIELD(task, in_memstall))
		part = WAITS_MEMORY;
	else if (!(state & TASK_INTERRUPTIBLE))
		part = uninterruptible_part(task, *nr, kind);
	else
		part = waits_interruptible_part(kind);
	if (part == WAITS_FUTEX)
		*detail = waits_futex_detail(argument(regs, 1), argument(regs, 2));
	else if (kind == WAITS_CALL_DATA ||
		(kind == WAITS_CALL_FILE && argument(regs, 0) < WAITS_FD_LIKELY))
		*detail = (__u32)argument(regs, 0) | WAITS_FD_KNOWN;
	else if (part == WAITS_EVENTS)
		part = events_part(regs, kind, detail);
	return part;
}

struct cfs_rq___waits {
	int throttle_count;
} FROM_KERNEL;

static __always_inline bool is_throttled(const struct task_struct___waits *task)
{
	const struct task_struct___since_6_18 *newer = (const void *)task;
	const struct cfs_rq___waits *cfs;

	if (bpf_core_field_exists(newer->throttled))
		return BPF_CORE_READ(newer, throttled);
	if (!bpf_core_field_exists(struct cfs_rq___waits, throttle_count) ||
		!bpf_core_field_exists(task->se.cfs_rq))
		return false;
	cfs = (const void *)BPF_CORE_READ(task, se.cfs_rq);
	return BPF_CORE_READ(cfs, throttle_count) > 0;
}

static __always_inline __u32 state_of(const struct task_struct___waits *task)
{
	const struct task_struct___before_5_14 *older = (const void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return (__u32)older->state;
}

#endif
