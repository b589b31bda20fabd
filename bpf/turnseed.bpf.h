/* SPDX-License-Identifier: GPL-2.0-only */
/* Who listens, and what lay unread before the first event, for the tracers of turns? */
#ifndef TUESDAY_BPF_TURNSEED_BPF_H
#define TUESDAY_BPF_TURNSEED_BPF_H

#include "turnserve.bpf.h"

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

#endif
