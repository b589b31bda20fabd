/* SPDX-License-Identifier: GPL-2.0-only */
/* What the readers of files share. */
#ifndef TUESDAY_SPANS_INTERNAL_H
#define TUESDAY_SPANS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "spans/line.h"
#include "spans/read.h"
#include "spans/spans.h"

/* What adds rows to a table, and knows the trace of the last one. */
struct span_filler {
	struct span_table *table;
	struct span_line_reader reader;
	uint32_t trace;	     /* of the last span */
	uint64_t trace_hash; /* of its text */
	struct json_text last;
	char last_text[SPAN_NAME_MAX];
};

/* Adds a span whose text begins at a place (.at of the table). Returns 0 or -ENOMEM. */
int span_fill(struct span_filler *filler, const struct span_line *line, uint64_t at);

/* Lines of JSON from a file of that size, by two threads where that pays. */
int span_lines_read(struct span_table *table, uint32_t origin, int fd, uint64_t size,
	span_progress *progress, void *arg);
/* Lines of a text in memory, behind which SPAN_LINE_PAD bytes can be read. Returns the bytes that
 * were taken: all lines that have an end, or with last all of it. */
size_t span_lines_scan(
	struct span_filler *filler, const char *text, size_t len, uint64_t at, bool last, int *err);

/* What a document is read from, from its beginning on. */
struct span_document_from {
	int fd;
	uint64_t size; /* of the file; 0: not known */
	span_progress *progress;
	void *arg;
};

/* A document of one of the other forms; table->format is set. */
int span_document_read(
	struct span_table *table, uint32_t origin, const struct span_document_from *from);

/* Chrome's events, one at a time, and what they are within each other once all are read. */
struct span_lanes {
	struct span_filler *filler;
	uint32_t *open; /* of each trace: the row that began last and has not ended, + 1 */
	size_t n_open;
	uint32_t first; /* row of this document */
	uint32_t origin;
	uint32_t pid; /* of the first event; 0: it has no number */
	int64_t last_ns;
	int64_t clock_ns; /* what their times begin at, since 1970 */
	bool used;
	bool has_clock;
};
/* Returns 0, -EINVAL for what is no event, or -ENOMEM. */
int span_lanes_event(struct span_lanes *lanes, const char *text, size_t len, uint64_t at);
/* Frees, too. */
void span_lanes_settle(struct span_lanes *lanes);

#endif
