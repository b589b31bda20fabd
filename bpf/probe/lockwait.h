/* SPDX-License-Identifier: GPL-2.0-only */
/* Who waited for which kind of lock, behind whom and where: for both sides. */
#ifndef TUESDAY_BPF_LOCKWAIT_H
#define TUESDAY_BPF_LOCKWAIT_H

#include <linux/types.h>

#define LOCKWAIT_FRAMES 24
#define LOCKWAIT_COMM 16
#define LOCKWAIT_SUMS 16384
#define LOCKWAIT_STACKS 4096
#define LOCKWAIT_UNDERWAY 16384

/* Of the kernel's locks the flags of contention_begin (include/trace/events/lock.h); a lock of a
 * program, which has none there: */
#define LOCKWAIT_FUTEX 0x10000

struct lockwait_key {
	__u64 stack;  /* a number of it; 0: none */
	__u32 type;   /* flags, or LOCKWAIT_FUTEX */
	__u32 waiter; /* process */
	__u32 holder; /* process, of a futex the thread; 0: nobody knows */
	__u32 pad;
};

struct lockwait_sum {
	__u64 ns, count, longest_ns;
	char waiter[LOCKWAIT_COMM], holder[LOCKWAIT_COMM];
};

struct lockwait_stack {
	__u64 frames[LOCKWAIT_FRAMES]; /* the innermost first, 0 behind the last */
};

#endif
