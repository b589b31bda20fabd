/* SPDX-License-Identifier: GPL-2.0-only */
/* What a trace found. */
#ifndef TUESDAY_TRACE_RESULT_H
#define TUESDAY_TRACE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instances;
struct capture;
struct trace_result;
struct trace_spec;
struct traces;

/* Results for these specs, nothing known yet. */
struct traces *traces_new(struct capture *fs, const struct trace_spec *const *specs, size_t n);

/* A result for a field "NAME.FIELD" of a trace that was asked for, its check the same; NULL where
 * none is NAME, or it has TRACE_FIELDS already. Earlier pointers to results are void then. */
struct trace_result *traces_add_field(struct traces *traces, const char *check, const char *name);

/* What can only be said when all has been read: texts, and what fields lost. why: of those that are
 * not in the answer. */
void traces_finish(struct traces *traces, const char *why);

/* NULL may be freed. */
void traces_free(struct traces *traces);

/* From here on who asks for these finds also's results, which must live as long. NULL: no more. */
void traces_join(struct traces *traces, const struct traces *also);

/* The result of the trace of that name in that check, or NULL. That of a field "NAME.FIELD" of a
 * trace that could not run is that of the trace, which says why. */
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

/* "took itself away after 1.2 s: more than 10000 events a second", or NULL. What it saw until then
 * is true; it says nothing of the rest. */
const char *trace_away_text(const struct trace_result *result);

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

/* Whether the declared pair stood in for the special tracer, or one that says itself that it sees
 * less: what it saw is true, what it did not see may have happened all the same. */
bool trace_is_fallback(const struct trace_result *result);

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
