/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where is a thread? Stacks of what runs, by a clock, and of what does not, at each switch.
 *
 * A map of stacks (bpf_get_stackid) loses most of them as soon as there are some thousands: two
 * that hash alike cannot both be kept. So samples go through a ring. Waits are too many for that:
 * they are summed here, and a ring tells what each stack is the first time that it is seen.
 *
 * How the user's stack is walked is the includer's: sample_walk(ctx, record).
 */
#ifndef TUESDAY_BPF_SAMPLE_BPF_H
#define TUESDAY_BPF_SAMPLE_BPF_H

#include <linux/ptrace.h>

#include "../kernel.h"
#include "../map.h"
#include "sample.h"

#define TASK_ENDED 0xb0 /* EXIT_DEAD, EXIT_ZOMBIE and TASK_DEAD: it never comes back */
#define FNV_BASIS 0xcbf29ce484222325ULL
#define FNV_PRIME 0x100000001b3ULL
#define HASHED_MOST 256 /* frames that an id is made of */

char LICENSE[] SEC("license") = "GPL";

/* All processes, or those of targets, or one thread. */
const volatile __u32 by_target = 0;
const volatile __u32 only_tid = 0;
const volatile __u32 own_tgid = 0;
const volatile __u32 with_wakers = 0;

TUESDAY_MAP(targets, HASH, SAMPLE_TARGETS, __u32, __u32);
TUESDAY_MAP(away, HASH, SAMPLE_AWAY, __u32, struct sample_away);
TUESDAY_MAP(sums, HASH, SAMPLE_SUMS, struct sample_wait, struct sample_sum);
/* Stacks that were told. */
TUESDAY_MAP(told, LRU_HASH, SAMPLE_SUMS, __u64, __u32);

TUESDAY_MAP(scratch, PERCPU_ARRAY, 1, __u32, struct sample_record);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} ring SEC(".maps");

struct sample_lost lost;
__u64 looks, idle_looks; /* of the clock, on all CPUs; those that found a CPU without work */

static __always_inline bool is_wanted(__u32 tgid, __u32 tid)
{
	if (only_tid)
		return tid == only_tid;
	return by_target ? bpf_map_lookup_elem(&targets, &tgid) != 0 : tgid != own_tgid;
}

/* Walks the user's stack of the present task: sets user, depth, end and frame_pointer. */
static __always_inline void sample_walk(void *ctx, struct sample_record *record);

/* The present task's record, without its frames. */
static __always_inline struct sample_record *sample_begin(__u64 id)
{
	const __u32 zero = 0;
	struct sample_record *record = bpf_map_lookup_elem(&scratch, &zero);

	if (!record)
		return 0;
	record->at_ns = bpf_ktime_get_ns();
	record->id = 0;
	record->cgroup = bpf_get_current_cgroup_id();
	record->pid = id >> 32;
	record->tid = (__u32)id;
	record->kernel = record->user = record->depth = 0;
	record->end = SAMPLE_END_NONE;
	record->frame_pointer = record->bp = record->sp = 0;
	record->in_user = record->n_words = 0;
	bpf_get_current_comm(record->comm, sizeof(record->comm));
	return record;
}

/* Puts the frames in, and returns the bytes that the record has with them. */
static __always_inline __u32 sample_take(void *ctx, struct sample_record *record)
{
	__u64 user;
	long got;

	sample_walk(ctx, record);
	if (record->sp &&
		!bpf_probe_read_user(record->words, sizeof(record->words), (void *)record->sp))
		record->n_words = SAMPLE_WORDS;
	user = record->user;
	/* The verifier is to see a bound on what is added. */
	asm volatile("" : "+r"(user));
	if (user > SAMPLE_USER_MOST)
		return 0;
	got = bpf_get_stack(ctx, record->frames + user, SAMPLE_KERNEL_MOST * sizeof(__u64), 0);
	if (got < 0)
		got = 0;
	record->kernel = (__u32)got / sizeof(__u64);
	return sizeof(*record) - sizeof(record->frames) + user * sizeof(__u64) + (__u32)got;
}

/* Whether it has found room. */
static __always_inline bool sample_tell(struct sample_record *record, __u32 size)
{
	/* So too. */
	asm volatile("" : "+r"(size));
	if (size > sizeof(*record))
		return false;
	return !bpf_ringbuf_output(&ring, record, size, BPF_RB_NO_WAKEUP);
}

SEC("perf_event")
int sample_running(struct bpf_perf_event_data *ctx)
{
	const __u64 id = bpf_get_current_pid_tgid();
	struct sample_record *record;
	__u32 size;

	__sync_fetch_and_add(&looks, 1);
	if (!(__u32)id) {
		__sync_fetch_and_add(&idle_looks, 1);
		return 0;
	}
	if (!is_wanted(id >> 32, (__u32)id))
		return 0;
	record = sample_begin(id);
	if (!record)
		return 0;
	size = sample_take(ctx, record);
	record->in_user = !record->kernel;
	if (!sample_tell(record, size))
		__sync_fetch_and_add(&lost.samples, 1);
	return 0;
}

/* The same number for the same frames of a process: those of the user and of the kernel. */
static __always_inline __u64 sample_hash(const struct sample_record *record)
{
	__u64 hash = (FNV_BASIS ^ record->pid) * FNV_PRIME;
	const __u32 n = record->user + record->kernel;
	__u32 i;

	for (i = 0; i < HASHED_MOST; i++) {
		if (i >= n)
			break;
		hash = (hash ^ record->frames[i]) * FNV_PRIME;
		hash ^= hash >> 29;
	}
	for (i = 0; record->n_words && i < SAMPLE_WORDS; i++)
		if (sample_may_be_code(record, record->words[i]))
			hash = (hash ^ record->words[i]) * FNV_PRIME;
	return hash ? hash : 1;
}

/* The number of the present task's stack, which is told where it is a new one. */
static __always_inline __u64 sample_where(void *ctx, __u64 task)
{
	struct sample_record *record = sample_begin(task);
	const __u32 one = 1;
	__u32 size;
	__u64 id;

	if (!record)
		return 0;
	size = sample_take(ctx, record);
	id = sample_hash(record);
	if (bpf_map_lookup_elem(&told, &id))
		return id;
	record->id = id;
	if (sample_tell(record, size))
		bpf_map_update_elem(&told, &id, &one, BPF_ANY);
	else
		__sync_fetch_and_add(&lost.stacks, 1);
	return id;
}

static __always_inline bool sample_has_ended(const struct task_struct *task)
{
	const struct task_struct___before_5_14 *older = (const void *)task;

	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state) & TASK_ENDED;
	return BPF_CORE_READ(older, state) & TASK_ENDED;
}

static __always_inline bool sample_is_runnable(const struct task_struct *task)
{
	const struct task_struct___before_5_14 *older = (const void *)task;

	if (bpf_core_field_exists(task->__state))
		return !BPF_CORE_READ(task, __state);
	return !BPF_CORE_READ(older, state);
}

/* The present task leaves its CPU. */
static __always_inline void sample_leave(void *ctx, const struct task_struct *prev, bool made_to)
{
	const __u64 id = bpf_get_current_pid_tgid();
	struct sample_away left = {};
	__u32 tid = (__u32)id;

	if (!tid || !is_wanted(id >> 32, tid) || sample_has_ended(prev))
		return;
	if (!made_to && !sample_is_runnable(prev))
		left.stack = sample_where(ctx, id);
	left.since_ns = bpf_ktime_get_ns();
	/* What wants a CPU is as good as woken. */
	left.woken_ns = left.stack ? 0 : left.since_ns;
	left.pid = id >> 32;
	bpf_get_current_comm(left.comm, sizeof(left.comm));
	if (bpf_map_update_elem(&away, &tid, &left, BPF_ANY))
		__sync_fetch_and_add(&lost.away, 1);
}

static __always_inline void sample_sum_add(struct sample_sum *sum, __u64 blocked, __u64 queued)
{
	__sync_fetch_and_add(&sum->blocked_ns, blocked);
	__sync_fetch_and_add(&sum->queued_ns, queued);
	__sync_fetch_and_add(&sum->times, 1);
	if (blocked > sum->longest_ns)
		sum->longest_ns = blocked;
}

/* A thread has its CPU again. */
static __always_inline void sample_come(const struct task_struct *next)
{
	__u32 tid = BPF_CORE_READ(next, pid);
	struct sample_away *left = tid ? bpf_map_lookup_elem(&away, &tid) : 0;
	struct sample_sum fresh = {}, *sum;
	__u64 now, blocked, queued;
	struct sample_wait key;

	if (!left)
		return;
	now = bpf_ktime_get_ns();
	/* Another CPU may have looked at the clock later than this one. */
	queued = left->woken_ns && left->woken_ns < now ? now - left->woken_ns : 0;
	blocked = now - queued > left->since_ns ? now - queued - left->since_ns : 0;
	key.stack = left->stack;
	key.waker_stack = left->waker_stack;
	key.tid = tid;
	key.waker_tid = left->waker_tid;
	sum = bpf_map_lookup_elem(&sums, &key);
	if (!sum) {
		fresh.pid = left->pid;
		fresh.waker_pid = left->waker_pid;
		__builtin_memcpy(fresh.comm, left->comm, sizeof(fresh.comm));
		__builtin_memcpy(fresh.waker, left->waker, sizeof(fresh.waker));
		bpf_map_update_elem(&sums, &key, &fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&sums, &key);
	}
	bpf_map_delete_elem(&away, &tid);
	if (!sum) {
		__sync_fetch_and_add(&lost.sums, 1);
		__sync_fetch_and_add(&lost.sums_ns, blocked + queued);
		return;
	}
	sample_sum_add(sum, blocked, queued);
}

SEC("raw_tp/sched_switch")
int sample_switch(struct bpf_raw_tracepoint_args *ctx)
{
	sample_leave(ctx, (const struct task_struct *)ctx->args[1], ctx->args[0] & 1);
	sample_come((const struct task_struct *)ctx->args[2]);
	return 0;
}

/* The present task, or an interrupt of it, wakes another one. */
SEC("raw_tp/sched_waking")
int sample_waking(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (const struct task_struct *)ctx->args[0];
	__u32 tid = BPF_CORE_READ(task, pid);
	struct sample_away *left = bpf_map_lookup_elem(&away, &tid);
	const __u64 id = bpf_get_current_pid_tgid();

	if (!left || left->woken_ns)
		return 0;
	if (with_wakers) {
		left->waker_stack = sample_where(ctx, id);
		left->waker_tid = (__u32)id;
		left->waker_pid = id >> 32;
		bpf_get_current_comm(left->waker, sizeof(left->waker));
	}
	left->woken_ns = bpf_ktime_get_ns();
	return 0;
}

/* Children of who is looked at are looked at. */
SEC("raw_tp/sched_process_fork")
int sample_fork(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *parent = (const struct task_struct *)ctx->args[0];
	const struct task_struct *child = (const struct task_struct *)ctx->args[1];
	__u32 from = BPF_CORE_READ(parent, tgid), to = BPF_CORE_READ(child, tgid);

	if (from != to && bpf_map_lookup_elem(&targets, &from))
		bpf_map_update_elem(&targets, &to, &from, BPF_ANY);
	return 0;
}

#endif
