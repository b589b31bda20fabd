/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the tracer of churn remember of connections, and of who keeps some? */
#ifndef TUESDAY_BPF_CHURNSTATE_BPF_H
#define TUESDAY_BPF_CHURNSTATE_BPF_H

#include "socket.h"
#include "trace.bpf.h"

#define CONNECTIONS 16384
/* From this connection on a destination is told apart: who visits each once does not churn. */
#define REPEATED 2
/* The number of all that are not told apart. */
#define OTHERS 0
/* Connections of a process to a destination that are looked at for idle ones. */
#define POOL_SLOTS 32

/* How often somebody connected there. Forgotten when many others are connected to. */
struct meeting {
	__u64 opened;
};

struct connection {
	__u64 place;   /* of the destination */
	__u64 opened;  /* ns, 0: before the trace */
	__u64 turns;   /* requests that were answered, as far as was seen */
	__u32 written; /* write_seq when an answer was read last: the same means idle */
	__u32 tgid;
};

struct pool_key {
	__u64 place;
	__u32 tgid;
	__u32 pad;
};

/* The sockets that a process has to a destination, those that have read an answer. */
struct pool {
	__u64 socks[POOL_SLOTS];
	__u64 free; /* a slot with none, for one search: what memory holds the verifier does not
		       follow */
};

TUESDAY_MAP(meetings, LRU_HASH, 4096, __u64, struct meeting);

/* By the socket. */
TUESDAY_MAP(connections, HASH, CONNECTIONS, __u64, struct connection);

TUESDAY_MAP(pools, LRU_HASH, 512, struct pool_key, struct pool);

/* What a new pool starts with: a stack has no room for it. */
TUESDAY_MAP(empty_pool, ARRAY, 1, __u32, struct pool);

/* By the port as it is on the wire: whether any connection was opened to it. Most sockets that read
 * are of servers, and left at once. */
bool called[65536] = {};
bool begun = false;

#endif
