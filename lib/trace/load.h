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

/*
 * Whether block tracepoints have the queue as an argument before the request: not from 5.11 on, nor
 * in 5.10 where the change was taken back to it. The BTF tells, by the number of arguments of the
 * function that the tracepoint calls, the first being its own.
 */
bool trace_queue_is_first(void);

#endif
