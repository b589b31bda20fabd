// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where do the moments of a process's threads go?
 *
 * A thread runs, waits for a CPU, or sleeps, and each change is one of the scheduler's own events:
 * what ends is added to its part, so that the parts of a thread are as long as its life. Why it
 * sleeps is told by what the kernel knows of it when it leaves the CPU: that it waits for a disk
 * (in_iowait), for memory (in_memstall), for a lock of the kernel (between the two events of a
 * contention), in which system call it is, and on which descriptor. Who ends a sleep is who was on
 * the CPU that woke it: in an interrupt somebody who has nothing to do with it, which the reader
 * knows by there being many.
 *
 * Behind whom a thread waited for its CPU is told by a list of who has had that CPU last.
 */
#include "waits.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define PF_EXITING 4
#define EAGAIN 11
#define OCCUPANTS 8 /* a power of 2 */
#define CPUS 1024
/* A shorter wait is charged to who left the CPU, without a look at who was there before. */
#define LOOK_BACK_NS 200000
#define SIGNAL_GROUP_EXIT 4

typedef struct {
	int counter;
} waits_atomic;

struct signal_struct {
	waits_atomic live;
	int group_exit_code;
	unsigned int flags;
	unsigned long long sum_sched_runtime;
} FROM_KERNEL;

const volatile struct waits_params params = {};
struct waits_lost lost = {};
__u64 began_ns, ended_ns; /* 0: not yet */

struct occupants {
	__u32 at;
	struct occupant {
		__u32 tgid;
		__u32 pad;
		__u64 from, to;
		char comm[WAITS_COMM];
	} list[OCCUPANTS];
};

TUESDAY_MAP(threads, HASH, WAITS_THREADS, __u32, struct waits_thread);
TUESDAY_MAP(processes, HASH, WAITS_THREADS, __u32, struct waits_process);
TUESDAY_MAP(sums, HASH, WAITS_SUMS, struct waits_key, struct waits_sum);
TUESDAY_MAP(behind, HASH, WAITS_BEHIND, struct waits_behind, __u64);
TUESDAY_MAP(children, HASH, WAITS_CHILDREN, struct waits_children, struct waits_child_sum);
TUESDAY_MAP(occupied, PERCPU_ARRAY, 1, __u32, struct occupants);
TUESDAY_MAP(nothing_yet, ARRAY, 1, __u32, struct waits_process);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} slow SEC(".maps");

static __always_inline void lose(__u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

static __always_inline bool is_counting(void)
{
	return began_ns && !ended_ns;
}

/* The process, if it is followed; one that is not known yet is made where all are. */
static __always_inline struct waits_process *process_of(const struct task_struct___waits *task)
{
	__u32 tgid = task->tgid, zero = 0;
	struct waits_process *process = bpf_map_lookup_elem(&processes, &tgid), *fresh;

	if (process || !params.all || !tgid || tgid == params.own || task->flags & PF_KTHREAD)
		return process;
	fresh = bpf_map_lookup_elem(&nothing_yet, &zero);
	if (!fresh)
		return NULL;
	bpf_map_update_elem(&processes, &tgid, fresh, BPF_NOEXIST);
	process = bpf_map_lookup_elem(&processes, &tgid);
	if (!process)
		lose(&lost.threads);
	return process;
}

static __always_inline __u64 since_begin(__u64 since)
{
	return since > began_ns ? since : began_ns;
}

static __always_inline void add_sum(const struct waits_key *key, __u64 ns)
{
	struct waits_sum fresh = {}, *sum = bpf_map_lookup_elem(&sums, key);

	if (!sum) {
		bpf_map_update_elem(&sums, key, &fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&sums, key);
	}
	if (!sum) {
		lose(&lost.sums);
		return;
	}
	__sync_fetch_and_add(&sum->ns, ns);
	__sync_fetch_and_add(&sum->count, 1);
	if (ns > sum->max_ns)
		sum->max_ns = ns;
}

static __always_inline void tell_slow(const struct waits_key *key, __u32 tid, __u64 now, __u64 ns)
{
	struct waits_slow *event = bpf_ringbuf_reserve(&slow, sizeof(*event), 0);

	if (!event) {
		lose(&lost.slow);
		return;
	}
	event->at_ns = now;
	event->ns = ns;
	event->tid = tid;
	event->key = *key;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

/* What the thread was in the middle of ends now. who has ended it. */
static __always_inline void end_part(struct waits_process *process, struct waits_thread *thread,
	__u32 tid, __u64 now, const struct task_struct___waits *who)
{
	const __u64 since = since_begin(thread->since);
	const __u64 ns = now > since ? now - since : 0;
	struct waits_key key = {};
	__u32 part = thread->part;

	if (!is_counting() || part >= WAITS_PARTS)
		return;
	__sync_fetch_and_add(&process->part_ns[part], ns);
	if (part <= WAITS_QUOTA)
		return;
	key.tgid = thread->tgid;
	key.part = part;
	key.nr = thread->nr;
	key.detail = thread->detail;
	if (part == WAITS_LOCK) {
		key.who = thread->who;
		__builtin_memcpy(key.comm, thread->comm, sizeof(key.comm));
	} else if (who && part >= WAITS_STOPPED && part != WAITS_SLEEP) {
		key.who = who->tgid;
		__builtin_memcpy(key.comm, who->comm, sizeof(key.comm));
	}
	add_sum(&key, ns);
	if (ns >= params.slow_ns)
		tell_slow(&key, tid, now, ns);
}

static __always_inline void begin_part(struct waits_thread *thread, __u32 part, __u64 now)
{
	thread->part = part;
	thread->since = now;
}

/* Of a thread that was not seen before: it is as if it began now. */
static __always_inline struct waits_thread *thread_make(const struct task_struct___waits *task,
	struct waits_process *process, __u32 part, __u64 now)
{
	struct waits_thread fresh = {
		.tgid = task->tgid, .part = part, .since = now, .born = now, .nr = WAITS_NO_CALL};
	__u32 tid = task->pid;

	if (bpf_map_update_elem(&threads, &tid, &fresh, BPF_NOEXIST)) {
		lose(&lost.threads);
		return NULL;
	}
	__sync_fetch_and_add(&process->threads, 1);
	if (!process->comm[0])
		__builtin_memcpy(process->comm, task->comm, sizeof(process->comm));
	return bpf_map_lookup_elem(&threads, &tid);
}

static __always_inline void leave(struct task_struct___waits *prev, bool preempt, __u64 now)
{
	struct waits_process *process = process_of(prev);
	__u32 tid = prev->pid, state = state_of(prev);
	struct waits_thread *thread;
	__u64 exec;

	if (!process)
		return;
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (!thread) {
		if (state & TASK_DEAD || prev->flags & PF_EXITING)
			return;
		thread = thread_make(prev, process, WAITS_RUNS, now);
		if (!thread)
			return;
	}
	/* What was looked up in /proc may have been another moment. */
	if (thread->part != WAITS_RUNS)
		thread->part = WAITS_RUNS;
	exec = prev->se.sum_exec_runtime;
	if (is_counting()) {
		if (thread->ran_exec && thread->since >= began_ns)
			__sync_fetch_and_add(&process->exec_ns, exec - thread->ran_exec);
		else
			__sync_fetch_and_add(&process->exec_ns, now - since_begin(thread->since));
		__sync_fetch_and_add(&process->switches, 1);
	}
	end_part(process, thread, tid, now, NULL);
	if (preempt || !(state & ~TASK_DEAD))
		begin_part(thread, is_throttled(prev) ? WAITS_QUOTA : WAITS_QUEUE, now);
	else
		begin_part(thread,
			why_asleep(prev, thread->in_lock, state, &thread->nr, &thread->detail),
			now);
}

static __always_inline void add_behind(__u32 tgid, const struct occupant *occupant, __u64 ns)
{
	struct waits_behind key = {.tgid = tgid};
	__u64 *sum;

	if (occupant) {
		key.other = occupant->tgid;
		if (occupant->tgid)
			__builtin_memcpy(key.comm, occupant->comm, sizeof(key.comm));
	}
	sum = bpf_map_lookup_elem(&behind, &key);
	if (sum)
		__sync_fetch_and_add(sum, ns);
	else if (bpf_map_update_elem(&behind, &key, &ns, BPF_NOEXIST))
		lose(&lost.behind);
}

/* Everyone who had this CPU since the thread began to wait has his share, and what none of them had
 * is nobody's. */
static __always_inline void charge_behind(
	__u32 tgid, const struct occupants *here, __u64 since, __u64 now)
{
	__u64 left = now - since;
	__u32 i;

#pragma unroll
	for (i = 1; i <= OCCUPANTS; i++) {
		const struct occupant *one = &here->list[(here->at - i) & (OCCUPANTS - 1)];
		__u64 from = one->from > since ? one->from : since,
		      to = one->to < now ? one->to : now;

		if (to <= since)
			break;
		if (to <= from || !one->tgid)
			continue;
		to -= from;
		add_behind(tgid, one, to < left ? to : left);
		left -= to < left ? to : left;
		if (from == since)
			break;
	}
	if (left)
		add_behind(tgid, NULL, left);
}

static __always_inline void arrive(
	struct task_struct___waits *next, const struct occupants *here, __u64 now)
{
	struct waits_process *process = process_of(next);
	__u32 tid = next->pid;
	struct waits_thread *thread;
	__u64 since;

	if (!process)
		return;
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (!thread) {
		if (next->flags & PF_EXITING)
			return;
		thread = thread_make(next, process, WAITS_RUNS, now);
		if (!thread)
			return;
	}
	if (thread->part == WAITS_RUNS)
		thread->part = WAITS_QUEUE;
	since = since_begin(thread->since);
	end_part(process, thread, tid, now, NULL);
	if (is_counting() && thread->part == WAITS_QUEUE && now > since) {
		if (now - since >= LOOK_BACK_NS)
			charge_behind(next->tgid, here, since, now);
		else
			add_behind(next->tgid, &here->list[(here->at - 1) & (OCCUPANTS - 1)],
				now - since);
	}
	thread->ran_exec = next->se.sum_exec_runtime;
	begin_part(thread, WAITS_RUNS, now);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(
	switched, bool preempt, struct task_struct___waits *prev, struct task_struct___waits *next)
{
	__u64 now = bpf_ktime_get_ns();
	struct occupants *here;
	struct occupant *slot;
	__u32 zero = 0;

	if (ended_ns)
		return 0;
	here = bpf_map_lookup_elem(&occupied, &zero);
	if (!here)
		return 0;
	/* Who leaves was here since the last one left. */
	slot = &here->list[here->at & (OCCUPANTS - 1)];
	slot->from = here->list[(here->at - 1) & (OCCUPANTS - 1)].to;
	slot->to = now;
	slot->tgid = prev->pid ? prev->tgid : 0;
	__builtin_memcpy(slot->comm, prev->comm, sizeof(slot->comm));
	here->at++;
	if (prev->pid)
		leave(prev, preempt, now);
	if (next->pid)
		arrive(next, here, now);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct___waits *task)
{
	__u32 tid = task->pid;
	struct waits_thread *thread;
	struct waits_process *process;
	__u64 now;

	if (ended_ns)
		return 0;
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (!thread || thread->part <= WAITS_QUOTA)
		return 0;
	process = process_of(task);
	if (!process)
		return 0;
	now = bpf_ktime_get_ns();
	end_part(process, thread, tid, now, (void *)bpf_get_current_task_btf());
	begin_part(thread, WAITS_QUEUE, now);
	return 0;
}

/* A child begins runnable; its parent is followed. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(forked, struct task_struct___waits *parent, struct task_struct___waits *child)
{
	__u32 tgid = child->tgid, zero = 0;
	struct waits_process *process, *fresh;

	if (ended_ns || !process_of(parent))
		return 0;
	if (child->tgid != parent->tgid) {
		if (!params.children)
			return 0;
		fresh = bpf_map_lookup_elem(&nothing_yet, &zero);
		/* An older one of this number is done with. */
		if (!fresh || bpf_map_update_elem(&processes, &tgid, fresh, BPF_ANY)) {
			lose(&lost.threads);
			return 0;
		}
	}
	process = process_of(child);
	if (process)
		thread_make(child, process, WAITS_QUEUE, bpf_ktime_get_ns());
	return 0;
}

static __always_inline void child_ended(struct task_struct___waits *task, __u64 now)
{
	struct waits_children key = {};
	struct waits_child_sum fresh = {}, *sum;
	__u64 exec;

	key.tgid = BPF_CORE_READ(task, real_parent, tgid);
	if (!key.tgid || !bpf_map_lookup_elem(&processes, &key.tgid))
		return;
	__builtin_memcpy(key.comm, task->comm, sizeof(key.comm));
	sum = bpf_map_lookup_elem(&children, &key);
	if (!sum) {
		bpf_map_update_elem(&children, &key, &fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&children, &key);
	}
	if (!sum) {
		lose(&lost.children);
		return;
	}
	exec = task->signal->sum_sched_runtime + task->se.sum_exec_runtime;
	if (task->group_leader->pid != task->pid)
		exec += task->group_leader->se.sum_exec_runtime;
	__sync_fetch_and_add(&sum->count, 1);
	__sync_fetch_and_add(&sum->exec_ns, exec);
	__sync_fetch_and_add(&sum->life_ns, now - task->group_leader->start_time);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exited, struct task_struct___waits *task)
{
	__u32 tid = task->pid, tgid = task->tgid;
	struct waits_process *process;
	struct waits_thread *thread;
	__u64 now, born;

	if (!is_counting())
		return 0;
	now = bpf_ktime_get_ns();
	if (!task->signal->live.counter)
		child_ended(task, now);
	process = bpf_map_lookup_elem(&processes, &tgid);
	if (!process)
		return 0;
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (thread) {
		end_part(process, thread, tid, now, NULL);
		if (thread->ran_exec)
			__sync_fetch_and_add(
				&process->exec_ns, task->se.sum_exec_runtime - thread->ran_exec);
		born = since_begin(thread->born);
		__sync_fetch_and_add(&process->ended_ns, now - born);
		bpf_map_delete_elem(&threads, &tid);
	}
	if (!task->signal->live.counter) {
		process->died_ns = now;
		__builtin_memcpy(process->comm, task->group_leader->comm, sizeof(process->comm));
		process->status = task->signal->flags & SIGNAL_GROUP_EXIT
			? task->signal->group_exit_code
			: task->group_leader->exit_code;
	}
	return 0;
}

/* Locks of the kernel: who has one is looked up when the wait begins, as in locks.bpf.c. */
#define LOCK_READ 2
#define LOCK_WRITE 4
#define LOCK_MUTEX 32
#define OWNER_FLAGS 7ul
#define PID_LIMIT 0x400000

struct atomic_long___waits {
	long counter;
} FROM_KERNEL;

struct mutex {
	struct atomic_long___waits owner;
} FROM_KERNEL;

struct rw_semaphore {
	struct atomic_long___waits owner;
} FROM_KERNEL;

SEC("raw_tp/contention_begin")
int BPF_PROG(contended, void *lock, unsigned int flags)
{
	const struct task_struct___waits *holder = NULL;
	const struct rw_semaphore *semaphore = lock;
	const struct mutex *mutex = lock;
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct waits_thread *thread;
	int tgid;

	if (flags & LOCK_SPIN || !is_counting())
		return 0;
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (!thread || thread->in_lock)
		return 0;
	thread->in_lock = 1;
	thread->who = 0;
	__builtin_memset(thread->comm, 0, sizeof(thread->comm));
	if (flags & LOCK_MUTEX && bpf_core_field_exists(mutex->owner))
		holder = (const void *)((unsigned long)BPF_CORE_READ(mutex, owner.counter) &
			~OWNER_FLAGS);
	else if ((flags == LOCK_READ || flags == LOCK_WRITE) &&
		bpf_core_field_exists(semaphore->owner))
		holder = (const void *)((unsigned long)BPF_CORE_READ(semaphore, owner.counter) &
			~OWNER_FLAGS);
	if (!holder)
		return 0;
	tgid = BPF_CORE_READ(holder, tgid);
	if (tgid <= 0 || tgid > PID_LIMIT)
		return 0;
	thread->who = (__u32)tgid;
	BPF_CORE_READ_STR_INTO(&thread->comm, holder, comm);
	return 0;
}

SEC("raw_tp/contention_end")
int BPF_PROG(uncontended)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct waits_thread *thread = bpf_map_lookup_elem(&threads, &tid);

	if (thread)
		thread->in_lock = 0;
	return 0;
}

/* System calls that found nothing: attached only where processes are named. */
SEC("raw_tp/sys_exit")
int BPF_PROG(call_ended, struct pt_regs *regs, long result)
{
	__u32 tgid = (__u32)(bpf_get_current_pid_tgid() >> 32), kind;
	struct waits_process *process;

	if (!is_counting())
		return 0;
	process = bpf_map_lookup_elem(&processes, &tgid);
	if (!process)
		return 0;
	__sync_fetch_and_add(&process->calls, 1);
	if (result && result != -EAGAIN)
		return 0;
#if defined(__TARGET_ARCH_x86)
	kind = call_kind((__u32)BPF_CORE_READ((struct pt_regs___waits_x86 *)regs, orig_ax));
#elif defined(__TARGET_ARCH_arm64)
	kind = call_kind((__u32)BPF_CORE_READ((struct pt_regs___waits_arm64 *)regs, syscallno));
#else
	kind = WAITS_CALL_OTHER;
#endif
	if (kind >= WAITS_CALL_EVENTS && kind <= WAITS_CALL_DATA)
		__sync_fetch_and_add(&process->nothing, 1);
	return 0;
}
