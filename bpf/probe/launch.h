/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probes on a GPU's runtime tell, for both sides. */
#ifndef TUESDAY_BPF_LAUNCH_H
#define TUESDAY_BPF_LAUNCH_H

#include <linux/types.h>

#define LAUNCH_FRAMES 127   /* the kernel's default most, kernel.perf_event_max_stack */
#define LAUNCH_NAME 256	    /* bytes; what is longer is cut */
#define LAUNCH_KEYS 16384   /* kernels by stacks that are kept apart */
#define LAUNCH_PENDING 4096 /* threads that are creating a kernel */

enum launch_kind {
	LAUNCH_CALL = 1, /* of a kernel by its handle */
	LAUNCH_PLACED,	 /* by the runtime's own probe: with its address, size and name */
	LAUNCH_CREATED,	 /* a kernel got a handle */
};

struct launch_key {
	__u32 kind;
	__u32 pid;
	__u64 handle; /* or address */
	__u64 stack;  /* a hash of it */
};

/* The first of its key; how often it comes is counted in a map. */
struct launch_event {
	struct launch_key key;
	__u64 size;
	__u64 caller; /* of the function that is called; 0: the stack says it itself */
	__u32 frames;
	char comm[16];
	char name[LAUNCH_NAME];
	__u64 stack[LAUNCH_FRAMES]; /* the innermost first */
};

#endif
