/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of each thread: the record that the iterator writes, that a walk of /proc makes, and
 * that a recording holds. <linux/types.h> comes first.
 */
#ifndef TUESDAY_BPF_ITER_TASK_H
#define TUESDAY_BPF_ITER_TASK_H

/* Changes when a field means something else: a recording with another version is not read. A record
 * may grow at its end: what an older recording lacks is 0. */
#define TASK_RECORD_VERSION 1

enum task_record_has {
	TASK_HAS_DELAY = 1,	/* run_delay_ns and timeslices: the kernel has CONFIG_SCHED_INFO */
	TASK_HAS_WAIT = 2,	/* stuck, queued and wait_ns */
	TASK_HAS_PROCESS = 4,	/* parent and zombie, in the record of a process's first thread */
	TASK_HAS_READ_THIS = 8, /* it is a thread of the process that read the record */
	TASK_HAS_PTRACE = 16,	/* ptrace and held */
};

struct task_record {
	__u64 start; /* tells a thread from another one that had the number before; nothing else */
	__u64 cpu_ns;
	__u64 run_delay_ns;
	__u64 timeslices;
	__u32 tid;
	__u32 tgid;
	__s32 nice;
	__u32 policy;
	__u32 flags;  /* PF_KTHREAD and so on */
	__u8 blocked; /* in uninterruptible sleep */
	__u8 has;     /* enum task_record_has */
	__u8 stuck;   /* blocked, no signal ends it, and not by the freezer */
	__u8 queued;  /* runnable, and does not run */
	__u8 comm[16];
	__u64 wait_ns;	    /* of what is blocked or queued: how long ago it ran, or was queued */
	__u64 files_max;    /* the soft limit of open files, all ones for none */
	__u32 files_room;   /* of the table of open files: no more are open; 0 for not known */
	__u32 mappings;	    /* of memory; 0 for not known */
	__u32 parent;	    /* its process */
	__u8 zombie;	    /* ended, and its parent has not asked how */
	__u8 idle_group;    /* its cgroup, or one above, may have only what CPUs have left */
	__u8 sleeps_for_io; /* blocked in I/O wait, whether a signal ends it or not; no kthread */
	__u8 held;	    /* it stands still, since its tracer has stopped it */
	__u32 allowed_cpus; /* how many it may run on; 0 for not known */
	__u32 ptrace;	    /* not 0: it is traced, as by strace */
	__u64 longest_delay_ns; /* its longest wait for a CPU ever; 0 for not known */
	__u32 cpu_and_1;	/* the CPU that it is on or was on last, and 1; 0 for not known */
	__u32 runnable;		/* by a walk of /proc alone: it runs, or waits for a CPU */
};

#define TASK_RECORD_SIZE_MIN 72 /* the record without wait_ns */

#endif
