/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What holds a build, or a request, back: sums, exact quantiles, self time and the critical path,
 * by name, over a whole table.
 */
#ifndef TUESDAY_SPANS_ANALYSIS_H
#define TUESDAY_SPANS_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spans/spans.h"
#include "spans/tree.h"

/* Of all spans of a group: of one name, or of one value of a field. */
struct span_sum {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t self_ns;		 /* that no child of theirs has */
	uint64_t path_ns;		 /* on the critical paths of all roots */
	uint64_t build_ns;		 /* on the critical path of the whole build */
	uint64_t most_ns;		 /* the longest one, */
	uint32_t most_row;		 /* which is this */
	uint64_t p50_ns, p95_ns, p99_ns; /* of rank ceil(q n) */
};

/* A span that is in none. */
struct span_root {
	uint32_t trace, row;
	int64_t start_ns, end_ns;
};

#define SPAN_COURSE_PARTS 60

/* How many jobs ran at a time. A job is a root; where there is one root, a span of the first
 * generation that has more than one. */
struct span_concurrency {
	uint64_t jobs;
	uint32_t peak;
	double mean;	     /* while anything ran */
	double straggled;    /* share of the time with at most a tenth of the peak, but 1; NAN for a
			      * peak below 4 */
	double level;	     /* share of the time with at least half of the peak */
	uint64_t longest_ns; /* of a job, */
	uint32_t longest_row; /* which is this */
	/* How many of them ran in each of so many equal parts of the build, on average. */
	double course[SPAN_COURSE_PARTS];
};

struct span_analysis {
	const struct span_table *table;
	uint32_t *rows;	   /* by trace, */
	uint32_t *first;   /* of each; .n_traces of the table + 1 of them */
	uint32_t n_traces; /* that have a row */
	struct span_sum *names;
	struct span_faults faults;
	struct span_root *roots; /* the last ending first */
	uint32_t n_roots, roots_room;
	uint64_t path_ns; /* all roots together, which is what their critical paths sum to */
	int64_t start_ns, end_ns; /* of the build: from the first root's start to the last's end */
	uint64_t idle_ns;	  /* of the critical path of the build: no root ran */
	/* Steps of the critical path of the build whose order is assumed: what was there before
	 * them in the same span had ended by more than span_tree_tolerance() when they began. */
	uint64_t assumed;
	struct span_concurrency jobs;
	/* The roots on the critical path of the build: places in .roots, by trace. */
	uint32_t *chain, n_chain, chain_room;
	bool *dropped; /* rows that came twice */
};

/* Analyses a table, which must stay until the analysis is freed. Two threads. */
void span_analyse(struct span_analysis *analysis, const struct span_table *table);
void span_analysis_free(struct span_analysis *analysis);

/* The tree of one trace, over what the tree held before. */
void span_analysis_tree(
	const struct span_analysis *analysis, uint32_t trace, struct span_tree *tree);

/* The critical path of the build, trace by trace; each root of it from its end back. */
void span_analysis_path(const struct span_analysis *analysis, span_piece *piece, void *arg);

/* The share of all spans that are wrong: bad lines, orphans, spans outside of their parents and
 * circles, of all lines; NAN for none. Duplicates are not: some exporters send twice. */
double span_analysis_wrong(const struct span_analysis *analysis);

/* The time from the first root's start to the last one's end, in nanoseconds. */
uint64_t span_analysis_wall(const struct span_analysis *analysis);

/* Those values of an array that have these ranks (from 0), which ascend; the array is reordered. */
void span_select(uint64_t *values, size_t n, const size_t *ranks, size_t n_ranks, uint64_t *found);

#endif
