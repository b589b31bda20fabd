/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tracer and the library agree on: the layout of parameters and results. Included by BPF
 * programs and by lib/, so only types of fixed size, and <linux/types.h> or bpf/kernel.h must come
 * first.
 *
 * A tracer is one file bpf/NAME.bpf.c. It includes trace.bpf.h, which brings the maps and globals,
 * and is found by its file name: [trace x] tracer = NAME. bpf/NAME___WORDS.bpf.c counts the same by
 * other means, and is loaded where a kernel lacks what NAME reads.
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
	__u64 skipped; /* seen and left out on purpose: tasks that are meant to wait */
	__u64 slots[HIST_SLOTS];
};

/* How many instances (disks, CPUs) a tracer keeps apart, if every CPU sees every one of them. */
#define TRACE_INSTANCES 64
/* Beyond these, CPUs share the rows of an instance, or of a trace without any. */
#define TRACE_INSTANCE_CPUS 32
#define TRACE_CPUS 256

/* Things that one tracer may measure. */
#define TRACE_FIELDS 9

#define TRACE_NAME 16
#define TRACE_CULPRITS 2048

/* The key of a row of an instance: a number in the first 8 bytes, or the start of a text. */
struct row {
	__u8 id[TRACE_NAME];
	__u32 cpu;
	__u32 pad;
};

/* What an instance's id is. */
enum instance_kind {
	INSTANCE_NONE = 0, /* the trace keeps none apart */
	INSTANCE_NUMBER = 1,
	INSTANCE_DEVICE = 2, /* a number as tracepoints have it: major << 20 | minor */
	INSTANCE_CPU = 3,
	INSTANCE_TEXT = 4,
	INSTANCE_ADDRESS = 5,
	INSTANCE_PORT = 6, /* of a listener: the port in the low 16 bits, its namespace in the high
			      32; where bit 16 is set these are the inode of a Unix socket */
	INSTANCE_DESTINATION = 7, /* a number that stands for a struct trace_destination */
	INSTANCE_PROCESS = 8	  /* a tgid, whose name is that of the victim that was charged */
};

/* Where connections lead to. */
struct trace_destination {
	__u8 address[TRACE_NAME]; /* IPv6, or IPv4 mapped into it */
	__u32 netns;		  /* where they come from */
	__u16 port;		  /* 0: all that are not told apart */
	__u16 pad;
};

/* Who did it: the key of the table of culprits. */
struct who {
	__u32 kind;	/* enum who_kind */
	__u32 instance; /* instance_fold() of the instance's id, 0 where there are none */
	__u8 name[TRACE_NAME];
};

enum who_kind {
	WHO_NONE = 0,
	WHO_COMM = 1,	 /* name is a comm: the process at fault */
	WHO_VICTIM = 2,	 /* name is a comm: the process that waited */
	WHO_NUMBER = 3,	 /* the first 8 bytes are a number: a vector, a reason, a device */
	WHO_ADDRESS = 4, /* 16 bytes of IPv6, or IPv4 mapped into it */
	WHO_CGROUP = 5,	 /* the first 8 bytes are a cgroup id (v2) */
	WHO_TEXT = 6	 /* text that the tracepoint brought: an irq's name */
};

struct who_sum {
	__u64 count;
	__u64 total;
	__u64 max;
	__u32 pid; /* tgid last seen, 0 where it does not apply */
	__u32 pad;
};

/* An instance's id in 32 bits, for struct who: the multiplications keep neighbours apart. */
static inline __u32 instance_fold(__u64 low, __u64 high)
{
	__u64 mixed = low * 0x9e3779b97f4a7c15ull ^ high * 0xc2b2ae3d27d4eb4full;

	return (__u32)(mixed >> 32) | 1;
}

/*
 * What a tracer does with an event, in .bss of every tracer: user space says so without a system
 * call. All traces of a run are attached before the first counts and until the last has counted,
 * since attaching and detaching make others wait.
 */
enum trace_phase {
	TRACE_WAITS = 0,  /* what it must know of before it counts it may note */
	TRACE_COUNTS = 1, /* what begins from now on, and what has been under way as it says */
	TRACE_ENDS = 2,	  /* no event any more, but what has not ended by now */
	TRACE_IS_OVER = 3
};

/*
 * What was not counted, in .bss of every tracer. Of starts and of events that were missed the share
 * tells how much they matter: any may be lost, so the rest is like them. What has no room for long,
 * an instance or a connection, is lost with all that ever happens to it, and the rest tells nothing
 * of it: the trace still accuses, and clears nobody.
 */
struct trace_lost {
	__u64 starts;	 /* a begin that found no room, so its end will not be seen */
	__u64 instances; /* events of an instance or a connection for which there was no room */
	__u64 culprits;	 /* events whose culprit found no room: counted, but not by whom */
	__u64 throttled; /* waits left out because a cgroup's quota imposed them */
};

/*
 * How much a sentinel has had to do, in .bss of every tracer. It is on all the time, so it counts
 * its events and takes itself away when they cost too much.
 */
struct trace_budget {
	__u64 events;	/* since that time */
	__u64 since_ns; /* CLOCK_MONOTONIC; 0: none yet */
	__u64 over_ns;	/* when it was over its budget; 0: it is not */
};

/* Where a tracepoint keeps something, from its format file. */
enum field_kind {
	FIELD_NONE = 0,
	FIELD_TID = 1, /* not fields but the present task, CPU or cgroup */
	FIELD_CPU = 2,
	FIELD_COMM = 3,
	FIELD_CGROUP = 4,
	FIELD_NUMBER = 5,    /* size 1, 2, 4 or 8 */
	FIELD_CHARS = 6,     /* char[size] in the record */
	FIELD_STRING = 7,    /* __data_loc: 16 bits of offset in the record, 16 of length */
	FIELD_ADDRESS = 8,   /* 4 or 16 bytes */
	FIELD_REL_STRING = 9 /* __rel_loc: as __data_loc, counted from behind itself */
};

struct trace_field {
	__u16 offset;
	__u16 size;
	__u8 kind;
	__u8 is_signed;
	__u8 at_begin; /* taken at the begin of a pair, not at its end */
	__u8 pad;
};

/* Conditions on the fields of a declared trace, and the characters of text that they look at. */
#define TRACE_CONDITIONS 8
#define TRACE_TEXT 32

/*
 * One of them. A number is masked and flipped, which makes a signed one comparable without a sign,
 * and then less (1), equal (2) or greater (4) than value[0]. Text is equal (2) to value, which ends
 * with a 0, or not (4); or with a mask, as many bytes of value[0] as the mask has stand somewhere
 * in it (2), or not (4).
 */
struct trace_condition {
	struct trace_field field; /* of kind FIELD_NONE behind the last condition */
	__u64 mask;
	__u64 flip;
	__u64 value[2];
	__u32 accept; /* the sum of those that will do */
	__u32 pad;
};

/* The parameters of a declared trace. */
struct trace_pair {
	struct trace_field begin_key[2];
	struct trace_field end_key[2];
	struct trace_field who;
	struct trace_field who_tid; /* which thread the record means by who, if it says so */
	struct trace_field by;
	struct trace_field value;
	struct trace_condition where[TRACE_CONDITIONS];
	__u32 who_kind;	   /* enum who_kind */
	__u32 key_is_task; /* the first part of the key is the number of a thread */
};

/* The parameters of every tracer, in .rodata: known to the verifier, so they cost nothing. */
struct trace_params {
	__u64 slow; /* who is charged only from this value on, in the unit of what is measured */
	__u32 row_cpus;	   /* rows of an instance */
	__u32 shared;	   /* there are more CPUs than rows, so rows are updated atomically */
	__u32 queue_first; /* block tracepoints have the queue as an argument before the request */
	__u32 others;	   /* what has no row of its own any more is counted without instance */
	__u32 own[2];	   /* processes of ours, which count nowhere; 0: none */
	__u64 budget;	   /* events a second above which nothing is counted any more; 0: none */
	struct trace_pair pair;
};

/* What a tracer says of itself, in .rodata. */
struct tracer_info {
	__u32 instances;  /* enum instance_kind */
	__u32 cpus_apart; /* with INSTANCE_NONE: also each CPU for itself, as trace:NAME.cpu */
	char method[124]; /* how it looks, for people */
	/* Names of several things that it measures, separated by blanks; the second number of a
	 * row's id says which, from 0 on. With # before it one is a number, not nanoseconds. Empty
	 * for the one thing that most measure. */
	char fields[96];
	__u32 keeps_budget; /* it asks within_budget() at each event that costs something */
	__u32 since;	 /* the first kernel that can run it, SINCE_LINUX(); 0: any with BTF, or not
			    known */
	__u32 sees_less; /* than what it stands in for: what it has not seen may be all the same */
};

#define SINCE_LINUX(major, minor) ((major) << 16 | (minor))

#endif
