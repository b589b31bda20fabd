/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What becomes of a request that arrives, is read and is answered, for the tracers of turns?
 *
 * How each of these is seen depends on the kernel: that is the tracers' own, and they call this.
 */
#ifndef TUESDAY_BPF_TURNSERVE_BPF_H
#define TUESDAY_BPF_TURNSERVE_BPF_H

#include "trace.bpf.h"
#include "turnolder.bpf.h"
#include "turnplace.bpf.h"
#include "turns.h"
#include "turnstate.bpf.h"
#include "turnthread.bpf.h"
#include "turnvictims.bpf.h"

/* Somebody listens there. */
static __always_inline void add_service(const struct place *place)
{
	struct service fresh = {};

	if (bpf_map_update_elem(&services, place, &fresh, BPF_NEW_ELEMENT) == NO_ROOM)
		__sync_fetch_and_add(&lost.instances, 1);
	listens[place->port] = true;
}

static __always_inline void add_listener(const struct place *place, const struct sock *sk)
{
	struct service *service;

	add_service(place);
	service = bpf_map_lookup_elem(&services, place);
	if (!service)
		return;
	if (service->listener && service->listener != (__u64)sk)
		service->others_listen = 1;
	service->listener = (__u64)sk;
}

static __always_inline __u64 now_since(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (!began)
		began = now;
	return now;
}

/* The queue of a process, if it has one. */
static __always_inline struct queue *find_queue(const struct place *place, __u32 tgid)
{
	struct queue_key key = {.place = *place, .tgid = tgid};

	return bpf_map_lookup_elem(&queues, &key);
}

/* The same, made where there is none; NULL where no more can be. */
static __always_inline struct queue *queue_of(const struct place *place, __u32 tgid)
{
	struct queue_key key = {.place = *place, .tgid = tgid};
	struct queue *queue = find_queue(place, tgid);
	__u32 zero = 0;

	if (queue)
		return queue;
	queue = bpf_map_lookup_elem(&empty_queue, &zero);
	if (!queue)
		return NULL;
	bpf_map_update_elem(&queues, &key, queue, BPF_NEW_ELEMENT);
	return bpf_map_lookup_elem(&queues, &key);
}

static __always_inline void count_unread(
	struct queue *queue, const struct sock *sk, __u64 arrived, __s32 change)
{
	__u64 slot = slot_of(arrived);

	if (!queue || slot >= SLOTS)
		return;
	/* The bound must be seen in the very register that is used. */
	asm volatile("%0 &= 8191" : "+r"(slot));
	__sync_fetch_and_add(&queue->unread[slot], change);
	/* The search may have passed by what the iterators find. */
	if (change > 0 && queue->head > slot)
		queue->head = (__u32)slot;
	/* Which of the others still lies there is not known. One that nobody has accepted says
	 * most. */
	if (change < 0 && queue->sample[slot] == (__u64)sk)
		queue->sample[slot] = 0;
	else if (change > 0 && !is_unaccepted((const struct sock *)queue->sample[slot]))
		queue->sample[slot] = (__u64)sk;
}

/* The verifier looks at a function that is not static once, and not once for each way to a call of
 * it: that is half of what it takes to load this tracer. */
__noinline int turns_count(__u64 place_id, __u32 field, __u64 value, __u64 times)
{
	__u64 id[2] = {place_id, field};
	struct hist *hist = hist_of(id);

	if (hist)
		hist_add_many(hist, value, times);
	return 0;
}

__noinline int turns_charge(__u64 place_id, __u64 value)
{
	charge_task(WHO_COMM, (struct task_struct *)bpf_get_current_task_btf(),
		instance_fold(place_id, 0), value);
	return 0;
}

static __always_inline void note_many(
	const struct place *place, __u32 field, __u64 value, __u64 times)
{
	turns_count(id_of(place), field, value, times);
}

static __always_inline void note(const struct place *place, __u32 field, __u64 value)
{
	note_many(place, field, value, 1);
}

/* Returns the connection whose turn begins with this, or NULL. */
static __always_inline struct connection *arrive(const struct sock *sk,
	const struct connection_key *key, const struct place *place, __u64 when)
{
	struct connection fresh = {}, *connection;
	struct queue *queue;

	connection = bpf_map_lookup_elem(&connections, key);
	if (!connection) {
		fresh.place = *place;
		fresh.deaf = !place->is_unix && is_subflow(sk);
		fresh.early = is_unaccepted(sk);
		bpf_map_update_elem(&connections, key, &fresh, BPF_NEW_ELEMENT);
		connection = bpf_map_lookup_elem(&connections, key);
	}
	if (!connection) {
		__sync_fetch_and_add(&lost.instances, 1);
		return NULL;
	}
	if (connection->arrived || connection->deaf)
		return NULL;
	/* Nobody has accepted it: the one before, of the same memory, is closed. */
	if (place->is_unix && is_unaccepted(sk)) {
		connection->tgid = 0;
		connection->reads = 0;
		connection->early = 1;
	}
	queue = queue_of(place, connection->tgid);
	if (!queue) {
		__sync_fetch_and_add(&lost.instances, 1);
		return NULL;
	}
	connection->queue = connection->tgid;
	connection->read = 0;
	connection->arrived = when;
	count_unread(queue, sk, when, 1);
	return connection;
}

static __always_inline void note_process(struct service *service, __u32 tgid)
{
	if (!service->tgid)
		service->tgid = tgid;
	else if (service->tgid != tgid)
		service->several = 1;
}

/* Do connections go from thread to thread here, or has each its own? A first read may be by whoever
 * accepts. */
static __always_inline void note_way(struct queue *own, const struct connection *connection,
	const struct thread *thread, const struct connection_key *key)
{
	if (!own || connection->reads < 2 || !connection->tid)
		return;
	if (connection->tid != (__u32)bpf_get_current_pid_tgid())
		own->changes++;
	else if (thread && thread->last.sock && !is_last(thread, key))
		own->returns++;
}

/* The connection from which its first read takes what has arrived, or NULL. */
static __always_inline struct connection *unread_connection(const struct connection_key *key)
{
	struct connection *connection = bpf_map_lookup_elem(&connections, key);

	return connection && connection->arrived && !connection->read ? connection : NULL;
}

/* By the present thread. */
static __always_inline void read_first(
	const struct sock *sk, const struct connection_key *key, struct connection *connection)
{
	struct service *service = bpf_map_lookup_elem(&services, &connection->place);
	__u32 tgid = current_tgid();
	struct queue *queue, *own;
	struct thread *thread;
	__u64 now;

	if (!service)
		return;
	now = now_since();
	thread = thread_of(&connection->place);
	queue = queue_of(&connection->place, connection->queue);
	count_unread(queue, sk, connection->arrived, -1);
	note_process(service, tgid);
	/* Mostly the same: one lookup less. */
	own = connection->queue == tgid ? queue : queue_of(&connection->place, tgid);
	note_way(own, connection, thread, key);
	if (connection->early && !connection->reads && !service->accepted)
		service->accepted = 1;
	connection->read = now;
	connection->tgid = tgid;
	connection->tid = (__u32)bpf_get_current_pid_tgid();
	connection->reads += connection->reads < 2;
	connection->named = queue && connection->arrived < queue->named_ns;
	if (thread)
		thread_reads(thread, key);
	note(&connection->place, TURNS_READ, now - connection->arrived);
	if (own && own->answered_arrival > connection->arrived + LEAD_SLOTS * SLOT_NS)
		note(&connection->place, TURNS_OVERTAKEN, now - connection->arrived);
}

static __always_inline void note_continued(
	const struct connection *connection, __u64 streak, __u64 age, __u64 before, __u64 now)
{
	const struct place *place = &connection->place;

	note(place, TURNS_CONTINUED, streak);
	note(place, TURNS_IDLE, connection->read > before ? connection->read - before : 0);
	note(place, TURNS_CYCLE, now - before);
	turns_charge(id_of(place), age);
}

/* A request that was read has waited until this thread took it, while it served later ones. */
static __always_inline void note_inside(
	const struct connection *connection, const struct thread *thread, __u64 passed)
{
	const struct place *place = &connection->place;
	__u64 waited = thread->answered - connection->arrived;

	note_many(place, TURNS_CONTINUED, thread->streak, passed);
	note_many(place, TURNS_OVERTOOK, waited, passed);
	note(place, TURNS_INSIDE, passed);
	note(place, TURNS_OVERTAKEN, waited);
	if (!connection->named)
		note(place, TURNS_VICTIMS, waited);
	turns_charge(id_of(place), waited);
}

/* Whether each process, or thread, has a queue of its own for what it has not read from yet. */
static __always_inline bool queues_apart(const struct sock *sk, const struct service *service)
{
	return (service->several || service->others_listen) &&
		BPF_CORE_READ_BITFIELD_PROBED(sk, __sk_common.skc_reuseport);
}

/* What one process of several has accepted, or one event loop, is that one's. */
static __always_inline bool takes_unaccepted(
	const struct service *service, const struct queue *own, __u64 streak)
{
	return service->several || !takes_any(own, streak);
}

/* The queue in which something older lies unread that the present thread could have read, or NULL;
 * *age_ns: for how long it has. */
static __always_inline struct queue *older_waits(const struct sock *sk,
	const struct connection *connection, const struct service *service, struct queue *own,
	struct thread *thread, __u64 now, __u64 *age_ns)
{
	const struct place *place = &connection->place;
	__u64 slot = slot_of(connection->arrived);
	struct queue *anybodys;

	if (!holders_known)
		return NULL;
	if (own && own_older_lies(own, thread, place, slot, now, age_ns))
		return own;
	if (queues_apart(sk, service))
		return NULL;
	anybodys = queue_of(place, 0);
	if (!older_lies(anybodys, slot, now, age_ns) || !still_lies(anybodys, place))
		return NULL;
	if (takes_unaccepted(service, own, thread->streak) && !is_head_unaccepted(anybodys))
		return NULL;
	return anybodys;
}

static __always_inline void answer(const struct sock *sk, const struct connection_key *key,
	struct connection *connection, struct service *service, __u64 now)
{
	__u32 tgid = current_tgid();
	struct queue *own = queue_of(&connection->place, tgid);
	struct thread *thread = thread_of(&connection->place);
	__u64 age = 0, before, streak, passed;
	struct queue *older;
	bool ran;

	if (!thread) {
		__sync_fetch_and_add(&lost.instances, 1);
		return;
	}
	passed = passed_inside(thread, connection);
	if (passed)
		note_inside(connection, thread, passed);
	before = thread->answered;
	streak = thread_answers(thread, key, now);
	older = older_waits(sk, connection, service, own, thread, now, &age);
	if (own && connection->arrived > own->answered_arrival)
		own->answered_arrival = connection->arrived;
	ran = streak > 1 && connection->tid == (__u32)bpf_get_current_pid_tgid();
	if (ran && !older)
		thread_runs_on(thread, connection->arrived);
	if (!older)
		return;
	note(&connection->place, TURNS_OVERTOOK, age);
	if (streak <= 1)
		return;
	note_continued(connection, streak, age, before, now);
	if (!service->accepted && older != own && has_loops(own) && is_head_unaccepted(older))
		note(&connection->place, TURNS_UNDRAINED, 1);
	name_victims(connection, thread, own,
		queues_apart(sk, service) ? NULL : find_queue(&connection->place, 0),
		takes_unaccepted(service, own, streak) ? EVIDENCE_UNACCEPTED : EVIDENCE_ALL);
}

/* The connection whose request has been read and waits for its answer, or NULL. */
static __always_inline struct connection *unanswered_connection(const struct connection_key *key)
{
	struct connection *connection = bpf_map_lookup_elem(&connections, key);

	return connection && connection->arrived && connection->read ? connection : NULL;
}

/* By the present thread. */
static __always_inline void answer_first(
	const struct sock *sk, const struct connection_key *key, struct connection *connection)
{
	struct service *service = bpf_map_lookup_elem(&services, &connection->place);

	if (!service)
		return;
	answer(sk, key, connection, service, now_since());
	connection->arrived = 0;
}

static __always_inline void count_no_more(
	const struct sock *sk, const struct connection *connection)
{
	if (connection->arrived && !connection->read)
		count_unread(find_queue(&connection->place, connection->queue), sk,
			connection->arrived, -1);
}

static __always_inline void end(const struct sock *sk)
{
	struct connection *connection;
	struct connection_key key;

	key_of(sk, &key);
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection)
		return;
	/* The files of a process are closed when its queue has gone already. */
	count_no_more(sk, connection);
	bpf_map_delete_elem(&connections, &key);
}

/* Who answers a handshake listens there. */
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(turns_state, const struct sock *sk, int before, int after)
{
	struct place place;

	if (is_over())
		return 0;
	if (after == TCP_CLOSE) {
		end(sk);
	} else if (before == TCP_SYN_RECV && after == TCP_ESTABLISHED) {
		place_of(&sk->__sk_common, &place);
		add_service(&place);
	} else if (after == TCP_LISTEN && sk->__sk_common.skc_num &&
		sk->sk_protocol == PROTOCOL_TCP) {
		place_of(&sk->__sk_common, &place);
		add_listener(&place, sk);
	}
	return 0;
}

static long free_queue(void *map, const struct queue_key *key, struct queue *queue, __u32 *tgid)
{
	if (key->tgid == *tgid)
		bpf_map_delete_elem(&queues, key);
	return 0;
}

/* A process for each connection would take all the room there is. Which of its threads have served,
 * and where, is not known any more. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(turns_exit, const struct task_struct *task)
{
	const struct task_struct___signal *last = (const struct task_struct___signal *)task;
	__u32 tgid = (__u32)task->tgid;

	if (!is_over() && !BPF_CORE_READ(last, signal, live.counter))
		bpf_for_each_map_elem(&queues, free_queue, &tgid, 0);
	return 0;
}

#endif
