/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of the stacks of what runs, with registers, as perf record --call-graph dwarf takes them:
 * for walks by .eh_frame. They hold whatever the programs have on their stacks: they are walked in
 * a child without rights, and kept nowhere. x86-64 only.
 */
#ifndef TUESDAY_STACKS_STACK_COPIES_H
#define TUESDAY_STACKS_STACK_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "symbols/stack_walk.h"

enum { STACK_COPIES_BYTES_MAX = 128 << 20 }; /* of all; what is beyond is not taken */

struct stack_copy {
	pid_t pid, tid;
	struct stack_walk_sample sample; /* the bytes of its stack are this one's */
};

struct stack_copies {
	struct stack_copy *list;
	size_t n, room, bytes;
	unsigned long long lost; /* samples without room */
};

/* Takes copies for a time, of one process or, for 0, of all: hertz of each CPU a second. tick, if
 * not NULL, is called often and ends it early with false. Returns 0; -ENOTSUP on another processor;
 * or -errno. Needs CAPS_BPF, and raises them. */
int stack_copies_take(struct stack_copies *copies, pid_t pid, double seconds, unsigned int hertz,
	bool (*tick)(void *arg, double share), void *arg);
void stack_copies_free(struct stack_copies *copies);

/* What a record of a ring says (perf_event_open(2), PERF_SAMPLE_TID, _REGS_USER and _STACK_USER);
 * it is appended. False where it is none, or of nobody's. */
bool stack_copies_add(struct stack_copies *copies, const void *record, size_t len);

#endif
