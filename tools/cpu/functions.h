/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions and which processes have how much of a look? */
#ifndef TUESDAY_TOOLS_CPU_FUNCTIONS_H
#define TUESDAY_TOOLS_CPU_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_look;

struct cpu_function {
	const char *name;	    /* as in folded stacks */
	const char *caller, *whose; /* where it has most of its own weight; NULL: nobody's */
	uint64_t self, with;	    /* weight that ends in it, and that goes through it */
	uint64_t widest;	    /* of that in one place */
};

struct cpu_functions {
	struct cpu_function *list; /* the one with the most of its own first */
	size_t n;
};

/* Names live as long as the look. */
void cpu_functions_find(struct cpu_functions *functions, const struct cpu_look *look);
void cpu_functions_free(struct cpu_functions *functions);

struct cpu_process {
	uint32_t pid;
	const char *comm;
	uint64_t weight;
	size_t threads; /* that were seen */
};

struct cpu_processes {
	struct cpu_process *list; /* the heaviest first */
	size_t n, room;
};

void cpu_processes_find(struct cpu_processes *processes, const struct cpu_look *look);
void cpu_processes_free(struct cpu_processes *processes);

#endif
