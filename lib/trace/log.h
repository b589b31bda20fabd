/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A declared trace, event by event: what a heat map, the slowest ones and an event log are made of.
 *
 * Each event is a record in a ring of 8 MiB that the kernel writes and this process reads, so the
 * reader has to come often; what found no room is counted as lost, and nothing waits. It needs the
 * ring of Linux 5.8, and CAP_BPF and CAP_PERFMON.
 */
#ifndef TUESDAY_TRACE_LOG_H
#define TUESDAY_TRACE_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct str;
struct trace_log;
struct trace_spec;

struct trace_log_event {
	uint64_t end_ns; /* CLOCK_MONOTONIC */
	uint64_t value;	 /* ns, or the field that is measured in its own unit; 0: only counted */
	uint32_t tid, cpu;
	uint32_t pid; /* of who, 0: not known */
	/* Whose it was, and of which instance, as others named them; "" where the trace does not
	 * ask. */
	const char *who, *by;
	const char *comm; /* of who ran when it ended */
};

/*
 * Loads and attaches; nothing is told yet. Of a spec that is declared (begin and end, or event): a
 * special tracer of it is not used. Events shorter than slow_seconds of the spec are not told. The
 * spec has to live as long. Returns 0, or -ENOTSUP or -EPERM with a phrase in why.
 */
int trace_log_open(struct trace_log **log, const struct trace_spec *spec, struct str *why);
/* Tells from now on: what began before is not told. */
void trace_log_begin(struct trace_log *log);
/* Tells no more, and detaches. */
void trace_log_end(struct trace_log *log);
/* Calls each for what has come since the last time. */
void trace_log_take(struct trace_log *log,
	void (*each)(void *arg, const struct trace_log_event *event), void *arg);
/* Events that were lost so far, and begins for which there was no room. */
uint64_t trace_log_lost(const struct trace_log *log);
/* "tracepoints block:block_rq_issue and block:block_rq_complete" */
const char *trace_log_method(const struct trace_log *log);
void trace_log_close(struct trace_log *log);

#endif
