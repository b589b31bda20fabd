/* SPDX-License-Identifier: GPL-2.0-only */
/* What a [trace NAME] section asks for. */
#ifndef TUESDAY_TRACE_SPEC_H
#define TUESDAY_TRACE_SPEC_H

#include <stdbool.h>

struct str;

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
	char *where;	/* conditions on fields, see trace/event_where.h: what holds is looked at */
	char *ignore;	/* patterns of who that do not count at all */
	char *since;	/* the first kernel that has its tracepoints, "5.19" */
	double slow_seconds; /* below it nobody is blamed; 0: everything is charged to somebody */
	double value_unit;   /* what 1 of the field value is in base units; 1e-9 by default */
	double run_seconds;  /* 5 by default */
	bool always;	     /* a sentinel: on for as long as counters are sampled */
	double budget;	     /* events a second above which it takes itself away; 0: none */
};

void trace_spec_free(struct trace_spec *spec);

/* Checks a declaration without loading anything: unknown special tracer, begin without end, wrong
 * form of a name. Returns 0 or -EINVAL with a message, and the key that is wrong in *key. */
int trace_spec_check(const struct trace_spec *spec, struct str *error, const char **key);

#endif
