// SPDX-License-Identifier: GPL-2.0-only
/*
 * The turns of bpf/turns.bpf.c on a kernel without its tracepoints, which came with Linux 6.3.
 *
 * A request arrives with a segment that continues what has come (tcp_probe), or with the one that
 * makes the connection where the listener waits for data (TCP_DEFER_ACCEPT). It is read when a
 * program has copied from the socket (tcp_rcv_space_adjust), not when that was a look only
 * (MSG_PEEK), which leaves copied_seq where it was. It is answered when a packet of the connection
 * leaves after the program has written: mostly it leaves within the call that writes, so whoever
 * runs then has written. A packet that had to wait, for room in the window or for its pace, is
 * taken as written by whoever of the same process runs when it leaves, and one that leaves while
 * another process runs is not seen.
 *
 * Of Unix sockets nothing is seen here. If something lies unread in one the trace clears nobody.
 */
#include <bpf/bpf_endian.h>

#include "turnseed.bpf.h"

TRACER_FIELDS(INSTANCE_PORT,
	"tcp_probe, tcp_rcv_space_adjust, net_dev_queue and iter/task_file: order of turns; no "
	"Unix sockets",
	TURNS_FIELDS, .since = SINCE_LINUX(5, 17));

/* What TCP begins a segment with. */
struct segment {
	__be16 from, to;
	__be32 sequence, acknowledged;
	__u8 words; /* of 4 bytes before the data, in the upper 4 bits */
};

static __always_inline __u32 copied_of(const struct sock *sk)
{
	return BPF_CORE_READ((const struct tcp_sock *)sk, copied_seq);
}

static __always_inline __u32 written_of(const struct sock *sk)
{
	return BPF_CORE_READ((const struct tcp_sock *)sk, write_seq);
}

/* Whether a segment, its header included, brings what a program can read next. */
static __always_inline bool brings_next(const struct sock *sk, const struct sk_buff *skb)
{
	const __u32 received = BPF_CORE_READ((const struct tcp_sock *)sk, rcv_nxt);
	struct segment segment;
	__u32 begin, end;

	if (bpf_probe_read_kernel(&segment, sizeof(segment), skb->data))
		return false;
	begin = bpf_ntohl(segment.sequence);
	end = begin + skb->len - (segment.words >> 4) * 4;
	return (__s32)(begin - received) <= 0 && (__s32)(end - received) > 0;
}

/* What came before and is not there any more was read where nothing shows it. */
static __always_inline void forget_gone(const struct sock *sk, const struct connection_key *key)
{
	struct connection *connection = unread_connection(key);

	if (!connection || tcp_lies(sk))
		return;
	count_no_more(sk, connection);
	connection->arrived = 0;
}

static __always_inline void arrive_there(const struct sock *sk, const struct place *place)
{
	struct connection *connection;
	struct connection_key key;

	key_of(sk, &key);
	forget_gone(sk, &key);
	connection = arrive(sk, &key, place, now_since());
	if (connection)
		connection->copied = copied_of(sk);
}

SEC("tp_btf/tcp_probe")
int BPF_PROG(older_arrived, const struct sock *sk, const struct sk_buff *skb)
{
	struct place place;

	if (is_over() || !may_serve(sk) || sk->__sk_common.skc_state != TCP_ESTABLISHED)
		return 0;
	place_of(&sk->__sk_common, &place);
	if (bpf_map_lookup_elem(&services, &place) && brings_next(sk, skb))
		arrive_there(sk, &place);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(older_deferred, const struct sock *sk, int before, int after)
{
	const struct inet_connection_sock *listener;
	const struct service *service;
	struct place place;

	if (is_over() || before != TCP_SYN_RECV || after != TCP_ESTABLISHED || !may_serve(sk))
		return 0;
	place_of(&sk->__sk_common, &place);
	service = bpf_map_lookup_elem(&services, &place);
	if (!service)
		return 0;
	listener = (const struct inet_connection_sock *)service->listener;
	if (listener && BPF_CORE_READ(listener, icsk_accept_queue.rskq_defer_accept))
		arrive_there(sk, &place);
	return 0;
}

SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(older_read, const struct sock *sk)
{
	struct connection *connection;
	struct connection_key key;

	if (is_over() || !may_serve(sk))
		return 0;
	key_of(sk, &key);
	connection = unread_connection(&key);
	if (!connection || connection->copied == copied_of(sk))
		return 0;
	connection->written = written_of(sk);
	read_first(sk, &key, connection);
	return 0;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(older_answered, const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;
	struct connection *connection;
	struct connection_key key;

	if (is_over() || !sk || !may_serve(sk))
		return 0;
	key_of(sk, &key);
	connection = unanswered_connection(&key);
	if (connection && connection->tgid == current_tgid() &&
		connection->written != written_of(sk))
		answer_first(sk, &key, connection);
	return 0;
}

SEC("iter/unix")
int unseen_seed(struct bpf_iter__unix *context)
{
	const struct unix_sock *sk = context->unix_sk;
	struct place place;

	if (sk && sk->sk.sk_type == TYPE_STREAM &&
		sk->sk.__sk_common.skc_state == TCP_ESTABLISHED && sk->sk.sk_receive_queue.qlen &&
		place_of_unix(&sk->sk, &place))
		__sync_fetch_and_add(&lost.instances, 1);
	return 0;
}
