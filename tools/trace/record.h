/* SPDX-License-Identifier: GPL-2.0-only */
/* What is kept of the events of a trace: where each lies in the map, the slowest, and a log. */
#ifndef TUESDAY_TOOLS_TRACE_RECORD_H
#define TUESDAY_TOOLS_TRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "heatmap/heatmap.h"
#include "tools/trace/options.h"

enum { TRACE_SLOWEST_KEPT = 1000 };

/* Of a log: what is more is left out, and that is said. */
#define TRACE_LOG_BYTES_MAX ((size_t)256 << 20)

struct trace_slow {
	uint64_t at_ns, latency_ns; /* when it ended, and how long it took */
	uint32_t pid, tid, cpu;
	char who[64], by[64]; /* as others named them */
};

struct trace_record {
	struct heatmap map;
	bool is_summed;	 /* no event has a time of its own: the slowest are those of each name */
	bool is_counted; /* events have no length: the map is one of offsets */
	bool has_log;
	struct str log;
	uint64_t left_out;	       /* of the log */
	struct trace_slow *slowest;    /* a heap, the quickest of them first, until it is sorted */
	size_t n_slowest, slowest_max; /* more than are shown, to see when they come */
	uint64_t total_ns;	       /* the sum of all */
	uint64_t unread;	       /* lines of files */
	char *method;		       /* how was looked, or NULL */
	double seconds;		       /* how long was looked; 0: files, which say it themselves */
	bool is_cut;		       /* somebody pressed Ctrl-C */
	/* Only events of this time are kept, counted from the first column on. */
	bool has_range, has_first;
	uint64_t from_ns, to_ns, column_ns, first_ns;
};

/* Counts it in the map too; keep is of events that the map has already. */
void trace_record_add(struct trace_record *record, const struct trace_slow *event);
void trace_record_keep(struct trace_record *record, const struct trace_slow *event);
/* The slowest first; nothing is added any more. */
void trace_record_sort(struct trace_record *record);
void trace_record_free(struct trace_record *record);

#endif
