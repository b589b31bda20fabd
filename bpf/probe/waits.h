/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probe on the waits of threads keeps, for both sides. */
#ifndef TUESDAY_BPF_WAITS_H
#define TUESDAY_BPF_WAITS_H

#include <linux/types.h>

#define WAITS_COMM 16
#define WAITS_THREADS 65536
#define WAITS_SUMS 65536
#define WAITS_BEHIND 16384
#define WAITS_CHILDREN 4096
#define WAITS_NR_MAX 512 /* system calls that have a kind of their own */
#define WAITS_NO_CALL 0xffffffff
/* Of x86-64, whose kernel stacks have the registers at their end; asked before Linux 5.15. */
#define WAITS_REGS_AT (16384 - 168)

/* Where a moment of a thread went. */
enum waits_part {
	WAITS_RUNS,    /* on a CPU */
	WAITS_QUEUE,   /* runnable behind others */
	WAITS_QUOTA,   /* runnable, but its cgroup has used its CPU quota */
	WAITS_DISK,    /* in iowait, or uninterruptible in a call that reads or writes */
	WAITS_LOCK,    /* of the kernel */
	WAITS_MEMORY,  /* memory pressure (in_memstall), or a page fault */
	WAITS_STOPPED, /* SIGSTOP, or a debugger */
	WAITS_FUTEX,   /* of another thread */
	WAITS_SLEEP,   /* nanosleep and its like */
	WAITS_FAMILY,  /* wait4 */
	WAITS_EVENTS,  /* epoll, poll, select, accept */
	WAITS_DATA,    /* read, recv, write of what is no file: by its descriptor */
	WAITS_OTHER,   /* uninterruptible, elsewhere */
	WAITS_SHARED,  /* locks that processes share: flock, fcntl, semop */
	WAITS_MESSAGE, /* of a message queue */
	WAITS_ELSE,    /* in a call of which nothing is known */
	WAITS_PARTS
};

/* How a system call is called that sleeps; the reader fills a table of them by its machine's
 * numbers. */
enum waits_call {
	WAITS_CALL_OTHER,
	WAITS_CALL_FUTEX,
	WAITS_CALL_SLEEP,
	WAITS_CALL_CHILDREN,
	/* From here on what may bring nothing, again and again. */
	WAITS_CALL_EVENTS, /* its first argument is a descriptor */
	WAITS_CALL_EPOLL,
	WAITS_CALL_POLL,
	WAITS_CALL_SELECT,
	WAITS_CALL_DATA,  /* its first argument is a descriptor; to here */
	WAITS_CALL_FILE,  /* writes back or opens: a disk's where it is uninterruptible */
	WAITS_CALL_PAUSE, /* waits for a signal */
	WAITS_CALL_LOCK,
	WAITS_CALL_FCNTL, /* a lock, by its second argument */
	WAITS_CALL_MESSAGE,
};

/* Why a thread sleeps that a signal would wake, by the kind of its call. */
static inline __u32 waits_interruptible_part(__u32 kind)
{
	switch (kind) {
	case WAITS_CALL_FUTEX:
		return WAITS_FUTEX;
	case WAITS_CALL_SLEEP:
		return WAITS_SLEEP;
	case WAITS_CALL_CHILDREN:
		return WAITS_FAMILY;
	case WAITS_CALL_EVENTS:
	case WAITS_CALL_EPOLL:
	case WAITS_CALL_POLL:
	case WAITS_CALL_SELECT:
	case WAITS_CALL_PAUSE:
		return WAITS_EVENTS;
	case WAITS_CALL_DATA:
		return WAITS_DATA;
	case WAITS_CALL_LOCK:
		return WAITS_SHARED;
	case WAITS_CALL_MESSAGE:
		return WAITS_MESSAGE;
	default:
		return WAITS_ELSE;
	}
}

/* fcntl(2) waits for a lock where it is asked for one with F_SETLKW or F_OFD_SETLKW. */
#define WAITS_F_SETLKW 7
#define WAITS_F_OFD_SETLKW 38

static inline __u32 waits_fcntl_kind(__u64 command)
{
	return command == WAITS_F_SETLKW || command == WAITS_F_OFD_SETLKW ? WAITS_CALL_LOCK
									  : WAITS_CALL_OTHER;
}

/* A timeout in milliseconds, or where one stands: forever are -1 and 0. */
static inline __u32 waits_is_timed(__u64 timeout)
{
	return timeout && (__u32)timeout != (__u32)-1;
}

/* Of a futex the operation, with what it waits for: the value 2 is a lock that somebody has and
 * others wait for, in the C library as in Rust's and others'. */
#define WAITS_FUTEX_CMD 0x7f
#define WAITS_FUTEX_CONTENDED 0x100
#define WAITS_FUTEX_LOCKED 2

static inline __u32 waits_futex_detail(__u64 operation, __u64 value)
{
	const __u32 command = (__u32)operation & WAITS_FUTEX_CMD;

	return (__u32)value == WAITS_FUTEX_LOCKED ? command | WAITS_FUTEX_CONTENDED : command;
}

/* Of data and events a descriptor, where one is known; 0: there is none. */
#define WAITS_FD 0x1fffffffu
/* The first argument of a call on a file is a descriptor, or an address, which is never so small.
 */
#define WAITS_FD_LIKELY 65536
#define WAITS_FD_KNOWN 0x20000000u
#define WAITS_FD_SEVERAL 0x40000000u /* which ones is not known */
#define WAITS_FD_TIMED 0x80000000u   /* of an epoll: not for longer than a time */

/* A kind of wait of a process. detail is one of the above, or 0. */
struct waits_key {
	__u32 tgid;
	__u32 part; /* enum waits_part */
	__u32 nr;   /* of the system call, or WAITS_NO_CALL */
	__u32 detail;
	__u32 who; /* tgid: of a lock its holder, else who ended the wait; 0: nobody, or an
		      interrupt */
	char comm[WAITS_COMM]; /* of who */
};

struct waits_sum {
	__u64 ns, count, max_ns;
};

struct waits_behind {
	__u32 tgid;
	__u32 other; /* 0: not known, or an idle CPU's way out of sleep */
	char comm[WAITS_COMM];
};

/* A thread, and what it is in the middle of. */
struct waits_thread {
	__u32 tgid;
	__u32 part;	/* enum waits_part */
	__u64 since;	/* CLOCK_MONOTONIC in nanoseconds, as all times here */
	__u64 born;	/* or when it was first seen */
	__u64 ran_exec; /* sum_exec_runtime when it got its CPU */
	__u32 nr, detail;
	__u32 who;	       /* of a lock: its holder */
	__u32 in_lock;	       /* between the beginning and the end of a contention */
	char comm[WAITS_COMM]; /* of who */
};

/* A process that is followed. */
struct waits_process {
	__u64 part_ns[WAITS_PARTS];
	__u64 exec_ns;	/* of WAITS_RUNS: without interrupts and without what the host took */
	__u64 ended_ns; /* lives of threads that ended, from when they were first seen */
	__u64 threads;	/* that were seen */
	__u64 switches;
	__u64 calls,
		nothing; /* system calls that ended; those that had nothing: EAGAIN, or 0 bytes */
	__u64 died_ns;	 /* 0: it lives */
	__u32 status;	 /* as of waitpid */
	char comm[WAITS_COMM];
};

struct waits_children {
	__u32 tgid; /* the parent */
	char comm[WAITS_COMM];
};

struct waits_child_sum {
	__u64 count, exec_ns, life_ns;
};

/* A wait that is longer than params.slow_ns. */
struct waits_slow {
	__u64 at_ns, ns;
	__u32 tid;
	struct waits_key key;
};

struct waits_params {
	__u64 slow_ns;
	__u32 all;	/* processes: not only those in the map */
	__u32 children; /* those that followed ones fork are followed */
	__u32 own;	/* tgid of ours, which is followed never */
};

struct waits_lost {
	__u64 threads, sums, behind, children, slow;
};

#endif
