/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom has a server made wait, by the rule that accuses it, for the tracer of turns?
 *
 * Whoever lies unread when a thread goes on with its connection, came long before what it answers,
 * and could have been read by it, is a victim: each request once, however often it is overtaken,
 * and whether it is read in the end or not.
 */
#ifndef TUESDAY_BPF_TURNVICTIMS_BPF_H
#define TUESDAY_BPF_TURNVICTIMS_BPF_H

#include "turnolder.bpf.h"
#include "turns.h"

/* Which of those in a queue the present thread could have read. */
enum evidence {
	EVIDENCE_ALL,
	EVIDENCE_OURS,	    /* that it has read from before */
	EVIDENCE_UNACCEPTED /* that nobody has accepted */
};

struct census {
	struct queue *queue;
	struct place place;
	__u64 from;
	__u64 now;
	__u32 evidence;
};

/* How many in a slot count: where the last one that came is none, or has gone, none or one less. */
static __always_inline __u64 victims_at(const struct census *census, __u64 at)
{
	const struct sock *sk = (const struct sock *)census->queue->sample[at];
	const __s32 unread = census->queue->unread[at];

	if (unread <= 0)
		return 0;
	if (census->evidence == EVIDENCE_OURS)
		return is_ours_unread(sk);
	if (census->evidence == EVIDENCE_UNACCEPTED && !is_unaccepted(sk))
		return 0;
	if (sk && !lies(sk, &census->place))
		return (__u64)unread - 1;
	return (__u64)unread;
}

static long count_victims_at(__u32 step, struct census *census)
{
	__u64 id[2] = {id_of(&census->place), TURNS_VICTIMS};
	__u64 at = census->from + step, victims;
	struct hist *hist;

	/* The bound must be seen in the very register that is used. */
	asm volatile("%0 &= 8191" : "+r"(at));
	victims = victims_at(census, at);
	hist = victims ? hist_of(id) : NULL;
	if (hist)
		hist_add_many(hist, census->now - began - at * SLOT_NS, victims);
	return 0;
}

/* Counts those that came before end_ns, but for what came before *named_ns: it has been counted. */
static __always_inline void count_victims(struct census *census, __u64 end_ns, __u64 *named_ns)
{
	const __u64 end = slot_of(end_ns);

	if (*named_ns >= end_ns || end > SLOTS)
		return;
	census->from = slot_of(*named_ns);
	if (census->from < census->queue->head)
		census->from = census->queue->head;
	*named_ns = end_ns;
	if (census->from < end)
		bpf_loop((__u32)(end - census->from), count_victims_at, census, 0);
}

/* The same for any thread of any CPU: what another one is counting is left to it, or to the next
 * time. Who adds and finds more than that has not been alone since. */
static __always_inline void count_victims_alone(struct census *census, __u64 end_ns)
{
	struct queue *queue = census->queue;

	if (queue->named_ns >= end_ns)
		return;
	__sync_fetch_and_add(&queue->counting, 1);
	if (queue->counting == 1)
		count_victims(census, end_ns, &queue->named_ns);
	__sync_fetch_and_add(&queue->counting, -1);
}

/* Of what this process has read from before, all or, as in own_older_lies(), the thread's own. */
static __always_inline void count_victims_of_own(
	struct census *census, struct thread *thread, __u64 end_ns)
{
	struct queue *own = census->queue;

	if (own->changes >= WAY_SEEN) {
		census->evidence = EVIDENCE_ALL;
		count_victims_alone(census, end_ns);
		return;
	}
	census->evidence = EVIDENCE_OURS;
	count_victims(census, end_ns, &thread->named_ns);
	/* Not once more when connections are seen to go from thread to thread. */
	if (own->named_ns < end_ns)
		own->named_ns = end_ns;
}

/* Counts whom the present thread makes wait, which has just answered on and on: of its process, and
 * of those that all could read, as far as evidence says. Hardly ever called, so it is no part of
 * what each answer runs through. */
static __noinline void name_victims(const struct connection *connection, struct thread *thread,
	struct queue *own, struct queue *anybodys, enum evidence evidence)
{
	const __u64 slot = slot_of(connection->arrived);
	const __u64 end_ns = began + (slot - LEAD_SLOTS + 1) * SLOT_NS;
	struct census census = {.queue = own, .place = connection->place, .now = thread->answered};

	if (slot < LEAD_SLOTS)
		return;
	if (own)
		count_victims_of_own(&census, thread, end_ns);
	if (!anybodys)
		return;
	census.queue = anybodys;
	census.evidence = evidence;
	count_victims_alone(&census, end_ns);
}

#endif
