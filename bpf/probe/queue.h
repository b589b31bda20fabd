/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who waited behind whom: what the probes on run queues and block devices count, for both sides.
 *
 * Whoever has a CPU, or the device that works for him, is written into a ring of slices. Who got
 * what he waited for looks back through it and charges each slice of his wait to whose it was.
 */
#ifndef TUESDAY_BPF_QUEUE_H
#define TUESDAY_BPF_QUEUE_H

#include <linux/types.h>

#define QUEUE_COMM 16
#define QUEUE_SLICES 512    /* that a CPU or device remembers, a power of 2 */
#define QUEUE_PAIRS 32768   /* of who waits and who is ahead */
#define QUEUE_PEOPLE 16384  /* processes that a name is kept of */
#define QUEUE_NOTES 65536   /* threads and processes by the end of their number, a power of 2 */
#define QUEUE_REQUESTS 8192 /* of block I/O under way, a power of 2 */
#define QUEUE_DEVICES 64

/* Whom somebody waited behind, where it is no process. Processes are below QUEUE_NOBODY. */
#define QUEUE_IDLE 0		  /* the CPU or the device had nothing to do */
#define QUEUE_NOBODY 0xfffffff0u  /* the least of those below */
#define QUEUE_QUOTA 0xfffffff1u	  /* its cgroup's CPU quota was used up */
#define QUEUE_EARLIER 0xfffffff2u /* before we looked, or longer ago than is remembered */
#define QUEUE_MOVED 0xfffffff3u	  /* on another CPU, from which it was moved unseen */
#define QUEUE_HIDDEN \
	0xfffffff5u		  /* a process that the kernel shows to nobody, as some sandboxes' \
				   */
#define QUEUE_SERVED 0xfffffff4u  /* the device worked for it */
#define QUEUE_SEVERAL 0xfffffff6u /* the device worked for some at once, none of whom was done */

enum queue_stage {
	QUEUE_CPU = 0,
	QUEUE_SCHEDULER = 1, /* of a block device: made and not yet issued */
	QUEUE_DEVICE = 2,    /* issued and not yet completed */
	QUEUE_STILL = 3	     /* for a CPU, a wait that had not ended when we stopped */
};

struct queue_key {
	__u32 waiter, ahead; /* processes, 0 for the idle task; ahead may be one of the above */
	__u32 device;	     /* major << 20 | minor; 0 for CPUs */
	__u32 stage;	     /* enum queue_stage */
};

struct queue_sum {
	__u64 ns;
	__u64 count;
	__u64 longest_ns; /* of one stretch */
};

struct queue_person {
	__u64 cgroup; /* in the hierarchy of version 2; 0: not known */
	__u32 uid;
	__s32 nice;
	__u32 policy;
	__u32 is_kernel; /* a thread of the kernel */
	char comm[QUEUE_COMM];
};

struct queue_slice {
	__u64 start, end;
	__u32 who;
	__u32 pad;
};

struct queue_ring {
	__u64 head;    /* slices written so far */
	__u64 since;   /* when the slice that is under way began */
	__u32 current; /* whose that is */
	__u32 began;   /* since is known */
	struct queue_slice slices[QUEUE_SLICES];
};

/* What had no room or was not known. */
struct queue_lost {
	__u64 pairs_ns;	 /* time waited */
	__u64 people;	 /* processes without a name */
	__u64 devices;	 /* completions of devices above QUEUE_DEVICES */
	__u64 requests;	 /* of which nobody knows who asked */
	__u64 unstamped; /* the kernel noted no time for them */
};

#endif
