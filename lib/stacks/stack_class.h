/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can this stack be trusted? A stack is whole if it goes back to where its thread began. Else the
 * kernel has cut it at its limit, or the walk along frame pointers was led astray: by the code that
 * keeps none, which is that of the last frame that is right.
 */
#ifndef TUESDAY_STACKS_STACK_CLASS_H
#define TUESDAY_STACKS_STACK_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbolizer.h"

struct elf_facts;

enum stack_state {
	STACK_WHOLE,
	STACK_TRUNCATED, /* deeper than perf's limit */
	STACK_BROKEN,
	STACK_EMPTY,  /* no frame at all */
	STACK_UNSURE, /* no frame is code that is known, or it ends in a C library of which it is
			 not known where threads begin */
	STACK_STATES
};

/* A user frame. Texts are others'. */
struct stack_frame {
	const char *name; /* NULL: none is known */
	const char *file; /* its file's name without folders; NULL: of none */
	enum symbol_class class;
	const struct elf_facts *facts; /* of its file, NULL where nothing is known of it */
	bool deleted;		       /* its file was */
	bool is_root;		       /* a thread begins there */
	bool is_unsure;		       /* it is in a C library without known roots */
};

struct stack_finding {
	enum stack_state state;
	/* Of a broken one: the last frame that is one, whose code leads no further. */
	const struct stack_frame *last;
};

/* Whether threads begin in a function of this name: those of the C libraries, of Go, and of the
 * kernel's own threads. Suffixes as in _start+0x21 or _[k] are to be taken off before. */
bool stack_is_root_name(const char *name);

/* frames are of the user alone, where the thread is first. depth is how many frames there are with
 * those of the kernel, limit how many perf keeps (kernel.perf_event_max_stack). */
void stack_classify(struct stack_finding *finding, const struct stack_frame *frames, size_t n,
	uint64_t depth, uint64_t limit);

#endif
