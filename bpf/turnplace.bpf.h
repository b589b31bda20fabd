/* SPDX-License-Identifier: GPL-2.0-only */
/* Which server does a socket belong to, for the tracer of turns? */
#ifndef TUESDAY_BPF_TURNPLACE_BPF_H
#define TUESDAY_BPF_TURNPLACE_BPF_H

#include "turnstate.bpf.h"

static __always_inline bool is_unix(const struct sock *sk)
{
	return sk->__sk_common.skc_family == FAMILY_UNIX;
}

static __always_inline bool may_listen(const struct sock *sk)
{
	return is_unix(sk) || sk->sk_protocol == PROTOCOL_TCP || sk->sk_protocol == PROTOCOL_MPTCP;
}

static __always_inline bool may_serve(const struct sock *sk)
{
	if (is_unix(sk))
		return sk->sk_type == TYPE_STREAM;
	return sk->sk_protocol == PROTOCOL_TCP && listens[sk->__sk_common.skc_num];
}

static __always_inline void place_of(const struct sock_common *common, struct place *out)
{
	out->port = common->skc_num;
	out->netns = common->skc_net.net->ns.inum;
	out->is_unix = 0;
}

/* Of a Unix socket that somebody listens on, or that was accepted there; other ends have none. */
static __always_inline bool place_of_unix(const struct sock *sk, struct place *out)
{
	__u64 address = (__u64)BPF_CORE_READ((const struct unix_sock *)sk, addr);
	const struct place *place = address ? bpf_map_lookup_elem(&unix_places, &address) : NULL;

	if (!place)
		return false;
	*out = *place;
	return true;
}

static __always_inline __u64 id_of(const struct place *place)
{
	return place->port | (__u64)place->is_unix << 16 | (__u64)place->netns << 32;
}

/* Of a TCP socket: what a subflow of MPTCP brings is read from another one, which has no port of
 * its own. */
static __always_inline bool is_subflow(const struct sock *sk)
{
	const struct tcp_sock *tcp = (const struct tcp_sock *)sk;

	return bpf_core_field_exists(tcp->is_mptcp) && BPF_CORE_READ(tcp, is_mptcp);
}

static __always_inline bool is_unaccepted(const struct sock *sk)
{
	return sk && !BPF_CORE_READ(sk, sk_socket);
}

/* By the remote port: the local one is 0 again before a socket says that it is closed, and what it
 * leaves unread would lie there for ever. */
static __always_inline void key_of(const struct sock *sk, struct connection_key *out)
{
	out->sock = (__u64)sk;
	out->remote_port = sk->__sk_common.skc_dport;
	out->pad = 0;
}

#endif
