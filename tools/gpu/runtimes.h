/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of Level Zero and OpenCL that programs with a GPU open have mapped. */
#ifndef TUESDAY_TOOLS_GPU_RUNTIMES_H
#define TUESDAY_TOOLS_GPU_RUNTIMES_H

#include <stddef.h>

enum { RUNTIMES_MAX = 16 };

enum runtime_kind {
	RUNTIME_DRIVER,	    /* Intel's for Level Zero, which may have probes of its own */
	RUNTIME_LEVEL_ZERO, /* what programs call, which calls a driver */
	RUNTIME_OPENCL,
	RUNTIME_ASKED, /* somebody named it, so it may be any */
};

struct runtimes {
	enum runtime_kind kinds[RUNTIMES_MAX];
	char *files[RUNTIMES_MAX]; /* paths that can be opened here */
	size_t n;
};

/* library: that one alone; NULL: those in use. Reads the maps of no process that has no GPU open.
 */
void runtimes_find(struct runtimes *runtimes, const char *library);
void runtimes_free(struct runtimes *runtimes);

#endif
