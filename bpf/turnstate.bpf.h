/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the tracer of turns read of a socket, and what does it remember? */
#ifndef TUESDAY_BPF_TURNSTATE_BPF_H
#define TUESDAY_BPF_TURNSTATE_BPF_H

#include "socket.h"
#include "trace.bpf.h"

#define SLOT_NS 5000000
#define SLOTS 8192 /* 41 s, of which a bound of the verifier makes 13 bits */
/* Who came within this is as old: a scheduler may change that order. */
#define LEAD_SLOTS 4
#define SERVICES 8192 /* of all network namespaces */
#define QUEUES 128
#define CONNECTIONS 16384
#define UNACCEPTED 65536 /* of a listener, that are looked at: the greatest somaxconn of 5.4 */
#define MSG_PEEK 2
#define NO_ROOM (-7) /* -E2BIG, of a map that is full */
#define RUN 16
/* A thread that has read so many, and answered hardly any of them, reads for others: few enough for
 * a trace of two seconds, and more than those of Go, which all do both, come to by chance. */
#define READS_FOR_OTHERS 8
#define READS_AN_ANSWER 20
/* How often it must be seen that connections go from thread to thread, or that a thread comes back
 * to one, before it is taken for the way in which a process works. */
#define WAY_SEEN 3
/* And after so many answers in a row without any of that a thread is taken to have one connection
 * at a time. */
#define STREAK_SEEN 8

struct bpf_iter__unix {
	struct unix_sock *unix_sk;
} FROM_KERNEL;

struct bpf_iter__task_file {
	struct task_struct *task;
	struct file *file;
} FROM_KERNEL;

struct signal_struct {
	struct {
		int counter;
	} live;
} FROM_KERNEL;

struct task_struct___signal {
	struct signal_struct *signal;
} FROM_KERNEL;

#define FAMILY_UNIX 1
#define TYPE_STREAM 1

/* A server: a TCP port in a network namespace, or a listening Unix socket. */
struct place {
	__u32 netns; /* or the inode of the Unix socket */
	__u16 port;
	__u16 is_unix;
};

struct service {
	__u32 tgid;	     /* of the first process that was seen here */
	__u32 several;	     /* processes were: they hold the listener, or read */
	__u64 listener;	     /* a socket that listens */
	__u32 others_listen; /* more sockets than that one do */
	__u32 accepted;	     /* something was, since the trace began */
};

struct queue_key {
	struct place place;
	__u32 tgid; /* 0: of nobody yet */
};

/* What lies unread before a process, or before all that accept. */
struct queue {
	__u64 answered_arrival; /* of the latest arrival that this process has answered */
	__u32 head;		/* no older slot has anything */
	__u32 changes;		/* reads by another thread than the connection's one before */
	__u32 returns;		/* reads by a thread that had served another connection between */
	__u64 named_ns;		/* what came before is counted, as far as it is a victim */
	__u32 counting;		/* CPUs that would count them */
	__s32 unread[SLOTS];
	__u64 sample[SLOTS]; /* a socket that brought one of these */
};

struct connection_key {
	__u64 sock;
	__u32 remote_port; /* as on the wire; a socket's memory is used again */
	__u32 pad;
};

struct connection {
	__u64 arrived; /* 0: nothing to answer */
	__u64 read;
	__u32 tgid;  /* who has read last */
	__u32 queue; /* whose: where it was counted as unread */
	__u32 tid;   /* the thread that has read last */
	__u8 reads;  /* of it, as far as two */
	__u8 deaf;   /* what arrives is read where the tracer does not see it */
	__u8 early;  /* it came when nobody had accepted it yet */
	__u8 named;  /* what was read last was counted as a victim, if it was one */
	struct place place;
	__u32 copied;  /* before Linux 6.3: copied_seq when this arrived */
	__u32 written; /* and write_seq when it was read */
};

struct thread {
	struct place place;
	struct connection_key last; /* that was answered */
	__u64 answered;		    /* when */
	__u64 streak;		    /* how many in a row */
	__u64 named_ns;		    /* as in a queue, of what it had read from before */
	/* When those came that it has read and answered since, on that connection and no other: the
	 * last RUN of n_run, but for those that are known to have overtaken something. */
	__u64 run[RUN];
	__u32 n_run;
	__u32 reads, answers; /* of this thread there */
	__u32 holds;	      /* it has read something since its last answer */
	__u32 looked;	      /* no older slot of its process has anything of its own */
};

TUESDAY_MAP(services, HASH, SERVICES, struct place, struct service);

/* Listening Unix sockets by the memory of their address. */
TUESDAY_MAP(unix_places, HASH, 1024, __u64, struct place);

TUESDAY_MAP(queues, HASH, QUEUES, struct queue_key, struct queue);

/* What a new queue starts with: a stack has no room for it. */
TUESDAY_MAP(empty_queue, ARRAY, 1, __u32, struct queue);

TUESDAY_MAP(connections, HASH, CONNECTIONS, struct connection_key, struct connection);

TUESDAY_MAP(threads, LRU_HASH, 4096, __u32, struct thread);

/* What a new thread starts with. */
TUESDAY_MAP(empty_thread, ARRAY, 1, __u32, struct thread);

__u64 began = 0;
/* Whether somebody listens on a port in any namespace: most sockets are none of ours. */
bool listens[65536] = {};
/* It is known who holds the listeners: before that, nobody could be told to make others wait. */
bool holders_known = false;

static __always_inline __u64 slot_of(__u64 ns)
{
	return ns > began ? (ns - began) / SLOT_NS : 0;
}

#endif
