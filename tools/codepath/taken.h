/* SPDX-License-Identifier: GPL-2.0-only */
/* A look of now, apart for each process. */
#ifndef TUESDAY_TOOLS_CODEPATH_TAKEN_H
#define TUESDAY_TOOLS_CODEPATH_TAKEN_H

#include <stddef.h>

struct codepath_look;
struct cpu_look;

struct taken_process {
	const char *name;
	struct codepath_look *look;
};

struct taken_looks {
	struct taken_process *list;
	size_t n, room;
};

/* From a look with names, by the names of processes; these live as long as it does. */
void taken_make(struct taken_looks *taken, const struct cpu_look *look);
void taken_free(struct taken_looks *taken);

#endif
