/* SPDX-License-Identifier: GPL-2.0-only */
/* What somebody wants to know of CPU time, or of waiting. */
#ifndef TUESDAY_TOOLS_CPU_OPTIONS_H
#define TUESDAY_TOOLS_CPU_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/options.h"

enum cpu_format { CPU_AS_TEXT, CPU_AS_JSON, CPU_AS_FOLDED };

struct cpu_options {
	const char *program;
	struct options common;
	bool waits;  /* offcpudiagnose */
	bool wakers; /* of these: who ended them */
	double seconds, hertz;
	double from, until;   /* of the look, with --range; until 0: all of it */
	double slice_seconds; /* samples are told apart by so much time; 0: they are not */
	const char *cgroup;   /* a path, or NULL */
	size_t thread;	      /* 0: none */
	size_t format, by;
	const char *svg, *to;
	size_t top;
	uint32_t *pids; /* the operands */
	size_t n_pids;
};

/* Returns 0, 1 where help was printed, or -EINVAL after a message. */
int cpu_options_read(struct cpu_options *asked, bool waits, int argc, char **argv);
void cpu_options_free(struct cpu_options *asked);

#endif
