/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is behind struct trace_result. Internal to the trace engine.
 */
#ifndef TUESDAY_TRACE_RESULT_DATA_H
#define TUESDAY_TRACE_RESULT_DATA_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/trace.h"
#include "trace/result.h"
#include "trace/result.h"

struct capture;
struct instances;

enum trace_unit { TRACE_NS, TRACE_VALUE, TRACE_NONE };

/* Somebody who was charged. */
struct trace_who {
	size_t row; /* number in rows */
	bool victim;
	bool ignored; /* by the check file: taken away from the row */
	char kind[16];
	char name[128];
	char id[64];
	uint64_t count;
	uint64_t total;
};

struct trace_row {
	struct hist hist;	/* without those who are ignored */
	uint64_t ignored_count; /* theirs */
	bool blurred;		/* how long theirs took is not told apart in the histogram */
};

struct trace_result {
	char *check;
	char *name;
	char *ignore;
	double value_unit;
	bool fallback;
	bool seen; /* in the answer, so that either missing is set or the rest is there */
	char *missing;
	char *method;
	char *lost_text;
	char *left_out_text;
	char *away_text;
	enum trace_unit unit;
	uint64_t ran_ns;
	uint64_t asked_ns; /* 0: not known, in a recording of an older version */
	uint64_t away_ns;  /* after how long it took itself away; 0: it did not */
	uint64_t budget;   /* events a second, of what took itself away */
	uint64_t lost_starts, lost_instances, lost_culprits, misses;
	double counted; /* events, of which those were lost as well; set by traces_finish */
	uint64_t background, throttled;
	struct trace_cost cost;
	struct instances *instances; /* NULL: none are kept apart, and there is one row */
	struct trace_row *rows;
	size_t n_rows, room_rows;
	struct trace_who *whos;
	size_t n_whos, room_whos;
};

struct traces {
	struct trace_result *list;
	size_t n;
	struct capture *fs;	   /* for the names of devices; NULL: they stay numbers */
	const struct traces *also; /* those that ran beside these, looked for after them; or NULL */
};

#endif
