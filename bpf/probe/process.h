/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probe on the lives of processes tells, for both sides. */
#ifndef TUESDAY_BPF_PROCESS_H
#define TUESDAY_BPF_PROCESS_H

#include <linux/types.h>

#include "waits.h"

#define PROCESS_ARGS 1024 /* bytes of a command line, a power of 2; what is longer is cut */
#define PROCESS_COMM 16
#define PROCESS_THREADS 16384 /* of all processes that live at a time: a larger map is colder */

enum process_event_kind { PROCESS_FORK = 1, PROCESS_EXEC, PROCESS_EXIT };

/* What every event begins with. Times are CLOCK_MONOTONIC in nanoseconds. */
struct process_event {
	__u32 kind; /* enum process_event_kind */
	__u32 pid;  /* of the whole process, in the first namespace */
	__u64 at_ns;
};

struct process_fork {
	struct process_event event;
	__u32 parent;
	char comm[PROCESS_COMM]; /* the parent's: what it is until it starts a program */
};

struct process_exec {
	struct process_event event;
	char comm[PROCESS_COMM];
	__u32 len;   /* bytes of args, the words of the command line each with a 0 behind */
	__u32 whole; /* bytes of the whole command line */
	char args[PROCESS_ARGS]; /* the event ends behind len of them */
};

struct process_exit {
	struct process_event event;
	__u64 cpu_ns;		    /* of all its threads */
	__u64 user_ns, system_ns;   /* their ratio is to be believed where ticks are counted */
	__u64 part_ns[WAITS_PARTS]; /* where the time of all its threads went, by enum waits_part */
	__u64 rss_pages;	    /* the most that it had */
	__u32 code;		    /* as of waitpid */
};

/* A thread, and what it is in the middle of. Times are as above. */
struct process_thread {
	__u64 since;
	__u32 part;	/* enum waits_part; WAITS_PARTS: it has ended, or nothing is known yet */
	__u32 in_lock;	/* between the beginning and the end of a contention */
	__u64 delay_ns; /* that it had waited for CPUs in all when it left the last one */
	__u64 slept_ns; /* before it got this CPU, */
	__u32 slept;	/* which was this part; WAITS_PARTS: that is settled */
	__u64 part_ns[WAITS_PARTS]; /* until since; of a first one with what ended threads had */
};

#endif
