/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probes that look at stacks tell, for both sides. */
#ifndef TUESDAY_BPF_SAMPLE_H
#define TUESDAY_BPF_SAMPLE_H

#include <linux/types.h>

#define SAMPLE_COMM 16
#define SAMPLE_KERNEL_MOST 127 /* frames: kernel.perf_event_max_stack, as it is by default */
#define SAMPLE_USER_MOST 1024  /* frames that are told; those above are only counted */
#define SAMPLE_WALK_MOST 4096  /* frames that are counted */
#define SAMPLE_WORDS 64	       /* of the stack, from its pointer on */
#define SAMPLE_NEAR (1 << 22)  /* bytes: a word so near to code may be an address of it */
#define SAMPLE_TARGETS 16384   /* processes that are looked at, when not all are */
#define SAMPLE_AWAY 16384      /* threads that are off their CPUs at a time */
#define SAMPLE_SUMS 32768      /* different waits: a thread, where, and who woke it */

/* What ended a walk along frame pointers. */
enum sample_end {
	SAMPLE_END_NONE,  /* there is no user stack: a thread of the kernel's own */
	SAMPLE_END_NULL,  /* a frame pointer or a return address that is 0 */
	SAMPLE_END_ORDER, /* a frame pointer that does not point further up the stack */
	SAMPLE_END_FAULT, /* memory that cannot be read: it is no frame pointer */
	SAMPLE_END_MOST,  /* SAMPLE_WALK_MOST frames */
	SAMPLE_END_LIMIT, /* kernel.perf_event_max_stack: the kernel itself walked */
};

/* One stack. Times are CLOCK_MONOTONIC in nanoseconds. */
struct sample_record {
	__u64 at_ns;
	__u64 id;     /* of the stack, the same for the same frames of a process; 0: a sample */
	__u64 cgroup; /* in the hierarchy of version 2 */
	__u64 frame_pointer; /* where the walk ended */
	__u64 bp, sp;	     /* the user's; sp is 0 where they are not told */
	__u32 pid, tid;	     /* in the first namespace */
	__u32 kernel, user;  /* frames */
	__u32 depth;	     /* user frames that there are: more than user where these were cut */
	__u32 end;	     /* enum sample_end */
	__u32 in_user;	     /* it was not in the kernel */
	__u32 n_words;	     /* SAMPLE_WORDS, or 0 where they could not be read */
	__u64 words[SAMPLE_WORDS];
	char comm[SAMPLE_COMM];
	/* user of them, then kernel of them; each where it is first, then its callers. */
	__u64 frames[SAMPLE_USER_MOST + SAMPLE_KERNEL_MOST];
};

/* Whether a word of the stack may be the address that a function returns to which keeps no frame
 * pointer: it is near to where the thread is, or to where the next frame is. Such stacks differ,
 * though frame pointers lead along the same way. */
static inline __attribute__((always_inline)) int sample_may_be_code(
	const struct sample_record *record, __u64 word)
{
	const __u64 here = record->frames[0], next = record->user > 1 ? record->frames[1] : here;

	return word - here + SAMPLE_NEAR < 2 * SAMPLE_NEAR ||
		word - next + SAMPLE_NEAR < 2 * SAMPLE_NEAR;
}

/* A thread that is off its CPU. */
struct sample_away {
	__u64 since_ns;
	__u64 woken_ns; /* 0: not yet */
	__u64 stack;	/* the id of where it is; 0: it was made to leave, and wants a CPU */
	__u64 waker_stack;
	__u32 waker_tid, waker_pid;
	__u32 pid, pad;
	char comm[SAMPLE_COMM], waker[SAMPLE_COMM];
};

/* What is one wait. */
struct sample_wait {
	__u64 stack, waker_stack;
	__u32 tid, waker_tid;
};

struct sample_sum {
	__u64 blocked_ns, queued_ns, longest_ns, times;
	__u32 pid, waker_pid;
	char comm[SAMPLE_COMM], waker[SAMPLE_COMM];
};

/* What went wrong, of all CPUs. */
struct sample_lost {
	__u64 samples; /* no room in the ring */
	__u64 stacks;  /* so too, of waits */
	__u64 away;    /* threads that left their CPUs and could not be remembered */
	__u64 sums;    /* waits that had no room */
	__u64 sums_ns; /* their time */
};

#endif
