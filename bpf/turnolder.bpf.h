/* SPDX-License-Identifier: GPL-2.0-only */
/* Has something older lain unread before a server, for the tracer of turns? */
#ifndef TUESDAY_BPF_TURNOLDER_BPF_H
#define TUESDAY_BPF_TURNOLDER_BPF_H

#include "turnplace.bpf.h"

struct search {
	struct queue *queue;
	__u64 from;
	__u32 steps; /* to what was found */
	__u32 found;
};

/* One step of a search. Returns 1 to end it. What each step leaves behind is the same until then,
 * so that the verifier has one to follow. */
static long look_at_slot(__u32 step, struct search *search)
{
	__u64 at = search->from + step;

	/* The bound must be seen in the very register that is used. */
	asm volatile("%0 &= 8191" : "+r"(at));
	if (search->queue->unread[at] <= 0)
		return 0;
	search->steps = step;
	search->found = 1;
	return 1;
}

/* Whether something has lain unread in a queue since long before slot; *age_ns: for how long. */
static __always_inline bool older_lies(struct queue *queue, __u64 slot, __u64 now, __u64 *age_ns)
{
	struct search search = {.queue = queue};
	__u64 end = slot - LEAD_SLOTS + 1;

	if (!queue || slot < LEAD_SLOTS || end > SLOTS)
		return false;
	search.from = queue->head;
	if (search.from >= end)
		return false;
	bpf_loop((__u32)(end - search.from), look_at_slot, &search, 0);
	/* Another CPU may have come further: that only repeats the search. */
	queue->head = (__u32)(search.found ? search.from + search.steps : end);
	if (search.found)
		*age_ns = now - began - (search.from + search.steps) * SLOT_NS;
	return search.found;
}

static __always_inline bool unix_lies(const struct sock *sk, const struct place *place)
{
	struct place now;

	return BPF_CORE_READ(sk, sk_receive_queue.qlen) && place_of_unix(sk, &now) &&
		now.netns == place->netns;
}

static __always_inline bool tcp_lies(const struct sock *sk)
{
	const struct tcp_sock *tcp = (const struct tcp_sock *)sk;

	return BPF_CORE_READ(tcp, rcv_nxt) != BPF_CORE_READ(tcp, copied_seq);
}

/* Only a look tells. */
static __always_inline bool lies(const struct sock *sk, const struct place *place)
{
	return place->is_unix ? unix_lies(sk, place) : tcp_lies(sk);
}

/*
 * No event tells that a Unix socket is closed with something unread in it, or that data goes on
 * without being read (splice): what is counted must still lie there to be evidence. Only the last
 * of a slot is known; where that one was read, the others of TCP are believed.
 */
static __always_inline bool still_lies(struct queue *queue, const struct place *place)
{
	const struct sock *sk;
	__u64 at;

	if (!queue)
		return false;
	at = queue->head;
	asm volatile("%0 &= 8191" : "+r"(at));
	sk = (const struct sock *)queue->sample[at];
	if (sk ? lies(sk, place) : !place->is_unix)
		return true;
	queue->unread[at] = 0;
	return false;
}

/* Whether something lies unread in a socket from which the present thread was the last to read. */
static __always_inline bool is_ours_unread(const struct sock *sk)
{
	struct connection_key key = {.sock = (__u64)sk};
	const struct connection *connection;

	if (!sk)
		return false;
	key.remote_port = BPF_CORE_READ(sk, __sk_common.skc_dport);
	connection = bpf_map_lookup_elem(&connections, &key);
	return connection && connection->tid == (__u32)bpf_get_current_pid_tgid() &&
		connection->arrived && !connection->read && lies(sk, &connection->place);
}

static long look_at_ours(__u32 step, struct search *search)
{
	__u64 at = search->from + step;

	asm volatile("%0 &= 8191" : "+r"(at));
	if (search->queue->unread[at] <= 0 ||
		!is_ours_unread((const struct sock *)search->queue->sample[at]))
		return 0;
	search->steps = step;
	search->found = 1;
	return 1;
}

/*
 * The same for what this process has read from before. Where each connection has a thread of its
 * own, or an event loop, only what the present one has read from is its to take. Who has read from
 * a connection is settled while something lies unread there, so no slot is looked at twice.
 */
static __always_inline bool own_older_lies(struct queue *own, struct thread *thread,
	const struct place *place, __u64 slot, __u64 now, __u64 *age_ns)
{
	struct search search = {.queue = own};
	__u64 end = slot - LEAD_SLOTS + 1;

	if (!older_lies(own, slot, now, age_ns) || !still_lies(own, place))
		return false;
	if (own->changes >= WAY_SEEN)
		return true;
	search.from = own->head > thread->looked ? own->head : thread->looked;
	if (search.from >= end)
		return false;
	bpf_loop((__u32)(end - search.from), look_at_ours, &search, 0);
	thread->looked = (__u32)(search.found ? search.from + search.steps : end);
	if (search.found)
		*age_ns = now - began - (search.from + search.steps) * SLOT_NS;
	return search.found;
}

/* Whether each connection keeps to its thread, which serves several at a time. */
static __always_inline bool has_loops(const struct queue *own)
{
	return own && own->changes < WAY_SEEN && own->returns >= WAY_SEEN;
}

/* Whether any thread of this process could take what it has accepted: connections go from thread to
 * thread, or threads have one connection after the other, as the present one has had its for a
 * while, and not several at a time. */
static __always_inline bool takes_any(const struct queue *own, __u64 streak)
{
	return own &&
		(own->changes >= WAY_SEEN || (own->returns < WAY_SEEN && streak > STREAK_SEEN));
}

/* Whether what was found at the head of a queue is accepted by nobody yet. */
static __always_inline bool is_head_unaccepted(const struct queue *queue)
{
	__u64 at;

	if (!queue)
		return false;
	at = queue->head;
	asm volatile("%0 &= 8191" : "+r"(at));
	return is_unaccepted((const struct sock *)queue->sample[at]);
}

#endif
