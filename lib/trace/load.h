/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces into the kernel and out of it. */
#ifndef TUESDAY_TRACE_LOAD_H
#define TUESDAY_TRACE_LOAD_H

#include <stdbool.h>

struct trace_job;

/* What all jobs of a child share. */
struct trace_machine {
	unsigned int cpus; /* one more than the greatest number of a CPU */
	int tracefs;	   /* a descriptor or -errno; -EAGAIN: not opened yet */
};

/* Whether TUESDAY_WITHOUT names this, so that a test sees a machine without it: "btf", "bpf",
 * "tracefs", or "light" for all ways to load but libbpf's own. */
bool trace_without(const char *what);

/* Loads the programs. Leaves a phrase in job->missing where it fails, and then nothing is loaded.
 */
void trace_job_load(struct trace_job *job, struct trace_machine *machine);

void trace_job_unload(struct trace_job *job);

#endif
