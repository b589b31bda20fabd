/* SPDX-License-Identifier: GPL-2.0-only */
/* What somebody wants to know of a trace. */
#ifndef TUESDAY_TOOLS_TRACE_OPTIONS_H
#define TUESDAY_TOOLS_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heatmap/grid.h"
#include "run/options.h"

enum { TRACE_SLOWEST_MAX = 1000 };

struct trace_options {
	const char *program;
	struct options common;
	size_t format; /* 0: text, 1: json */
	size_t color;
	const char *begin, *end, *event, *only, *key, *end_key, *who, *by, *value;
	double seconds, slower_seconds, column_seconds; /* column: 0 for what fits */
	unsigned int top;
	const char *svg, *to, *cells, *log, *compare, *title;
	bool merge, linear;
	const char *isolate;
	const char *marks[HEATMAP_MARKS];
	bool has_at, has_range;
	uint64_t at_ns, from_ns, to_ns; /* since the first column began */
	uint64_t time_unit_ns, latency_unit_ns;
	bool is_live; /* a trace, and no files */
};

/* Returns 0, 1 where help was printed, or -EINVAL after a message. */
int trace_options_read(struct trace_options *asked, int argc, char **argv);
void trace_options_free(struct trace_options *asked);

#endif
