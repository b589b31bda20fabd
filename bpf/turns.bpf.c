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
 * What lay unread when the trace began is found by an iterator over the sockets of the network
 * namespace, which also tells who listens; other namespaces are known from their first new
 * connection on. Only TCP: no tracepoint tells who listens behind a Unix socket.
 */
#include <bpf/bpf_endian.h>

#include "trace.bpf.h"
#include "turns.h"
#include "turnstate.bpf.h"

TRACER_FIELDS(INSTANCE_PORT,
	"sk_data_ready, sock_recv_length, sock_send_length and iter/tcp: order of arrival, reading "
	"and answering",
	TURNS_FIELDS);

static __always_inline bool may_serve(const struct sock *sk)
{
	return sk->sk_protocol == PROTOCOL_TCP && listens[sk->__sk_common.skc_num];
}

/* Somebody listens there. */
static __always_inline void add_service(const struct place *place)
{
	struct service fresh = {};

	bpf_map_update_elem(&services, place, &fresh, BPF_NEW_ELEMENT);
	listens[place->port] = true;
}

static __always_inline __u64 now_since(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (!began)
		began = now;
	return now;
}

static __always_inline __u64 slot_of(__u64 ns)
{
	return ns > began ? (ns - began) / SLOT_NS : 0;
}

/* The queue of a process, made where there is none; NULL where no more can be. */
static __always_inline struct queue *queue_of(const struct place *place, __u32 tgid)
{
	struct queue_key key = {.place = *place, .tgid = tgid};
	struct queue *queue = bpf_map_lookup_elem(&queues, &key);
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
	if (change > 0)
		queue->sample[slot] = (__u64)sk;
}

static __always_inline void place_of(const struct sock_common *common, struct place *out)
{
	out->port = common->skc_num;
	out->netns = common->skc_net.net->ns.inum;
	out->pad = 0;
}

static __always_inline void key_of(const struct sock *sk, struct connection_key *out)
{
	out->sock = (__u64)sk;
	out->ports = (__u32)sk->__sk_common.skc_num << 16 | sk->__sk_common.skc_dport;
	out->pad = 0;
}

static __always_inline void note(const struct place *place, __u32 field, __u64 value)
{
	__u64 id[2] = {place->port | (__u64)place->netns << 32, field};
	struct hist *hist = hist_of(id);

	if (hist)
		hist_add(hist, value);
}

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

/* Whether what was found at the head of a queue is accepted by nobody yet. */
static __always_inline bool is_unaccepted(const struct queue *queue)
{
	const struct sock *sk;
	__u64 at;

	if (!queue)
		return false;
	at = queue->head;
	asm volatile("%0 &= 8191" : "+r"(at));
	sk = (const struct sock *)queue->sample[at];
	return sk && !BPF_CORE_READ(sk, sk_socket);
}

static __always_inline void arrive(const struct sock *sk, const struct place *place, __u64 when)
{
	struct connection fresh = {}, *connection;
	struct connection_key key;
	struct queue *queue;

	key_of(sk, &key);
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection) {
		fresh.place = *place;
		bpf_map_update_elem(&connections, &key, &fresh, BPF_NEW_ELEMENT);
		connection = bpf_map_lookup_elem(&connections, &key);
	}
	if (!connection) {
		__sync_fetch_and_add(&lost.starts, 1);
		return;
	}
	if (connection->arrived)
		return;
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
	struct place place;

	if (!may_serve(sk) || sk->__sk_common.skc_state != TCP_ESTABLISHED)
		return 0;
	place_of(&sk->__sk_common, &place);
	if (bpf_map_lookup_elem(&services, &place))
		arrive(sk, &place, now_since());
	return 0;
}

static __always_inline void note_process(struct service *service, __u32 tgid)
{
	if (!service->tgid)
		service->tgid = tgid;
	else if (service->tgid != tgid)
		service->several = 1;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(turns_read, struct sock *sk, int ret, int flags)
{
	struct connection *connection;
	struct connection_key key;
	struct service *service;
	struct queue *own;
	__u32 tgid;
	__u64 now;

	if (ret <= 0 || flags & MSG_PEEK || !may_serve(sk))
		return 0;
	key_of(sk, &key);
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection || !connection->arrived || connection->read)
		return 0;
	service = bpf_map_lookup_elem(&services, &connection->place);
	if (!service)
		return 0;
	now = now_since();
	tgid = (__u32)(bpf_get_current_pid_tgid() >> 32);
	connection->read = now;
	connection->tgid = tgid;
	count_unread(queue_of(&connection->place, connection->queue), sk, connection->arrived, -1);
	note_process(service, tgid);
	own = queue_of(&connection->place, tgid);
	note(&connection->place, TURNS_READ, now - connection->arrived);
	if (own && own->answered_arrival > connection->arrived + LEAD_SLOTS * SLOT_NS)
		note(&connection->place, TURNS_OVERTAKEN, now - connection->arrived);
	return 0;
}

/* The thread of an answer, how many it has given this connection without one of another between,
 * this one included, and when it gave the one before. */
static __always_inline __u64 streak_of(
	const struct connection_key *key, const struct place *place, __u64 now, __u64 *before)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct thread *thread = bpf_map_lookup_elem(&threads, &tid), fresh = {};

	if (!thread || thread->place.port != place->port || thread->place.netns != place->netns) {
		fresh.place = *place;
		fresh.last = *key;
		fresh.answered = now;
		fresh.streak = 1;
		bpf_map_update_elem(&threads, &tid, &fresh, BPF_ANY_ELEMENT);
		return 1;
	}
	if (thread->last.sock != key->sock || thread->last.ports != key->ports) {
		thread->last = *key;
		thread->streak = 0;
	}
	*before = thread->answered;
	thread->answered = now;
	return ++thread->streak;
}

static __always_inline void note_continued(
	const struct connection *connection, __u64 streak, __u64 age, __u64 before, __u64 now)
{
	const struct place *place = &connection->place;

	note(place, TURNS_CONTINUED, streak);
	note(place, TURNS_IDLE, connection->read > before ? connection->read - before : 0);
	note(place, TURNS_CYCLE, now - before);
	charge_task(WHO_COMM, (struct task_struct *)bpf_get_current_task_btf(),
		instance_fold(place->port | (__u64)place->netns << 32, 0), age);
}

/* The same for what no process has read from before. Where there are several processes one of them
 * may have accepted it, and be stuck: then it is that one's. */
static __always_inline bool anybodys_older_lies(const struct place *place,
	const struct service *service, __u64 slot, __u64 now, __u64 *age_ns)
{
	struct queue *queue = queue_of(place, 0);

	if (!older_lies(queue, slot, now, age_ns))
		return false;
	return !service->several || is_unaccepted(queue);
}

static __always_inline void answer(const struct sock *sk, const struct connection_key *key,
	struct connection *connection, struct service *service, __u64 now)
{
	__u32 tgid = (__u32)(bpf_get_current_pid_tgid() >> 32);
	__u64 slot = slot_of(connection->arrived), age = 0, before = 0, streak;
	struct queue *own = queue_of(&connection->place, tgid);
	bool apart =
		service->several && BPF_CORE_READ_BITFIELD_PROBED(sk, __sk_common.skc_reuseport);
	bool older;

	streak = streak_of(key, &connection->place, now, &before);
	older = older_lies(own, slot, now, &age);
	if (!older && !apart)
		older = anybodys_older_lies(&connection->place, service, slot, now, &age);
	if (own && connection->arrived > own->answered_arrival)
		own->answered_arrival = connection->arrived;
	if (!older)
		return;
	note(&connection->place, TURNS_OVERTOOK, age);
	if (streak > 1)
		note_continued(connection, streak, age, before, now);
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(turns_answered, struct sock *sk, int ret, int flags)
{
	struct connection *connection;
	struct connection_key key;
	struct service *service;

	if (ret <= 0 || !may_serve(sk))
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

static __always_inline void end(const struct sock *sk)
{
	struct connection *connection;
	struct connection_key key;

	key_of(sk, &key);
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection)
		return;
	if (connection->arrived && !connection->read)
		count_unread(queue_of(&connection->place, connection->queue), sk,
			connection->arrived, -1);
	bpf_map_delete_elem(&connections, &key);
}

/* Who answers a handshake listens there. */
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(turns_state, const struct sock *sk, int before, int after)
{
	struct place place;

	if (after == TCP_CLOSE) {
		end(sk);
	} else if (before == TCP_SYN_RECV && after == TCP_ESTABLISHED) {
		place_of(&sk->__sk_common, &place);
		add_service(&place);
	}
	return 0;
}

/* Listeners come before connections. */
SEC("iter/tcp")
int turns_seed(struct bpf_iter__tcp *context)
{
	struct sock_common *common = context->sk_common;
	struct tcp_sock *tcp;
	struct place place;
	__u64 now;

	if (!common)
		return 0;
	place_of(common, &place);
	if (common->skc_state == TCP_LISTEN)
		add_service(&place);
	if (common->skc_state != TCP_ESTABLISHED || !bpf_map_lookup_elem(&services, &place))
		return 0;
	tcp = (struct tcp_sock *)bpf_skc_to_tcp_sock(common);
	if (!tcp || tcp->rcv_nxt == tcp->copied_seq)
		return 0;
	now = now_since();
	arrive((const struct sock *)common, &place, began < now ? began : now);
	return 0;
}

/* Who else holds the listener may have accepted what nobody reads. */
SEC("iter/task_file")
int turns_held_seed(struct bpf_iter__task_file *context)
{
	struct task_struct *task = context->task;
	struct file *file = context->file;
	struct service *service;
	struct socket *socket;
	struct place place;
	struct sock *sk;

	if (!task || !file)
		return 0;
	socket = bpf_sock_from_file(file);
	if (!socket)
		return 0;
	sk = socket->sk;
	if (!sk || sk->sk_protocol != PROTOCOL_TCP || sk->__sk_common.skc_state != TCP_LISTEN)
		return 0;
	place_of(&sk->__sk_common, &place);
	service = bpf_map_lookup_elem(&services, &place);
	if (service)
		note_process(service, (__u32)task->tgid);
	return 0;
}
