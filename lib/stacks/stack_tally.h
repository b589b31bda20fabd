/* SPDX-License-Identifier: GPL-2.0-only */
/* How many of a process's stacks can be trusted, and what is wrong with the others. */
#ifndef TUESDAY_STACKS_STACK_TALLY_H
#define TUESDAY_STACKS_STACK_TALLY_H

#include <sys/types.h>

#include "stacks/stack_class.h"

enum {
	STACK_COMM = 64,
	STACK_FILE = 96,
	STACK_PLACES = 16,	    /* files that broke stacks, of a process */
	STACK_DEPTH_MAX = 4096,	    /* deeper ones count as that deep */
	STACK_PROCESSES_MAX = 2048, /* what is beyond is counted as left_out */
};

/* Why the name of where a thread is, is not known. */
enum stack_unnamed {
	STACK_UNNAMED_STRIPPED,
	STACK_UNNAMED_DELETED, /* perf cannot read the file, which has no name any more; we may */
	STACK_UNNAMED_NO_MAP,
	STACK_UNNAMED_OTHER, /* a file that cannot be read, or no code */
	STACK_UNNAMED
};

/* Code that led no further, and how many stacks ended there. */
struct stack_place {
	char file[STACK_FILE]; /* or the function; "" for code that was made while it ran */
	uint64_t stacks;
	/* Functions of the file that were looked at, and those that set up a frame pointer. */
	uint32_t looked, with_frame_pointer;
};

/* What walks by .eh_frame say of copies of its stacks. */
struct stack_walked {
	uint64_t samples, whole; /* whole: they end where the thread began */
	uint64_t cut;		 /* the copy was too small */
	uint64_t depth_p50, depth_p99;
	uint64_t frames, pointer_frames; /* those that frame pointers lead to */
	uint64_t bytes;			 /* of the copies */
};

struct stack_process {
	pid_t pid; /* 0: not known */
	char comm[STACK_COMM];
	uint64_t samples; /* with a user stack, or that should have one */
	uint64_t states[STACK_STATES];
	uint64_t unnamed[STACK_UNNAMED]; /* by where the thread is: its last frame */
	uint64_t frames, frames_unnamed;
	struct stack_place places[STACK_PLACES]; /* the last one counts all others */
	size_t n_places;
	struct stack_walked walked;
	uint64_t *depths;	/* how many stacks have 0 … STACK_DEPTH_MAX frames of the user */
	uint64_t kernel_frames; /* the most that stood on one of them */
};

struct stack_tally {
	struct stack_process *list;
	size_t n, room;
	uint64_t left_out;
	uint64_t limit;	 /* kernel.perf_event_max_stack */
	bool is_cut;	 /* what is deeper was cut off before: how deep it was is not known */
	uint64_t unread; /* lines of a file that are none */
};

/* A stack that counts. */
struct stack_taken {
	const struct stack_frame *frames; /* of the user alone, where the thread is first */
	size_t n;
	uint64_t user_depth; /* n, or more where not all of them are here */
	uint64_t depth;	     /* with those of the kernel, as for stack_classify */
};

/* Where a process's stacks are counted; NULL where there are too many processes. Valid until the
 * next call. comm is copied. */
struct stack_process *stack_tally_process(struct stack_tally *tally, pid_t pid, const char *comm);
/* Counts one stack weight times. */
void stack_tally_add(struct stack_tally *tally, struct stack_process *process,
	const struct stack_taken *taken, uint64_t weight);
void stack_tally_free(struct stack_tally *tally);

/* As deep is this share of a process's stacks, or less deep: frames of the user. */
uint64_t stack_process_depth(const struct stack_process *process, double quantile);
/* The limit that would hold them: the next power of two. */
uint64_t stack_limit_for(uint64_t depth);
/* The limit that would hold 99 % of a process's stacks, with the kernel's frames on them. */
uint64_t stack_process_limit(const struct stack_process *process);

#endif
