/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stack of a thread from its registers and a copy of its stack, by .eh_frame: to its true
 * depth, whether or not its code keeps frame pointers. Code without .eh_frame, as a JIT makes it,
 * is crossed by frame pointers. x86-64 only.
 */
#ifndef TUESDAY_SYMBOLS_STACK_WALK_H
#define TUESDAY_SYMBOLS_STACK_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/cfa.h"

enum {
	STACK_WALK_MOST = 4096,	    /* frames */
	STACK_WALK_FILES_MAX = 512, /* of a process */
};

enum stack_walk_end {
	STACK_WALK_COMPLETE, /* a function that nobody calls, as _start and clone3 say of themselves
			      */
	STACK_WALK_CUT,	     /* the copy of the stack ends before the stack does */
	STACK_WALK_LOST,     /* code of no file, or a file without or with wrong .eh_frame */
	STACK_WALK_MANY,     /* STACK_WALK_MOST frames */
	STACK_WALK_ENDS
};

/* Code that a process has mapped, and the file that it is of: -1 for none. */
struct stack_walk_code {
	uint64_t start, end, offset;
	int fd;
};

struct stack_walk {
	enum stack_walk_end end;
	uint32_t depth; /* frames, with the one that runs */
	/* As many as frame pointers alone lead to; and whether these reach the last frames. */
	uint32_t pointer_depth;
	uint64_t *frames; /* depth of them: where it runs, then return addresses */
};

struct stack_walk_sample {
	struct cfa_registers registers;
	struct cfa_memory stack;
};

/* Walks a thread's stack. walker remembers what it has read of the files of one process. */
struct stack_walker;
struct stack_walker *stack_walker_new(const struct stack_walk_code *code, size_t n);
void stack_walker_free(struct stack_walker *walker);
void stack_walk_one(struct stack_walker *walker, const struct stack_walk_sample *sample,
	struct stack_walk *walk);
void stack_walk_free(struct stack_walk *walk);

/* Frames that frame pointers lead to, with the one that runs. */
uint32_t stack_walk_pointers(const struct stack_walk_sample *sample);

/*
 * Walks n samples of one process in a child without rights. walks has room for n. Returns 0, or
 * -errno where the child came to its end before: then there are none. Each is to be freed.
 */
int stack_walk_apart(const struct stack_walk_code *code, size_t n_code,
	const struct stack_walk_sample *samples, size_t n, struct stack_walk *walks);

#endif
