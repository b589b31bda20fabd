// SPDX-License-Identifier: GPL-2.0-only
/*
 * In which order does a server answer what has arrived?
 *
 * A turn of a connection is a request that arrives (the socket has data, after its last answer), is
 * read for the first time, and is answered (the first send after that). Where a request that came
 * later was read and answered while an older one still lay unread before the same process, the
 * order was not fair, whatever either of them took: whoever serves in order has read the older one
 * first.
 *
 * What lies unread is counted by the time that it came, in slots of 5 ms, so that the oldest is
 * found without a list. Requests on a connection that a process has read before are that process's;
 * those on any other could be taken by every process that accepts here, unless a socket option
 * gives each its own queue, or one of several has accepted it already. So one process that is
 * stuck, while its neighbour goes on, accuses nobody.
 *
 * What a process has read may wait inside it all the same: see turnthread.bpf.h.
 *
 * What lay unread when the trace began is found through the open files of all processes, which also
 * tell who listens, and through what those who listen have not accepted. There is an iterator over
 * the TCP sockets, iter/tcp, but from 5.15 until 6.1.183, 6.6.152, 6.12.104, 6.18.45 and 7.1.9 it
 * takes references that it must not: a connection that is just being made may be freed while it is
 * in use (CVE-2026-74714; seen here once). Of Unix sockets those servers are known that listen when
 * the trace begins: a connection shares the address of the listener that it was made to.
 */
#include <bpf/bpf_endian.h>

#include "trace.bpf.h"
#include "turns.h"
#include "turnolder.bpf.h"
#include "turnplace.bpf.h"
#include "turnstate.bpf.h"
#include "turnthread.bpf.h"
#include "turnvictims.bpf.h"

TRACER_FIELDS(INSTANCE_PORT,
	"sk_data_ready, sock_recv_length, sock_send_length and iter/task_file: order of arrival, "
	"reading and answering",
	TURNS_FIELDS);

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

static __always_inline void arrive(const struct sock *sk, const struct connection_key *key,
	const struct place *place, __u64 when)
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
		return;
	}
	if (connection->arrived || connection->deaf)
		return;
	/* Nobody has accepted it: the one before, of the same memory, is closed. */
	if (place->is_unix && is_unaccepted(sk)) {
		connection->tgid = 0;
		connection->reads = 0;
		connection->early = 1;
	}
	queue = queue_of(place, connection->tgid);
	if (!queue) {
		__sync_fetch_and_add(&lost.instances, 1);
		return;
	}
	connection->queue = connection->tgid;
	connection->read = 0;
	connection->arrived = when;
	count_unread(queue, sk, when, 1);
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(turns_arrived, const struct sock *sk)
{
	struct connection_key key;
	struct place place;

	if (is_over() || !may_serve(sk) || sk->__sk_common.skc_state != TCP_ESTABLISHED)
		return 0;
	if (!is_unix(sk))
		place_of(&sk->__sk_common, &place);
	else if (!place_of_unix(sk, &place))
		return 0;
	if (!bpf_map_lookup_elem(&services, &place))
		return 0;
	key_of(sk, &key);
	arrive(sk, &key, &place, now_since());
	return 0;
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

SEC("tp_btf/sock_recv_length")
int BPF_PROG(turns_read, struct sock *sk, int ret, int flags)
{
	struct connection *connection;
	struct connection_key key;
	struct service *service;
	struct thread *thread;
	struct queue *queue, *own;
	__u32 tgid;
	__u64 now;

	if (is_over() || ret <= 0 || flags & MSG_PEEK || !may_serve(sk))
		return 0;
	key_of(sk, &key);
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection || !connection->arrived || connection->read)
		return 0;
	service = bpf_map_lookup_elem(&services, &connection->place);
	if (!service)
		return 0;
	now = now_since();
	tgid = current_tgid();
	thread = thread_of(&connection->place);
	queue = queue_of(&connection->place, connection->queue);
	count_unread(queue, sk, connection->arrived, -1);
	note_process(service, tgid);
	/* Mostly the same: one lookup less. */
	own = connection->queue == tgid ? queue : queue_of(&connection->place, tgid);
	note_way(own, connection, thread, &key);
	if (connection->early && !connection->reads && !service->accepted)
		service->accepted = 1;
	connection->read = now;
	connection->tgid = tgid;
	connection->tid = (__u32)bpf_get_current_pid_tgid();
	connection->reads += connection->reads < 2;
	connection->named = queue && connection->arrived < queue->named_ns;
	if (thread)
		thread_reads(thread, &key);
	note(&connection->place, TURNS_READ, now - connection->arrived);
	if (own && own->answered_arrival > connection->arrived + LEAD_SLOTS * SLOT_NS)
		note(&connection->place, TURNS_OVERTAKEN, now - connection->arrived);
	return 0;
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

SEC("tp_btf/sock_send_length")
int BPF_PROG(turns_answered, struct sock *sk, int ret, int flags)
{
	struct connection *connection;
	struct connection_key key;
	struct service *service;

	if (is_over() || ret <= 0 || !may_serve(sk))
		return 0;
	key_of(sk, &key);
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection || !connection->arrived || !connection->read)
		return 0;
	service = bpf_map_lookup_elem(&services, &connection->place);
	if (!service)
		return 0;
	answer(sk, &key, connection, service, now_since());
	connection->arrived = 0;
	return 0;
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

/* Those that listen come before what lies unread, in passes of their own: nothing orders them. */
SEC("iter/unix")
int unix_open_seed(struct bpf_iter__unix *context)
{
	struct unix_sock *sk = context->unix_sk;
	struct place place = {.is_unix = 1};
	struct service fresh = {};
	__u64 address;

	if (!sk || sk->sk.sk_type != TYPE_STREAM || sk->sk.__sk_common.skc_state != TCP_LISTEN)
		return 0;
	address = (__u64)sk->addr;
	place.netns = (__u32)BPF_CORE_READ(sk, sk.sk_socket, file, f_inode, i_ino);
	if (!address || !place.netns)
		return 0;
	bpf_map_update_elem(&unix_places, &address, &place, BPF_NEW_ELEMENT);
	bpf_map_update_elem(&services, &place, &fresh, BPF_NEW_ELEMENT);
	return 0;
}

static __always_inline struct sock *sock_of(const struct bpf_iter__task_file *context)
{
	struct file *file = context->file;
	struct socket *socket;

	if (!file)
		return NULL;
	socket = bpf_sock_from_file(file);
	return socket ? socket->sk : NULL;
}

/* Who listens for TCP; and who holds any listener, for he may have accepted what nobody reads. */
SEC("iter/task_file")
int turns_held_seed(struct bpf_iter__task_file *context)
{
	const struct task_struct *task = context->task;
	struct sock *sk = sock_of(context);
	struct service *service;
	struct place place;

	/* Once more at the end. */
	if (!context->file)
		holders_known = true;
	if (!task || !sk || !may_listen(sk) || sk->__sk_common.skc_state != TCP_LISTEN)
		return 0;
	if (is_unix(sk)) {
		if (!place_of_unix(sk, &place))
			return 0;
	} else {
		place_of(&sk->__sk_common, &place);
		add_listener(&place, sk);
	}
	service = bpf_map_lookup_elem(&services, &place);
	if (service)
		note_process(service, (__u32)task->tgid);
	return 0;
}

static __always_inline __u64 at_the_beginning(void)
{
	__u64 now = now_since();

	return began < now ? began : now;
}

/* What lies unread in a TCP socket, which nobody keeps from being read meanwhile. */
static __always_inline void find_unread(const struct sock *sk, const struct place *place)
{
	struct connection_key key = {.sock = (__u64)sk};
	struct connection *connection;

	if (!tcp_lies(sk))
		return;
	key.remote_port = BPF_CORE_READ(sk, __sk_common.skc_dport);
	arrive(sk, &key, place, at_the_beginning());
	if (tcp_lies(sk))
		return;
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection || connection->read)
		return;
	count_no_more(sk, connection);
	connection->arrived = 0;
}

struct unaccepted {
	const struct request_sock *next;
	struct place place;
};

/* Looked at without a lock: who is accepted meanwhile is found among the files, or by what it does;
 * and whatever a list that changes may lead to must look like a connection to be one. */
static long find_unaccepted(__u32 step, struct unaccepted *unaccepted)
{
	const struct request_sock *request = unaccepted->next;
	const struct sock *sk = request ? BPF_CORE_READ(request, sk) : NULL;

	if (!request)
		return 1;
	unaccepted->next = BPF_CORE_READ(request, dl_next);
	if (sk && BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_ESTABLISHED &&
		BPF_CORE_READ(sk, __sk_common.skc_num) == unaccepted->place.port)
		find_unread(sk, &unaccepted->place);
	return 0;
}

/* A listener of MPTCP, which takes plain connections too, has one of TCP within. */
static __always_inline const struct sock *accepting(const struct sock *sk)
{
	const struct mptcp_sock *mptcp = (const struct mptcp_sock *)sk;

	if (sk->sk_protocol == PROTOCOL_MPTCP && bpf_core_field_exists(mptcp->first))
		return BPF_CORE_READ(mptcp, first);
	return sk;
}

SEC("iter/task_file")
int turns_lies_seed(struct bpf_iter__task_file *context)
{
	struct sock *sk = sock_of(context);
	struct unaccepted unaccepted;

	if (!sk || is_unix(sk) || !may_listen(sk))
		return 0;
	place_of(&sk->__sk_common, &unaccepted.place);
	if (!bpf_map_lookup_elem(&services, &unaccepted.place))
		return 0;
	if (sk->__sk_common.skc_state == TCP_ESTABLISHED && may_serve(sk)) {
		find_unread(sk, &unaccepted.place);
	} else if (sk->__sk_common.skc_state == TCP_LISTEN) {
		unaccepted.next = BPF_CORE_READ((const struct inet_connection_sock *)accepting(sk),
			icsk_accept_queue.rskq_accept_head);
		bpf_loop(UNACCEPTED, find_unaccepted, &unaccepted, 0);
	}
	return 0;
}

SEC("iter/unix")
int unix_lies_seed(struct bpf_iter__unix *context)
{
	struct unix_sock *sk = context->unix_sk;
	struct connection_key key;
	struct place place;

	if (!sk || sk->sk.sk_type != TYPE_STREAM ||
		sk->sk.__sk_common.skc_state != TCP_ESTABLISHED || !sk->sk.sk_receive_queue.qlen ||
		!place_of_unix(&sk->sk, &place))
		return 0;
	key_of(&sk->sk, &key);
	arrive(&sk->sk, &key, &place, at_the_beginning());
	return 0;
}
