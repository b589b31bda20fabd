// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who waits for a lock, of which kind, behind whom, and where in the kernel? Of locks of programs
 * (futexes) the system call tells: it waits for the value 2 where somebody holds the lock, and the
 * C library keeps the number of the thread that does two words behind it.
 *
 * Who holds a lock of the kernel is looked up when the wait begins, as bpf/locks.bpf.c has it;
 * where the wait was is looked up at its end, when it is known to have been long enough to matter.
 */
#include <linux/types.h>
#include <linux/ptrace.h>

#include "../kernel.h"
#include "../map.h"
#include "lockwait.h"

char LICENSE[] SEC("license") = "GPL";

#define LOCK_SPIN 1
#define LOCK_READ 2
#define LOCK_WRITE 4
#define LOCK_RT 8
#define LOCK_MUTEX 32
#define OWNER_FLAGS 7ul
#define RWSEM_READERS 1ul
#define RWSEM_COUNT_BITS 8
#define PID_LIMIT 0x400000
#define FUTEX_COMMAND 0x7f
#define FUTEX_WAIT 0
#define FUTEX_WAIT_BITSET 9
#define FUTEX_CONTENDED 2 /* the value of a lock that others wait for */
#define FUTEX_OWNER_AT 8  /* of pthread_mutex_t's owner, behind the futex */
#define FNV_BASIS 0xcbf29ce484222325ULL
#define FNV_PRIME 0x100000001b3ULL

/* From user space. */
const volatile __u64 slow_ns = 10000;
const volatile long futex_call = -1; /* the number of the system call; -1: it is not looked at */
const volatile __u32 own = 0;
volatile __u32 counting = 0;

__u64 lost_waits = 0, lost_sums = 0, lost_stacks = 0;

struct atomic_long___lockwait {
	long counter;
} FROM_KERNEL;

struct mutex___lockwait {
	struct atomic_long___lockwait owner;
} FROM_KERNEL;

struct rw_semaphore___lockwait {
	struct atomic_long___lockwait count;
	struct atomic_long___lockwait owner;
} FROM_KERNEL;

struct rt_mutex_base___lockwait {
	struct task_struct *owner;
} FROM_KERNEL;

struct task_struct___lockwait {
	struct task_struct___lockwait *group_leader;
	int tgid;
	char comm[LOCKWAIT_COMM];
} FROM_KERNEL;

struct underway {
	__u64 since;
	__u64 lock;
	__u32 type;
	__u32 holder;
	char comm[LOCKWAIT_COMM]; /* the holder's */
};

TUESDAY_MAP(underway, HASH, LOCKWAIT_UNDERWAY, __u32, struct underway);
TUESDAY_MAP(sums, HASH, LOCKWAIT_SUMS, struct lockwait_key, struct lockwait_sum);
TUESDAY_MAP(stacks, HASH, LOCKWAIT_STACKS, __u64, struct lockwait_stack);
TUESDAY_MAP(scratch, PERCPU_ARRAY, 1, __u32, struct lockwait_stack);

static __always_inline unsigned long semaphore_owner(const struct rw_semaphore___lockwait *sem)
{
	unsigned long owner;

	if (!bpf_core_field_exists(sem->owner) || !bpf_core_field_exists(sem->count))
		return 0;
	owner = (unsigned long)BPF_CORE_READ(sem, owner.counter);
	if (owner & RWSEM_READERS && !(BPF_CORE_READ(sem, count.counter) >> RWSEM_COUNT_BITS))
		return 0;
	return owner;
}

/* 0: it names nobody. */
static __always_inline unsigned long owner_of(const void *lock, __u32 flags)
{
	const struct rt_mutex_base___lockwait *rt = lock;
	const struct mutex___lockwait *mutex = lock;

	if (flags & LOCK_MUTEX && bpf_core_field_exists(mutex->owner))
		return (unsigned long)BPF_CORE_READ(mutex, owner.counter);
	if (flags == LOCK_RT && bpf_core_field_exists(rt->owner))
		return (unsigned long)BPF_CORE_READ(rt, owner);
	if (flags == LOCK_READ || flags == LOCK_WRITE)
		return semaphore_owner(lock);
	return 0;
}

static __always_inline void find_holder(struct underway *wait, const void *lock, __u32 flags)
{
	const struct task_struct___lockwait *holder =
		(const void *)(owner_of(lock, flags) & ~OWNER_FLAGS);
	int tgid;

	if (!holder)
		return;
	tgid = BPF_CORE_READ(holder, tgid);
	/* A reader that is gone has left a pointer to nothing. */
	if (tgid <= 0 || tgid > PID_LIMIT)
		return;
	wait->holder = (__u32)tgid;
	BPF_CORE_READ_STR_INTO(&wait->comm, holder, group_leader, comm);
}

static __always_inline void begin(struct underway *wait)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	wait->since = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&underway, &tid, wait, BPF_ANY))
		__sync_fetch_and_add(&lost_waits, 1);
}

/* The number of the present stack, which is kept once. */
static __always_inline __u64 keep_stack(void *ctx)
{
	__u64 hash = FNV_BASIS;
	__u32 zero = 0, i;
	struct lockwait_stack *stack = bpf_map_lookup_elem(&scratch, &zero);
	long bytes;

	if (!stack)
		return 0;
	bytes = bpf_get_stack(ctx, stack->frames, sizeof(stack->frames), 0);
	for (i = 0; i < LOCKWAIT_FRAMES; i++) {
		if ((long)(i * sizeof(stack->frames[0])) >= bytes)
			stack->frames[i] = 0;
		hash = (hash ^ stack->frames[i]) * FNV_PRIME;
	}
	if (bytes <= 0)
		return 0;
	if (!bpf_map_lookup_elem(&stacks, &hash) &&
		bpf_map_update_elem(&stacks, &hash, stack, BPF_ANY)) {
		__sync_fetch_and_add(&lost_stacks, 1);
		return 0;
	}
	return hash;
}

static __always_inline void add(
	const struct lockwait_key *key, const struct underway *wait, __u64 ns)
{
	struct lockwait_sum fresh = {}, *sum = bpf_map_lookup_elem(&sums, key);

	if (!sum) {
		const struct task_struct___lockwait *task = (const void *)bpf_get_current_task();

		BPF_CORE_READ_STR_INTO(&fresh.waiter, task, group_leader, comm);
		__builtin_memcpy(fresh.holder, wait->comm, sizeof(fresh.holder));
		bpf_map_update_elem(&sums, key, &fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&sums, key);
	}
	if (!sum) {
		__sync_fetch_and_add(&lost_sums, 1);
		return;
	}
	__sync_fetch_and_add(&sum->ns, ns);
	__sync_fetch_and_add(&sum->count, 1);
	if (ns > sum->longest_ns)
		sum->longest_ns = ns;
}

static __always_inline void end(void *ctx, __u64 lock, bool futex)
{
	__u64 task = bpf_get_current_pid_tgid(), ns;
	struct lockwait_key key = {.waiter = (__u32)(task >> 32)};
	__u32 tid = (__u32)task;
	struct underway *found = bpf_map_lookup_elem(&underway, &tid), wait;

	if (!found || found->lock != lock || (found->type == LOCKWAIT_FUTEX) != futex)
		return;
	wait = *found;
	bpf_map_delete_elem(&underway, &tid);
	ns = bpf_ktime_get_ns() - wait.since;
	if (!counting || ns < slow_ns)
		return;
	key.type = wait.type;
	key.holder = wait.holder;
	key.stack = futex ? 0 : keep_stack(ctx);
	add(&key, &wait, ns);
}

SEC("raw_tp/contention_begin")
int BPF_PROG(lockwait_begin, void *lock, unsigned int flags)
{
	struct underway wait = {.lock = (__u64)lock, .type = flags}, *inside;
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	if (!counting || bpf_get_current_pid_tgid() >> 32 == own)
		return 0;
	inside = bpf_map_lookup_elem(&underway, &tid);
	/* One that first spins and then sleeps begins anew; in a lock's wait another lock may be
	 * waited for, which is a part of it. A futex is no lock of the kernel. */
	if (inside && inside->type != LOCKWAIT_FUTEX)
		return 0;
	/* The idle task of each CPU has the number 0. */
	if (inside || !tid)
		return 0;
	find_holder(&wait, lock, flags);
	begin(&wait);
	return 0;
}

SEC("raw_tp/contention_end")
int BPF_PROG(lockwait_end, void *lock, int ret)
{
	end(ctx, (__u64)lock, false);
	return 0;
}

/* Of a system call. The first is not where a function has it on some machines; where registers have
 * other names in the kernel than in its headers for programs, they are where these have them. */
static __always_inline unsigned long argument(struct pt_regs *regs, int which)
{
	unsigned long value = 0;

#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_kernel(&value, sizeof(value),
		which == 1	     ? &regs->rdi
			: which == 2 ? &regs->rsi
				     : &regs->rdx);
#else
	if (which == 1)
		value = PT_REGS_PARM1_CORE_SYSCALL(regs);
	else if (which == 2)
		value = PT_REGS_PARM2_CORE_SYSCALL(regs);
	else
		value = PT_REGS_PARM3_CORE_SYSCALL(regs);
#endif
	return value;
}

SEC("raw_tp/sys_enter")
int BPF_PROG(lockwait_enter, struct pt_regs *regs, long id)
{
	struct underway wait = {.type = LOCKWAIT_FUTEX};
	unsigned long address, op, value;

	if (!counting || id != futex_call)
		return 0;
	address = argument(regs, 1);
	op = argument(regs, 2) & FUTEX_COMMAND;
	value = argument(regs, 3);
	if ((op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET) || (__u32)value != FUTEX_CONTENDED)
		return 0;
	bpf_probe_read_user(
		&wait.holder, sizeof(wait.holder), (const void *)(address + FUTEX_OWNER_AT));
	begin(&wait);
	return 0;
}

SEC("raw_tp/sys_exit")
int BPF_PROG(lockwait_exit, struct pt_regs *regs, long ret)
{
	end(ctx, 0, true);
	return 0;
}
