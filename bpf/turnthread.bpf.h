/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has a thread served in a row, for the tracer of turns, and who waited inside the process
 * meanwhile?
 *
 * A server may read a request early, by a thread that only reads, and let it wait for a thread that
 * serves. Such a wait is seen when it is over: the thread that answers in the end has, since the
 * request was read, read and answered later ones of the one connection that it had. It had the
 * choice, so the order was not fair.
 *
 * A thread that serves many connections at a time proves nothing this way: the older request may
 * have been at work. So it must have read no other between, and hold none while it answers; and
 * whoever read the older one must be a thread that reads and does not answer, which those of an
 * event loop or of Go do not become.
 */
#ifndef TUESDAY_BPF_TURNTHREAD_BPF_H
#define TUESDAY_BPF_TURNTHREAD_BPF_H

#include "turnplace.bpf.h"

/* The present thread at this server, made where there is none; NULL where no more can be. */
static __always_inline struct thread *thread_of(const struct place *place)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid(), zero = 0;
	struct thread *thread = bpf_map_lookup_elem(&threads, &tid);

	if (thread && id_of(&thread->place) == id_of(place))
		return thread;
	thread = bpf_map_lookup_elem(&empty_thread, &zero);
	if (!thread)
		return NULL;
	bpf_map_update_elem(&threads, &tid, thread, BPF_ANY_ELEMENT);
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (thread)
		thread->place = *place;
	return thread;
}

static __always_inline bool is_last(const struct thread *thread, const struct connection_key *key)
{
	return thread->last.sock == key->sock && thread->last.remote_port == key->remote_port;
}

/* It has read a request of this connection. */
static __always_inline void thread_reads(struct thread *thread, const struct connection_key *key)
{
	thread->reads++;
	thread->holds = 1;
	if (!is_last(thread, key))
		thread->n_run = 0;
}

/* It answers this connection: how many it has given it without one of another between, this one
 * included. */
static __always_inline __u64 thread_answers(
	struct thread *thread, const struct connection_key *key, __u64 now)
{
	if (!is_last(thread, key)) {
		thread->last = *key;
		thread->streak = 0;
		thread->n_run = 0;
	}
	thread->answers++;
	thread->holds = 0;
	thread->answered = now;
	return ++thread->streak;
}

static __always_inline void thread_runs_on(struct thread *thread, __u64 arrived)
{
	thread->run[thread->n_run & (RUN - 1)] = arrived;
	thread->n_run++;
}

static __always_inline bool reads_for_others(__u32 tid, const struct place *place)
{
	const struct thread *reader = bpf_map_lookup_elem(&threads, &tid);

	return reader && id_of(&reader->place) == id_of(place) &&
		reader->reads >= READS_FOR_OTHERS &&
		(__u64)reader->answers * READS_AN_ANSWER < reader->reads;
}

/* How many later requests a thread has served before it took this one; to be asked before the
 * answer is noted. */
static __always_inline __u64 passed_inside(
	const struct thread *thread, const struct connection *connection)
{
	__u64 since = connection->arrived + LEAD_SLOTS * SLOT_NS, passed = 0;
	__u32 i;

	if (connection->tid == (__u32)bpf_get_current_pid_tgid() || !thread->n_run ||
		thread->holds || !reads_for_others(connection->tid, &connection->place))
		return 0;
	if (since < connection->read)
		since = connection->read;
	for (i = 0; i < RUN; i++)
		passed += i < thread->n_run && thread->run[i] > since;
	return passed;
}

#endif
