// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who opens connections only to close them again, and do they keep others meanwhile?
 *
 * A connection is followed from connect() to the first end: of its own side or of the other. An
 * answer that is read after something was written is a turn, a request that was answered. When a
 * process closes a connection, those that it has to the same destination are looked at: one whose
 * last answer is read, with nothing written since, is idle. A pool that is full closes what comes
 * back to it, so that number is the same at each such end: its size.
 *
 * Destinations are told apart from the second connection on; all before that are one. Opening is
 * charged to the process.
 */
#include <bpf/bpf_endian.h>

#include "churn.h"
#include "churnstate.bpf.h"

TRACER_FIELDS(INSTANCE_DESTINATION,
	"inet_sock_set_state and tcp_rcv_space_adjust: lives of connections", CHURN_FIELDS);

static __always_inline void destination_of(const struct sock *sk, struct trace_destination *out)
{
	const struct sock_common *common = &sk->__sk_common;

	__builtin_memset(out, 0, sizeof(*out));
	out->netns = common->skc_net.net->ns.inum;
	out->port = bpf_ntohs(common->skc_dport);
	if (common->skc_family == ADDRESS_INET6) {
		bpf_probe_read_kernel(out->address, sizeof(out->address),
			__builtin_preserve_access_index(&common->skc_v6_daddr));
		return;
	}
	out->address[10] = 0xff;
	out->address[11] = 0xff;
	*(__be32 *)&out->address[12] = common->skc_daddr;
}

/* One number for a destination: two of them have the same with a chance of 2^-64. */
static __always_inline __u64 place_of(const struct trace_destination *destination)
{
	const __u64 *words = (const __u64 *)destination;
	__u64 mixed = 0;
	int i;

	for (i = 0; i < (int)(sizeof(*destination) / sizeof(*words)); i++) {
		mixed = (mixed ^ words[i]) * 0x9e3779b97f4a7c15ull;
		mixed ^= mixed >> 32;
	}
	return mixed;
}

static __always_inline void note(__u64 place, __u32 field, __u64 value)
{
	__u64 id[2] = {place, field};
	struct hist *hist = hist_of(id);

	if (hist)
		hist_add(hist, value);
}

/* Whether it is told apart from now on. */
static __always_inline bool meet(__u64 place, const struct trace_destination *destination)
{
	struct meeting *met = bpf_map_lookup_elem(&meetings, &place), fresh = {.opened = 1};

	if (!met) {
		bpf_map_update_elem(&meetings, &place, &fresh, BPF_NEW_ELEMENT);
		return false;
	}
	if (bpf_map_lookup_elem(&destinations, &place))
		return true;
	/* What it was before is not asked of the addition: that came with Linux 5.12. */
	__sync_fetch_and_add(&met->opened, 1);
	return met->opened >= REPEATED &&
		!bpf_map_update_elem(&destinations, &place, destination, BPF_NEW_ELEMENT);
}

/* All that are not told apart have a row from the first event on: that there was nothing to count
 * is a result too. */
static __always_inline void begin(void)
{
	const struct trace_destination nowhere = {};
	__u64 place = OTHERS, id[2] = {OTHERS, CHURN_PORTLESS};

	if (begun)
		return;
	begun = true;
	bpf_map_update_elem(&destinations, &place, &nowhere, BPF_NEW_ELEMENT);
	hist_of(id);
}

static __always_inline void open(const struct sock *sk)
{
	struct trace_destination destination;
	struct connection connection = {};
	__u64 key = (__u64)sk;

	destination_of(sk, &destination);
	connection.place = place_of(&destination);
	if (!meet(connection.place, &destination))
		connection.place = OTHERS;
	called[sk->__sk_common.skc_dport] = true;
	connection.opened = bpf_ktime_get_ns();
	connection.tgid = current_tgid();
	connection.written = BPF_CORE_READ((const struct tcp_sock *)sk, write_seq);
	if (bpf_map_update_elem(&connections, &key, &connection, BPF_ANY_ELEMENT))
		__sync_fetch_and_add(&lost.instances, 1);
	charge_current(WHO_COMM, instance_fold(connection.place, 0), 0);
}

static __always_inline struct pool *pool_of(const struct connection *connection, bool make)
{
	struct pool_key key = {.place = connection->place, .tgid = connection->tgid};
	struct pool *pool = bpf_map_lookup_elem(&pools, &key);
	__u32 zero = 0;

	if (pool || !make)
		return pool;
	pool = bpf_map_lookup_elem(&empty_pool, &zero);
	if (!pool)
		return NULL;
	bpf_map_update_elem(&pools, &key, pool, BPF_NEW_ELEMENT);
	return bpf_map_lookup_elem(&pools, &key);
}

/* Two CPUs that do this at once may lose one of two sockets: it is put in at its next answer.
 * bpf_loop, which came with Linux 5.17, is not asked. */
static __always_inline void remember(const struct connection *connection, __u64 sock)
{
	struct pool *pool = pool_of(connection, true);
	__u32 i;

	if (!pool)
		return;
	pool->free = POOL_SLOTS;
	for (i = 0; i < POOL_SLOTS; i++) {
		if (pool->socks[i] == sock)
			return;
		if (!pool->socks[i])
			pool->free = i;
	}
	i = pool->free;
	if (i < POOL_SLOTS)
		pool->socks[i] = sock;
}

/* 1 where the connection that a slot has, 0 for none, is idle. Not static, so that the verifier
 * looks at it once and not in each step of a loop. */
__noinline int churn_is_idle(__u64 sock)
{
	const struct connection *connection = bpf_map_lookup_elem(&connections, &sock);

	return connection && connection->turns &&
		BPF_CORE_READ((const struct tcp_sock *)sock, write_seq) == connection->written;
}

/* How many others are idle; this one is none of them any more. */
static __always_inline __u64 forget(const struct connection *connection, __u64 sock)
{
	struct pool *pool = pool_of(connection, false);
	__u64 idle = 0;
	__u32 i;

	if (!pool)
		return 0;
	for (i = 0; i < POOL_SLOTS; i++) {
		if (pool->socks[i] == sock)
			pool->socks[i] = 0;
		idle += (__u32)churn_is_idle(pool->socks[i]);
	}
	return idle;
}

static __always_inline void end(const struct connection *connection, __u64 sock, int after)
{
	__u64 idle = forget(connection, sock), lived;

	if (after == TCP_FIN_WAIT1 && connection->turns)
		note(connection->place, CHURN_IDLE, idle);
	if (!connection->opened)
		return;
	lived = bpf_ktime_get_ns() - connection->opened;
	note(connection->place, CHURN_LIVED, lived);
	if (lived < params.slow)
		note(connection->place, CHURN_BRIEF, lived);
	if (connection->turns > 1)
		note(connection->place, CHURN_REUSED, lived);
	if (after == TCP_CLOSE_WAIT)
		note(connection->place, CHURN_FAR, lived);
}

static __always_inline void leave(const struct sock *sk, int before, int after)
{
	struct connection *connection;
	__u64 key = (__u64)sk;

	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection)
		return;
	if (before == TCP_SYN_SENT && after == TCP_ESTABLISHED) {
		note(connection->place, CHURN_CONNECTING, bpf_ktime_get_ns() - connection->opened);
		return;
	}
	if (before == TCP_ESTABLISHED)
		end(connection, key, after);
	else if (before == TCP_SYN_SENT && after == TCP_CLOSE &&
		!BPF_CORE_READ((const struct tcp_sock *)sk, segs_out))
		note(connection->place, CHURN_PORTLESS, bpf_ktime_get_ns() - connection->opened);
	bpf_map_delete_elem(&connections, &key);
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(churn_state, const struct sock *sk, int before, int after)
{
	if (!is_counting() || sk->sk_protocol != PROTOCOL_TCP)
		return 0;
	begin();
	if (before == TCP_CLOSE && after == TCP_SYN_SENT)
		open(sk);
	else
		leave(sk, before, after);
	return 0;
}

/* A connection of before the trace, to where others are opened. */
static __always_inline struct connection *adopt(const struct sock *sk)
{
	struct connection fresh = {}, *connection;
	struct trace_destination destination;
	__u64 key = (__u64)sk;

	destination_of(sk, &destination);
	fresh.place = place_of(&destination);
	if (!bpf_map_lookup_elem(&destinations, &fresh.place))
		return NULL;
	fresh.tgid = current_tgid();
	bpf_map_update_elem(&connections, &key, &fresh, BPF_NEW_ELEMENT);
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection)
		__sync_fetch_and_add(&lost.instances, 1);
	return connection;
}

SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(churn_read, struct sock *sk)
{
	struct connection *connection;
	__u64 key = (__u64)sk;
	__u32 written;

	if (!is_counting() || !called[sk->__sk_common.skc_dport] ||
		sk->__sk_common.skc_state != TCP_ESTABLISHED)
		return 0;
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection)
		connection = adopt(sk);
	if (!connection)
		return 0;
	written = BPF_CORE_READ((const struct tcp_sock *)sk, write_seq);
	if (connection->written == written && connection->turns)
		return 0;
	connection->written = written;
	note(connection->place, CHURN_TURN, ++connection->turns);
	remember(connection, key);
	return 0;
}
