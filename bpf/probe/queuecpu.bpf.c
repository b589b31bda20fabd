// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who waits for a CPU, and who has it meanwhile?
 *
 * All times are those of the run queues' own clock, by which the scheduler stamps a task when it is
 * queued and counts its run_delay (/proc/PID/schedstat): no clock is read here, and the sums are
 * the kernel's.
 *
 * A task that is moved to another CPU while it waits is queued anew there. What it waited before is
 * in its run_delay, which has grown since it last ran: that part is divided when it leaves, or
 * where this was not seen it is QUEUE_MOVED.
 *
 * Each program exists twice: with the kernel's types known to the verifier (Linux 5.5), and by
 * reads, for kernels that refuse that.
 */
#include "queue.bpf.h"

#define ON_RQ_MIGRATING 2

struct sched_info___queue {
	unsigned long long run_delay;
	unsigned long long last_queued;
	unsigned long long last_arrival;
} FROM_KERNEL;

struct task_struct___queuecpu {
	struct sched_info___queue sched_info;
	struct sched_entity se;
	int on_rq;
	int pid;
	int tgid;
} FROM_KERNEL;

struct rq___queue {
	__u64 clock;
	int cpu;
} FROM_KERNEL;

struct cfs_rq___queue {
	struct rq___queue *rq;
	int throttle_count;
} FROM_KERNEL;

struct thread_note {
	__u32 pid;
	__u32 pad;
	__u64 run_delay; /* as it will be once what is known here has been counted by the kernel */
	__u64 throttled; /* since when it waits for its quota; 0: it does not */
};

/* max_entries of rings are set before loading: a row a CPU. */
TUESDAY_MAP(rings, ARRAY, 1, __u32, struct queue_ring);
TUESDAY_MAP(threads, ARRAY, QUEUE_NOTES, __u32, struct thread_note);

/* A member, by the way that this program has. */
#define GET(direct, task, path) ((direct) ? (task)->path : BPF_CORE_READ(task, path))

static __always_inline __u64 clock_of(const struct task_struct___queuecpu *task, bool direct)
{
	const struct cfs_rq___queue *queue = (const void *)GET(direct, task, se.cfs_rq);

	if (direct)
		return ((struct cfs_rq___queue *)(void *)task->se.cfs_rq)->rq->clock;
	return BPF_CORE_READ(queue, rq, clock);
}

static __always_inline bool leaves_throttled(const struct task_struct___queuecpu *prev, bool direct)
{
	const struct task_struct___since_6_18 *newer = (const void *)prev;
	const struct cfs_rq___queue *queue;

	if (bpf_core_field_exists(newer->throttled))
		return BPF_CORE_READ(newer, throttled);
	if (!bpf_core_field_exists(struct cfs_rq___queue, throttle_count))
		return false;
	queue = (const void *)GET(direct, prev, se.cfs_rq);
	return BPF_CORE_READ(queue, throttle_count) > 0;
}

static __always_inline struct thread_note *note_of(__u32 pid)
{
	__u32 i = pid & (QUEUE_NOTES - 1);

	return bpf_map_lookup_elem(&threads, &i);
}

/* What it waited on CPUs that it was moved from and nobody saw. */
static __always_inline void count_moved(
	const struct thread_note *note, struct queue_key *key, __u64 run_delay)
{
	__u64 moved = run_delay - note->run_delay;

	if ((__s64)moved <= 0)
		return;
	key->ahead = QUEUE_MOVED;
	queue_add(key, moved);
}

/* Of a wait on a CPU; who is the waiter, and the stage above 32 bits. */
__noinline int queue_divide(__u32 cpu, __u64 who, __u64 from, __u64 to)
{
	struct queue_key key = {.waiter = (__u32)who, .stage = (__u32)(who >> 32)};
	const struct queue_ring *ring = bpf_map_lookup_elem(&rings, &cpu);

	__u64 left;

	if (!ring)
		return 0;
	left = queue_divide_ring(ring, &key, from, to);
	if (left) {
		key.ahead = QUEUE_EARLIER;
		queue_add(&key, left);
	}
	return 0;
}

static __always_inline void count_wait(
	__u32 cpu, const struct thread_note *note, struct queue_key *key, __u64 from, __u64 to)
{
	if ((__s64)(to - from) <= 0)
		return;
	if (note->throttled == from) {
		key->ahead = QUEUE_QUOTA;
		queue_add(key, to - from);
	} else {
		queue_divide(cpu, (__u64)key->stage << 32 | key->waiter, from, to);
	}
}

/* Who gets the CPU has waited until now. */
static __always_inline void arrive(
	__u32 cpu, const struct task_struct___queuecpu *next, __u64 now, bool direct)
{
	__u64 queued = GET(direct, next, sched_info.last_queued);
	__u64 run_delay = GET(direct, next, sched_info.run_delay);
	struct queue_key key = {.waiter = (__u32)GET(direct, next, tgid)};
	__u32 pid = (__u32)GET(direct, next, pid);
	struct thread_note *note = note_of(pid);

	/* The idle task is never queued. */
	if (!note || !queued)
		return;
	if (note->pid == pid) {
		count_moved(note, &key, run_delay);
	} else {
		note->pid = pid;
		note->throttled = 0;
	}
	count_wait(cpu, note, &key, queued, now);
	note->throttled = 0;
	note->run_delay = run_delay + (now - queued);
}

/*
 * Who leaves the CPU had it since he arrived. Where that is later than the last switch that was
 * seen, somebody had it before him whom the kernel shows to nobody, and his own arrival was not
 * seen either: it is made good here.
 */
static __always_inline void leave(struct queue_ring *ring, __u32 cpu,
	const struct task_struct___queuecpu *prev, __u64 now, bool direct)
{
	__u32 pid = (__u32)GET(direct, prev, pid), tgid = (__u32)GET(direct, prev, tgid);
	__u64 arrived = GET(direct, prev, sched_info.last_arrival), start = ring->since;
	__u64 delay = GET(direct, prev, sched_info.run_delay);
	struct thread_note *note = note_of(pid);
	struct queue_key key = {.waiter = tgid};

	if (pid && (__s64)(arrived - start) > 0 && (__s64)(now - arrived) >= 0) {
		queue_push(ring, start, arrived, QUEUE_HIDDEN);
		if (note && note->pid == pid && (__s64)(delay - note->run_delay) > 0)
			count_wait(cpu, note, &key, arrived - (delay - note->run_delay), arrived);
		start = arrived;
	}
	queue_push(ring, start, now, tgid);
	if (!note || !pid)
		return;
	note->pid = pid;
	note->run_delay = delay;
	note->throttled = leaves_throttled(prev, direct) ? now : 0;
}

static __always_inline int switched(const struct task_struct___queuecpu *prev,
	const struct task_struct___queuecpu *next, bool direct)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct queue_ring *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 now;

	if (!counting || !ring)
		return 0;
	now = clock_of(next, direct);
	queue_note((const void *)prev, (__u32)GET(direct, prev, tgid));
	/* Nobody saw the CPU before, but who leaves it knows since when he had it. */
	if (!ring->began)
		ring->since =
			GET(direct, prev, pid) ? GET(direct, prev, sched_info.last_arrival) : now;
	leave(ring, cpu, prev, now, direct);
	ring->began = 1;
	ring->since = now;
	ring->current = (__u32)GET(direct, next, tgid);
	queue_note((const void *)next, ring->current);
	arrive(cpu, next, now, direct);
	return 0;
}

/* The task has left the run queue of its CPU, which is still noted in it and locked: its wait there
 * is over, and who runs there goes on running. */
static __always_inline int moved(const struct task_struct___queuecpu *task)
{
	const struct cfs_rq___queue *queue;
	struct queue_key key = {};
	struct thread_note *note;
	struct queue_ring *ring;
	__u64 now, from, delay;
	__u32 cpu, pid;

	if (!counting || BPF_CORE_READ(task, on_rq) != ON_RQ_MIGRATING)
		return 0;
	pid = (__u32)BPF_CORE_READ(task, pid);
	note = note_of(pid);
	delay = BPF_CORE_READ(task, sched_info.run_delay);
	queue = (const void *)BPF_CORE_READ(task, se.cfs_rq);
	cpu = (__u32)BPF_CORE_READ(queue, rq, cpu);
	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (!note || !ring || note->pid != pid || (__s64)(delay - note->run_delay) <= 0)
		return 0;
	now = BPF_CORE_READ(queue, rq, clock);
	from = now - (delay - note->run_delay);
	note->run_delay = delay;
	key.waiter = (__u32)BPF_CORE_READ(task, tgid);
	if (ring->began && now > ring->since) {
		__u64 start = from > ring->since ? from : ring->since;

		key.ahead = ring->current;
		queue_add(&key, now - start);
		now = start;
	}
	count_wait(cpu, note, &key, from, now);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(queuecpu_switch, bool preempt, struct task_struct___queuecpu *prev,
	struct task_struct___queuecpu *next)
{
	return switched(prev, next, true);
}

SEC("raw_tp/sched_switch")
int BPF_PROG(queuecpu_switch_raw, bool preempt, struct task_struct___queuecpu *prev,
	struct task_struct___queuecpu *next)
{
	return switched(prev, next, false);
}

SEC("raw_tp/sched_migrate_task")
int BPF_PROG(queuecpu_moved, struct task_struct___queuecpu *task, int to)
{
	return moved(task);
}

SEC("raw_tp/sched_process_exec")
int queuecpu_exec(void *ctx)
{
	if (counting)
		queue_forget((__u32)(bpf_get_current_pid_tgid() >> 32));
	return 0;
}

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

/* Once, at the end: who waits still. Its wait is in no count of the kernel's until it ends. */
SEC("iter/task")
int queuecpu_still(struct bpf_iter__task *ctx)
{
	const struct task_struct___queuecpu *task = (const void *)ctx->task;
	struct queue_key key = {.stage = QUEUE_STILL};
	const struct cfs_rq___queue *queue;
	struct thread_note *note;
	struct queue_ring *ring;
	__u64 queued, now;
	__u32 cpu;

	if (!task)
		return 0;
	queued = BPF_CORE_READ(task, sched_info.last_queued);
	queue = (const void *)BPF_CORE_READ(task, se.cfs_rq);
	cpu = (__u32)BPF_CORE_READ(queue, rq, cpu);
	now = BPF_CORE_READ(queue, rq, clock);
	ring = bpf_map_lookup_elem(&rings, &cpu);
	note = note_of((__u32)BPF_CORE_READ(task, pid));
	if (!queued || !ring || !note || (__s64)(now - queued) <= 0)
		return 0;
	key.waiter = (__u32)BPF_CORE_READ(task, tgid);
	queue_note((const void *)task, key.waiter);
	if (ring->began && now > ring->since) {
		__u64 start = queued > ring->since ? queued : ring->since;

		key.ahead = ring->current;
		queue_add(&key, now - start);
		now = start;
	}
	count_wait(cpu, note, &key, queued, now);
	return 0;
}
