/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace in the child that runs it: loaded, attached, stopped, read. Internal to the trace
 * engine.
 */
#ifndef TUESDAY_TRACEJOB_H
#define TUESDAY_TRACEJOB_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event_fields.h"
#include "trace/event_format.h"
#include "base/str.h"
#include "trace/tracer.h"

struct trace_spec;

struct trace_job {
	const struct trace_spec *spec;
	bool special; /* its own tracer, not the declared pair or event */
	bool is_loaded;
	bool by_who;   /* rows are those of whom to blame, so that some can be taken away */
	bool fallback; /* what is declared, in place of its own tracer, which did not load */
	struct tracer_loaded loaded;
	struct event_format first, second; /* begin or event, and end */
	struct declared declared;
	struct str missing; /* why it cannot run */
	struct str method;
	int links[TRACER_PROGRAMS];
	size_t n_links;
	bool stopped;
	uint64_t attached_ns, stopped_ns;
	uint64_t start_cpu_ns;			 /* CPU time to load and attach */
	bool measured;				 /* the programs' own time is known */
	uint64_t run_ns, run_count, measured_ns; /* of the part of the window that was measured */
	uint64_t misses; /* events that came while the program ran already */
};

/* What all jobs of a child share. */
struct trace_machine {
	unsigned int cpus; /* one more than the greatest number of a CPU */
	int tracefs;	   /* a descriptor or -errno; -EAGAIN: not opened yet */
};

/* Clocks in nanoseconds: CLOCK_MONOTONIC, and user and system time of this process. */
uint64_t trace_now_ns(void);
uint64_t trace_cpu_ns(void);

/* Whether TUESDAY_WITHOUT names this, so that a test sees a machine without it: "btf", "bpf",
 * "tracefs", "light". */
bool trace_without(const char *what);

/* Each leaves a phrase in job->missing where it fails, and then nothing loaded or attached. */
void trace_job_load(struct trace_job *job, struct trace_machine *machine);
void trace_job_attach(struct trace_job *job);

/* Adds up the programs' own time, if the kernel's statistics are on. */
void trace_job_measure(struct trace_job *job);

void trace_job_stop(struct trace_job *job);

/* Appends what was counted, or why nothing was, to the answer (see traceblob.h). */
void trace_job_write(const struct trace_job *job, struct str *out);

void trace_job_unload(struct trace_job *job);

#endif
