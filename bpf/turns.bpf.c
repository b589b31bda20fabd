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
#include "turnseed.bpf.h"

TRACER_FIELDS(INSTANCE_PORT,
	"sk_data_ready, sock_recv_length, sock_send_length and iter/task_file: order of arrival, "
	"reading and answering",
	TURNS_FIELDS, .since = SINCE_LINUX(6, 3));

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
SEC("tp_btf/sock_recv_length")
int BPF_PROG(turns_read, struct sock *sk, int ret, int flags)
{
	struct connection *connection;
	struct connection_key key;

	if (is_over() || ret <= 0 || flags & MSG_PEEK || !may_serve(sk))
		return 0;
	key_of(sk, &key);
	connection = unread_connection(&key);
	if (connection)
		read_first(sk, &key, connection);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(turns_answered, struct sock *sk, int ret, int flags)
{
	struct connection *connection;
	struct connection_key key;

	if (is_over() || ret <= 0 || !may_serve(sk))
		return 0;
	key_of(sk, &key);
	connection = unanswered_connection(&key);
	if (connection)
		answer_first(sk, &key, connection);
	return 0;
}
