/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the tracer of turns read of a socket, and what does it remember? */
#ifndef TUESDAY_BPF_TURNSTATE_BPF_H
#define TUESDAY_BPF_TURNSTATE_BPF_H

#include "trace.bpf.h"

#define SLOT_NS 5000000
#define SLOTS 8192 /* 41 s, of which a bound of the verifier makes 13 bits */
/* Who came within this is as old: a scheduler may change that order. */
#define LEAD_SLOTS 4
#define QUEUES 128
#define CONNECTIONS 16384
#define TCP_ESTABLISHED 1
#define TCP_SYN_RECV 3
#define TCP_CLOSE 7
#define TCP_LISTEN 10
#define MSG_PEEK 2

struct ns_common {
	unsigned int inum;
} FROM_KERNEL;

struct net {
	struct ns_common ns;
} FROM_KERNEL;

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	__be16 skc_dport;
	__u16 skc_num; /* the local port, in the host's order */
	unsigned short skc_family;
	volatile unsigned char skc_state;
	unsigned char skc_reuseport : 1;
	possible_net_t skc_net;
} FROM_KERNEL;

struct sock;

struct socket {
	struct sock *sk;
} FROM_KERNEL;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket; /* NULL: not accepted yet */
	__u16 sk_protocol;
} FROM_KERNEL;

struct tcp_sock {
	__u32 rcv_nxt;
	__u32 copied_seq;
} FROM_KERNEL;

struct bpf_iter__tcp {
	struct sock_common *sk_common;
} FROM_KERNEL;

struct file;

struct bpf_iter__task_file {
	struct task_struct *task;
	struct file *file;
} FROM_KERNEL;

#define PROTOCOL_TCP 6

struct place {
	__u32 netns;
	__u16 port;
	__u16 pad;
};

struct service {
	__u32 tgid;    /* of the first process that was seen here */
	__u32 several; /* processes were: they hold the listener, or read */
};

struct queue_key {
	struct place place;
	__u32 tgid; /* 0: of nobody yet */
};

/* What lies unread before a process, or before all that accept. */
struct queue {
	__u64 answered_arrival; /* of the latest arrival that this process has answered */
	__u32 head;		/* no older slot has anything */
	__s32 unread[SLOTS];
	__u64 sample[SLOTS]; /* a socket that brought one of these */
};

struct connection_key {
	__u64 sock;
	__u32 ports; /* a socket's memory is used again */
	__u32 pad;
};

struct connection {
	__u64 arrived; /* 0: nothing to answer */
	__u64 read;
	__u32 tgid;  /* who has read last */
	__u32 queue; /* whose: where it was counted as unread */
	struct place place;
};

struct thread {
	struct place place;
	struct connection_key last; /* that was answered */
	__u64 answered;		    /* when */
	__u64 streak;		    /* how many in a row */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct place);
	__type(value, struct service);
} services SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, QUEUES);
	__type(key, struct queue_key);
	__type(value, struct queue);
} queues SEC(".maps");

/* What a new queue starts with: a stack has no room for it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct queue);
} empty_queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CONNECTIONS);
	__type(key, struct connection_key);
	__type(value, struct connection);
} connections SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct thread);
} threads SEC(".maps");

__u64 began = 0;
/* Whether somebody listens on a port in any namespace: most sockets are none of ours. */
bool listens[65536] = {};

#endif
