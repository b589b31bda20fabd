/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace in the child that runs it: loaded, attached, counting, over, read, detached. Internal
 * to the trace engine.
 */
#ifndef TUESDAY_TRACE_JOB_H
#define TUESDAY_TRACE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event_fields.h"
#include "trace/event_format.h"
#include "base/str.h"
#include "trace/registry.h"

struct trace_spec;

struct trace_job {
	const struct trace_spec *spec;
	bool logs;    /* tells of each event: what is declared, and never its own tracer */
	bool alone;   /* whoever started this process is none of ours, and counts */
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
	bool over;
	uint64_t began_ns, ended_ns;
	uint64_t asked_ns;     /* how long it is to run */
	uint64_t away_ns;      /* after how long it took itself away; 0: it did not */
	uint64_t start_cpu_ns; /* CPU time to load and attach */
	bool measured;	       /* the programs' own time is known */
	uint64_t run_ns, run_count, measured_ns; /* of the part of the window that was measured */
	/* Events that came while the program ran already: once it is over, those of its time. */
	uint64_t misses;
};

#endif
