/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a wait divided among those who were ahead, and what is remembered of whom? */
#ifndef TUESDAY_BPF_QUEUE_BPF_H
#define TUESDAY_BPF_QUEUE_BPF_H

#include "../kernel.h"
#include "../map.h"
#include "queue.h"

char LICENSE[] SEC("license") = "GPL";

/* From user space: when it counts. */
volatile __u32 counting = 0;
struct queue_lost lost = {};

TUESDAY_MAP(pairs, HASH, QUEUE_PAIRS, struct queue_key, struct queue_sum);
TUESDAY_MAP(people, HASH, QUEUE_PEOPLE, __u32, struct queue_person);
/* Whether people has somebody already, without a search. */
TUESDAY_MAP(known, ARRAY, QUEUE_NOTES, __u32, __u32);

struct kuid___queue {
	__u32 val;
} FROM_KERNEL;

struct cred___queue {
	struct kuid___queue uid;
} FROM_KERNEL;

struct task_struct___queue {
	struct task_struct___queue *group_leader;
	const struct cred___queue *cred;
	struct css_set *cgroups;
	int static_prio;
	unsigned int policy;
	unsigned int flags;
	int tgid;
	char comm[QUEUE_COMM];
} FROM_KERNEL;

/* Adds to what a waiter has waited behind somebody. */
static __always_inline void queue_add(const struct queue_key *key, __u64 ns)
{
	const struct queue_sum fresh = {};
	struct queue_sum *sum = bpf_map_lookup_elem(&pairs, key);

	if (!sum) {
		bpf_map_update_elem(&pairs, key, &fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&pairs, key);
	}
	if (!sum) {
		__sync_fetch_and_add(&lost.pairs_ns, ns);
		return;
	}
	__sync_fetch_and_add(&sum->ns, ns);
	__sync_fetch_and_add(&sum->count, 1);
	if (ns > sum->longest_ns)
		sum->longest_ns = ns;
}

/*
 * Who had it from one time to another, the latest first. Returns what is in no slice: that was
 * longer ago than is remembered, or nobody's alone. To be called from one global function of the
 * program, which the verifier follows once and not for each call.
 */
static __always_inline __u64 queue_divide_ring(
	const struct queue_ring *ring, struct queue_key *key, __u64 from, __u64 to)
{
	__u64 left = to - from, newest = ring->head - 1;
	__u32 i;

	for (i = 0; i < QUEUE_SLICES; i++) {
		const struct queue_slice *slice = &ring->slices[(newest - i) & (QUEUE_SLICES - 1)];
		__u64 start = slice->start, end = slice->end;

		if (end <= from)
			break;
		if (start < from)
			start = from;
		if (end > to)
			end = to;
		if (end <= start)
			continue;
		key->ahead = slice->who;
		queue_add(key, end - start);
		left -= end - start;
	}
	return (__s64)left > 0 ? left : 0;
}

/* A slice that follows the last one of the same is part of it. */
static __always_inline void queue_push(struct queue_ring *ring, __u64 start, __u64 end, __u32 who)
{
	struct queue_slice *last = &ring->slices[(ring->head - 1) & (QUEUE_SLICES - 1)];

	if (last->who == who && last->end == start) {
		last->end = end;
		return;
	}
	last = &ring->slices[ring->head & (QUEUE_SLICES - 1)];
	last->start = start;
	last->end = end;
	last->who = who;
	ring->head++;
}

/* Once for each process. */
static __always_inline void queue_note(const struct task_struct___queue *task, __u32 tgid)
{
	struct queue_person person = {};
	__u32 i = tgid & (QUEUE_NOTES - 1), *noted = bpf_map_lookup_elem(&known, &i);

	if (!noted || *noted == tgid)
		return;
	*noted = tgid;
	if (bpf_core_field_exists(struct kernfs_node, id))
		person.cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	person.uid = BPF_CORE_READ(task, cred, uid.val);
	person.nice = BPF_CORE_READ(task, static_prio) - NICE_0_PRIO;
	person.policy = BPF_CORE_READ(task, policy);
	person.is_kernel = !!(BPF_CORE_READ(task, flags) & PF_KTHREAD);
	BPF_CORE_READ_STR_INTO(&person.comm, task, group_leader, comm);
	if (bpf_map_update_elem(&people, &tgid, &person, BPF_ANY))
		__sync_fetch_and_add(&lost.people, 1);
}

/* Its next turn is noted anew: it has another name now. */
static __always_inline void queue_forget(__u32 tgid)
{
	__u32 i = tgid & (QUEUE_NOTES - 1), *noted = bpf_map_lookup_elem(&known, &i);

	if (noted && *noted == tgid)
		*noted = 0;
}

#endif
