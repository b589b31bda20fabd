/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tracer and the library agree on: the layout of results. Included by BPF programs and by
 * lib/, so only types of fixed size, and <linux/types.h> or bpf/kernel.h must come first.
 *
 * A tracer is one file bpf/NAME.bpf.c. It includes trace.bpf.h, which brings the maps, and is found
 * by its file name: [trace x] tracer = NAME.
 */
#ifndef TUESDAY_BPF_TRACE_H
#define TUESDAY_BPF_TRACE_H

#define HIST_SUB_BITS 4 /* 16 slots to a power of two: a quantile within 3.2 % */
#define HIST_OCTAVES 44 /* up to 2^44 ns, 4.9 hours; what is longer goes to the last slot */
#define HIST_SLOTS ((HIST_OCTAVES - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

/* One row of results: one CPU of one instance. */
struct hist {
	__u64 count;
	__u64 total; /* sum of values */
	__u64 max;
	__u64 slots[HIST_SLOTS];
};

/* How many instances (disks, CPUs) a tracer keeps apart; what comes later counts as lost. */
#define TRACE_INSTANCES 64

/* Who did it: the key of the table of culprits. */
struct who {
	__u32 kind; /* enum who_kind */
	__u32 instance; /* slot of the instance, 0 where there are none */
	__u8 name[16]; /* a comm or the start of a string; or an address; or a number in the first 8 bytes */
};

enum who_kind {
	WHO_NONE = 0,
	WHO_COMM = 1,	/* name is a comm: the process at fault */
	WHO_VICTIM = 2, /* name is a comm: the process that waited */
	WHO_NUMBER = 3, /* the first 8 bytes are a number: a vector, a reason, a device */
	WHO_ADDRESS = 4, /* 16 bytes of IPv6, or IPv4 mapped into it */
	WHO_CGROUP = 5, /* the first 8 bytes are a cgroup id (v2) */
	WHO_TEXT = 6	/* text that the tracepoint brought: an irq's name */
};

struct who_sum {
	__u64 count;
	__u64 total;
	__u64 max;
	__u32 pid; /* tgid last seen, 0 where it does not apply */
	__u32 pad;
};

/* What was not counted, in .bss of every tracer. */
struct trace_lost {
	__u64 starts; /* a begin that found no room, so its end will not be seen */
	__u64 instances; /* events of an instance for which no row was left */
	__u64 culprits; /* events whose culprit found no room: counted, but not by whom */
};

#endif
