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
#ifndef TUESDAY_TRACE_H
#define TUESDAY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procfs;
struct instances;
struct str;
struct culprit;

/* A [trace NAME] section. Strings are owned; NULL where a key was not given. */
struct trace_spec {
	char *check; /* the check it belongs to */
	char *name;
	char *tracer; /* special tracer to try first */
	char *begin;  /* "subsystem:event" */
	char *end;
	char *event;	/* instead of begin and end: one event, counted or measured */
	char *key;	/* tid, cpu, or one or two fields of begin, separated by a blank */
	char *end_key;	/* the fields of end, if they have other names */
	char *who;	/* comm, cgroup, or a field (of begin if it has it, else of end) */
	char *who_kind; /* what to call it: "remote", "reason", "irq"; default "process" for comm */
	char *by;	/* dev, cpu, or a field: a histogram for each instance */
	char *value;	/* with event: the field that is measured; without it events are counted */
	char *ignore;	/* patterns of who that do not count at all */
	double slow_seconds; /* below it nobody is blamed; 0: everything is charged to somebody */
	double value_unit;   /* what 1 of the field value is in base units; 1e-9 by default */
	double run_seconds;  /* 5 by default */
};

void trace_spec_free(struct trace_spec *spec);

/* Checks a declaration without loading anything: unknown special tracer, begin without end, wrong
 * form of a name. Returns 0 or -EINVAL with a message, and the key that is wrong in *key. */
int trace_spec_check(const struct trace_spec *spec, struct str *error, const char **key);

/* One trace's result. */
struct trace_result;

/* The results of a run, in the order of the specs given to traces_run. */
struct traces;

/*
 * Runs all specs. Results for those that could not run say why (trace_missing). progress, if not
 * NULL, is called about five times a second with the share of the time that has passed; it returns
 * false to stop early, and what was counted until then is the result. In a replay the recorded
 * results are read instead. Never fails as a whole: the caller always frees with traces_free.
 *
 * Needs CAP_BPF and CAP_PERFMON (CAP_SYS_ADMIN before Linux 5.8), raised by the child itself.
 */
struct traces *traces_run(struct procfs *fs, const struct trace_spec *const *specs, size_t n,
	bool (*progress)(void *arg, double share), void *arg);
void traces_free(struct traces *traces);

/* Whether the process could load tracers at all; if not, a phrase that says how to grant it. */
bool traces_possible(struct procfs *fs, struct str *why);

/*
 * To be called while the process still has the rights that it was started with: before Linux 5.11
 * maps are charged against RLIMIT_MEMLOCK, and only CAP_SYS_RESOURCE raises it. Who may not raise
 * it may still have room, so nothing is an error here.
 */
void traces_allow_memory(void);

/* The result of the trace of that name in that check, or NULL. */
const struct trace_result *traces_find(
	const struct traces *traces, const char *check, const char *name);

/* Why a trace has no result ("needs CAP_BPF and CAP_PERFMON: run as root"), or NULL if it has one.
 */
const char *trace_missing(const struct trace_result *result);

/* The instances it kept apart, or NULL: then the numbers are those of instance 0. Durations are in
 * seconds, other values in base units. What only counts events has a count and nothing else. */
const struct instances *trace_instances(const struct trace_result *result);
double trace_quantile(const struct trace_result *result, size_t instance, double q);
double trace_max(const struct trace_result *result, size_t instance);
double trace_total(const struct trace_result *result, size_t instance);
double trace_count(const struct trace_result *result, size_t instance);

/* Whether it ignores somebody of whom it has no histogram: a special tracer, one by instances, or
 * a recording of an older version. Quantiles and max of the instance have no value then. */
bool trace_is_blurred(const struct trace_result *result);

/* How long it ran, seconds of wall time. */
double trace_seconds(const struct trace_result *result);
/* How long it was to run; 0 where that is not known. */
double trace_asked_seconds(const struct trace_result *result);
/* Whether it was ended before half of that: by a deadline, or whoever did not want to wait. */
bool trace_is_cut(const struct trace_result *result);

/* The share of events that were lost, 0..1, and a phrase that says which, or NULL for none. What a
 * trace of several things lost counts for each of its fields. */
double trace_lost_share(const struct trace_result *result);
const char *trace_lost_text(const struct trace_result *result);
/* Whether there were more instances, or connections, than it had room for. */
bool trace_lost_instances(const struct trace_result *result);

/* What was left out on purpose ("23 waits of background tasks (nice, batch, idle)"), or NULL. */
const char *trace_left_out_text(const struct trace_result *result);

/* How it looked: "sched_switch and the scheduler's own time stamps", or "tracepoints …, instead of
 * runq: …" for a fallback. */
const char *trace_method(const struct trace_result *result);

/* Whether the declared pair stood in for the special tracer. It sees less: what it saw is true,
 * what it did not see may have happened all the same. */
bool trace_is_fallback(const struct trace_result *result);

/*
 * Fills up to n culprits, the worst first (by total, or by count for counted events), those of an
 * instance (all instances for -1). Those who suffered, of kind "victim", come behind those to
 * blame. Returns how many. Share is of all that was charged to the same role in the instances
 * asked: of what was slow, if the trace has a slow.
 */
size_t trace_culprits(
	const struct trace_result *result, long instance, struct culprit *out, size_t n);

/*
 * What the trace itself cost. run_ns is the BPF programs' own time by the kernel's statistics, 0
 * where those could not be had (then known is false): measured in the first twentieth of the
 * window, 250 ms at most, and scaled to all of it. start_ns is the CPU time to load and attach.
 */
struct trace_cost {
	bool known;
	uint64_t run_ns;
	uint64_t run_count;
	uint64_t start_ns;
};
struct trace_cost trace_cost(const struct trace_result *result);

#endif
