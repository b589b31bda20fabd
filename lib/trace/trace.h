/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace engine: loads a tracer, lets it run for a bounded time, and reads what it counted.
 *
 * Two kinds. A special tracer is a file bpf/NAME.bpf.c of its own ("tracer = runq"). A declared
 * trace needs no C: a pair of tracepoints that begin and end something, or one that happens, with
 * the fields that key, blame and measure it; one BPF program serves them all, its offsets set at
 * load from the tracepoint's format file.
 *
 * All traces of a run are started together in one forked child, run for the longest time asked,
 * and are read together. Whatever way the child ends, its descriptors close and everything
 * detaches.
 */
#ifndef TUESDAY_TRACE_TRACE_H
#define TUESDAY_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

struct capture;
struct str;
struct trace_spec;

/* The results of a run, in the order of the specs given to traces_run. */
struct traces;

/* Who wants to know how the traces get on. */
struct trace_watch {
	/* Called about five times a second with the share of the time that has passed; false stops
	 * early, and what was counted until then is the result. NULL: nobody. */
	bool (*progress)(void *arg, double share);
	/* Called once all are over, before the kernel has detached them. Not where none was
	 * started, nor in a replay. NULL: nobody. */
	void (*over)(void *arg);
	void *arg;
};

/*
 * Runs all specs. Results for those that could not run say why (trace_missing). watch may be NULL.
 * In a replay the recorded results are read instead. Never fails as a whole: the caller always
 * frees with traces_free.
 *
 * Needs CAP_BPF and CAP_PERFMON (CAP_SYS_ADMIN before Linux 5.8), raised by the child itself.
 */
struct traces *traces_run(struct capture *fs, const struct trace_spec *const *specs, size_t n,
	const struct trace_watch *watch);

/* Whether the process could load tracers at all; if not, a phrase that says how to grant it. */
bool traces_possible(struct capture *fs, struct str *why);

/*
 * To be called while the process still has the rights that it was started with: before Linux 5.11
 * maps are charged against RLIMIT_MEMLOCK, and only CAP_SYS_RESOURCE raises it. Who may not raise
 * it may still have room, so nothing is an error here.
 */
void traces_allow_memory(void);

#endif
