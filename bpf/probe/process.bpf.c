// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes came from a command, what did they run, where did their time go, and what became
 * of them? One that is followed has its children followed, from the one on that the reader has put
 * in.
 *
 * A build has processes that live for milliseconds, so that each event looks up one entry: that of
 * the thread it is about. The entry of a process's first thread is there until all of them have
 * ended, for what the others have is added to it.
 */
#include "waits.bpf.h"
#include "process.h"

char LICENSE[] SEC("license") = "GPL";

#define SIGNAL_GROUP_EXIT 4 /* before and after that name: group_exit_code counts */

struct sched_entity___process {
	__u64 sum_exec_runtime;
} FROM_KERNEL;

typedef struct {
	int counter;
} process_atomic;

struct signal_struct___process {
	process_atomic live;
	int group_exit_code;
	unsigned int flags;
	__u64 utime, stime;
	unsigned long long sum_sched_runtime;
	unsigned long maxrss;
} FROM_KERNEL;

struct sched_info___process {
	unsigned long long run_delay;
} FROM_KERNEL;

struct mm_struct___process {
	unsigned long arg_start, arg_end;
} FROM_KERNEL;

struct task_struct___process {
	int pid;
	int tgid;
	int exit_code;
	__u64 utime, stime;
	struct sched_entity___process se;
	struct sched_info___process sched_info;
	struct task_struct___process *group_leader;
	struct signal_struct___process *signal;
	struct mm_struct___process *mm;
	char comm[PROCESS_COMM];
} FROM_KERNEL;

TUESDAY_MAP(threads, HASH, PROCESS_THREADS, __u32, struct process_thread);

/* Most command lines are short: only what there is of one goes into the ring. */
TUESDAY_MAP(scratch, PERCPU_ARRAY, 1, __u32, struct process_exec);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} events SEC(".maps");

__u64 lost;

static __always_inline void begin(struct process_event *event, __u32 kind, __u32 pid, __u64 now)
{
	event->kind = kind;
	event->pid = pid;
	event->at_ns = now;
}

static __always_inline void lose(void)
{
	__sync_fetch_and_add(&lost, 1);
}

/* Others that have ended may be adding to it at the same time. */
static __always_inline void add_part(struct process_thread *thread, __u32 part, __u64 ns)
{
	if (part < WAITS_PARTS)
		__sync_fetch_and_add(&thread->part_ns[part], ns);
}

static __always_inline void add_parts(struct process_thread *to, const struct process_thread *from)
{
	__u32 part;

	for (part = 0; part < WAITS_PARTS; part++)
		if (from->part_ns[part])
			add_part(to, part, from->part_ns[part]);
}

/* What it was in the middle of ends. Returns how long that was. */
static __always_inline __u64 turn(struct process_thread *thread, __u32 part, __u64 now)
{
	const __u64 ns = now > thread->since ? now - thread->since : 0;

	add_part(thread, thread->part, ns);
	thread->part = part;
	thread->since = now;
	return ns;
}

/* A thread sleeps until it is woken, and waits for a CPU from then on. Nobody is asked for that at
 * each waking: the scheduler itself counts the second part, which is known when the thread has been
 * on the CPU. */
static __always_inline void part_sleep(
	struct process_thread *thread, const struct task_struct___process *task)
{
	const __u64 delay = task->sched_info.run_delay;
	__u64 queued = delay - thread->delay_ns;

	thread->delay_ns = delay;
	if (thread->slept <= WAITS_QUOTA || thread->slept >= WAITS_PARTS)
		return;
	if (queued > thread->slept_ns)
		queued = thread->slept_ns;
	add_part(thread, WAITS_QUEUE, queued);
	add_part(thread, thread->slept, -queued);
	thread->slept = WAITS_PARTS;
}

static __always_inline void leave(const struct task_struct___waits *task,
	struct process_thread *thread, bool preempt, __u64 now)
{
	__u32 state = state_of(task), part, nr, detail;

	if (state & TASK_DEAD)
		return;
	part_sleep(thread, (const struct task_struct___process *)task);
	if (preempt || !state)
		part = is_throttled(task) ? WAITS_QUOTA : WAITS_QUEUE;
	else
		part = why_asleep(task, thread->in_lock, state, &nr, &detail);
	turn(thread, part, now);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(
	switched, bool preempt, struct task_struct___waits *prev, struct task_struct___waits *next)
{
	__u32 leaves = prev->pid, comes = next->pid;
	struct process_thread *thread;

	/* Idle CPUs are threads of number 0. */
	thread = leaves ? bpf_map_lookup_elem(&threads, &leaves) : NULL;
	if (thread)
		leave(prev, thread, preempt, bpf_ktime_get_ns());
	thread = comes ? bpf_map_lookup_elem(&threads, &comes) : NULL;
	if (thread) {
		thread->slept = thread->part;
		thread->slept_ns = turn(thread, WAITS_RUNS, bpf_ktime_get_ns());
	}
	return 0;
}

SEC("raw_tp/contention_begin")
int BPF_PROG(contended, void *lock, unsigned int flags)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct process_thread *thread;

	if (flags & LOCK_SPIN)
		return 0;
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (thread)
		thread->in_lock = 1;
	return 0;
}

SEC("raw_tp/contention_end")
int BPF_PROG(uncontended)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct process_thread *thread = bpf_map_lookup_elem(&threads, &tid);

	if (thread)
		thread->in_lock = 0;
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(forked, struct task_struct___process *parent, struct task_struct___process *child)
{
	__u32 parent_tid = parent->pid, tid = child->pid;
	struct process_thread fresh = {.part = WAITS_QUEUE, .slept = WAITS_PARTS};
	struct process_fork *fork;

	if (!bpf_map_lookup_elem(&threads, &parent_tid))
		return 0;
	fresh.since = bpf_ktime_get_ns();
	/* An older one of this number is done with. */
	if (bpf_map_update_elem(&threads, &tid, &fresh, BPF_ANY)) {
		lose();
		return 0;
	}
	if ((__u32)child->tgid != tid)
		return 0;
	fork = bpf_ringbuf_reserve(&events, sizeof(*fork), 0);
	if (!fork) {
		lose();
		return 0;
	}
	begin(&fork->event, PROCESS_FORK, tid, fresh.since);
	fork->parent = parent->tgid;
	__builtin_memcpy(fork->comm, parent->comm, sizeof(fork->comm));
	bpf_ringbuf_submit(fork, BPF_RB_NO_WAKEUP);
	return 0;
}

/* A thread that starts a program takes the number of the first one, all others having ended. */
static __always_inline void become_first(struct process_thread *first, __u32 old_tid, __u64 now)
{
	struct process_thread *thread = bpf_map_lookup_elem(&threads, &old_tid);

	if (!thread)
		return;
	turn(thread, WAITS_PARTS, now);
	add_parts(first, thread);
	first->part = WAITS_RUNS;
	first->since = now;
	first->in_lock = 0;
	first->slept = WAITS_PARTS;
	first->delay_ns = thread->delay_ns;
	bpf_map_delete_elem(&threads, &old_tid);
}

/* Copies the words of the command line. Returns the bytes of the event. */
static __always_inline __u32 take_words(
	struct process_exec *exec, const struct task_struct___process *task)
{
	const unsigned long from = task->mm->arg_start, to = task->mm->arg_end;
	__u32 len;

	exec->whole = to > from ? to - from : 0;
	len = exec->whole < PROCESS_ARGS ? exec->whole : PROCESS_ARGS - 1;
	/* The verifier is to see a bound on what is handed over itself. */
	asm volatile("" : "+r"(len));
	len &= PROCESS_ARGS - 1;
	if (bpf_probe_read_user(exec->args, len, (const void *)from))
		len = 0;
	exec->len = len;
	return offsetof(struct process_exec, args) + len;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(executed, struct task_struct___process *task, int old_tid)
{
	__u32 pid = task->tgid, zero = 0, size;
	struct process_thread *first = bpf_map_lookup_elem(&threads, &pid);
	struct process_exec *exec;
	__u64 now;

	if (!first)
		return 0;
	now = bpf_ktime_get_ns();
	if ((__u32)old_tid != pid)
		become_first(first, old_tid, now);
	exec = bpf_map_lookup_elem(&scratch, &zero);
	if (!exec)
		return 0;
	begin(&exec->event, PROCESS_EXEC, pid, now);
	__builtin_memcpy(exec->comm, task->comm, sizeof(exec->comm));
	size = take_words(exec, task);
	if (bpf_ringbuf_output(&events, exec, size, BPF_RB_NO_WAKEUP))
		lose();
	return 0;
}

static __always_inline void measure(struct process_exit *exit, struct task_struct___process *task)
{
	struct signal_struct___process *signal = task->signal;
	struct task_struct___process *leader = task->group_leader;

	exit->cpu_ns = signal->sum_sched_runtime + task->se.sum_exec_runtime;
	exit->user_ns = signal->utime + task->utime;
	exit->system_ns = signal->stime + task->stime;
	/* The first thread is counted in when it is reaped, which is later. */
	if (leader->pid != task->pid) {
		exit->cpu_ns += leader->se.sum_exec_runtime;
		exit->user_ns += leader->utime;
		exit->system_ns += leader->stime;
	}
	exit->rss_pages = signal->maxrss;
	exit->code =
		signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code : leader->exit_code;
}

/* Of two threads that end at once both may be seen as the last one: whoever deletes the entry is.
 */
static __always_inline void tell_end(
	struct task_struct___process *task, const struct process_thread *first, __u64 now)
{
	struct process_exit *exit = bpf_ringbuf_reserve(&events, sizeof(*exit), 0);
	__u32 pid = task->tgid;

	if (!exit) {
		lose();
		bpf_map_delete_elem(&threads, &pid);
		return;
	}
	begin(&exit->event, PROCESS_EXIT, pid, now);
	measure(exit, task);
	__builtin_memcpy(exit->part_ns, first->part_ns, sizeof(exit->part_ns));
	if (bpf_map_delete_elem(&threads, &pid))
		bpf_ringbuf_discard(exit, BPF_RB_NO_WAKEUP);
	else
		bpf_ringbuf_submit(exit, BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exited, struct task_struct___process *task)
{
	__u32 tid = task->pid, pid = task->tgid;
	struct process_thread *thread = bpf_map_lookup_elem(&threads, &tid), *first = thread;
	__u64 now;

	if (!thread)
		return 0;
	now = bpf_ktime_get_ns();
	part_sleep(thread, task);
	turn(thread, WAITS_PARTS, now);
	if (tid != pid) {
		first = bpf_map_lookup_elem(&threads, &pid);
		if (first)
			add_parts(first, thread);
		bpf_map_delete_elem(&threads, &tid);
	}
	if (first && !task->signal->live.counter)
		tell_end(task, first, now);
	return 0;
}
