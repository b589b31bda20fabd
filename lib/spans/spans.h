/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spans: what took how long, within what. A build or a request is a trace; each of its steps is a
 * span with a parent, but for the first one. Here is one span as a caller knows it, how it is
 * written as a line of JSON, and the table that very many of them lie in.
 *
 * A line is what OpenTelemetry's and Honeycomb's readers know, and what a program writes most
 * easily:
 *
 *	{"trace_id":"1","span_id":"a","parent_id":"","name":"cc","start":"2026-11-23T20:00:00Z",
 *	 "duration":1500000,"fields":{"exit":0}}
 *
 * duration is in nanoseconds. spans/read.h says which other forms are read.
 */
#ifndef TUESDAY_SPANS_SPANS_H
#define TUESDAY_SPANS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct str;

/* What is longer is cut, and counted in .cut of the table. */
#define SPAN_NAME_MAX 256
/* Nanoseconds from 1970 that a time is away from it: 146 years, so that no difference of two times
 * overflows. */
#define SPAN_TIME_MAX ((INT64_C(1) << 62) - 1)
#define SPAN_NONE UINT32_MAX /* no row, no name, no trace */
#define SPAN_AT_BITS 48	     /* of .at: the place in its origin; above them the origin's number */

/* One more thing that is known of a span. A number where text is NULL. */
struct span_field {
	const char *key;
	const char *text;
	double number;
};

/* One span, for whoever makes some. Nothing is kept of the texts. */
struct span {
	const char *trace;  /* the build or the request that it is a part of */
	const char *id;	    /* unique in its trace */
	const char *parent; /* the id of the span that it is a part of; NULL or "": none */
	const char *name;
	int64_t start_ns, end_ns; /* since 1970 */
	const struct span_field *fields;
	size_t n_fields;
};

/* Appends one line of JSON, with its newline. A process that is killed leaves at most one line that
 * is cut, where each is written by one write(2) in append mode. */
void span_write(struct str *out, const struct span *span);

/*
 * All spans in columns: row i of each array is one span. Names and traces are numbers into the
 * lists below. An id is 64 bits made of the trace's and the span's text, the same in every run;
 * two spans of one id are the same span twice.
 */
struct span_table {
	uint32_t n, room; /* rows */
	uint64_t *id;	  /* of the span in its trace */
	uint64_t *parent; /* 0: none */
	int64_t *start_ns;
	uint64_t *duration_ns;
	uint64_t *at; /* where its text begins: see span_table_text() */
	uint32_t *name, *trace;
	void *columns; /* that all lie in */
	size_t columns_bytes;

	struct span_text { /* in the arena, with a 0 behind it */
		const char *text;
		size_t len;
	} * names, *traces;
	uint32_t n_names, names_room, n_traces, traces_room;
	struct arena texts;
	struct span_index { /* of the two lists: an open hash table of numbers + 1 */
		uint32_t *slots;
		uint32_t size;
		uint64_t seed; /* another one in every process */
	} name_index, trace_index;

	/* The files that it was read from, and the lines that were made here. */
	struct span_origin {
		int fd;	    /* or -1 */
		char *path; /* NULL where there is no file */
		char *text; /* NULL where there is a file */
		size_t len, room;
	} * origins;
	uint32_t n_origins;
	uint32_t memory; /* the origin of lines that were made here, + 1 */

	/* Files that are about one clock or one process, which span_join() needs. */
	struct span_log {
		uint32_t first, end; /* rows */
		bool is_compiler;    /* of one run of clang -ftime-trace; else a log of ninja */
		uint32_t pid;	     /* of the compiler */
		uint32_t origin;     /* its file */
	} * logs;
	size_t n_logs, logs_room;
	uint32_t joined; /* of the compiler's: their job is known */

	uint64_t bad;	     /* lines or elements that are no span; not what is blank */
	uint64_t cut;	     /* names that were too long */
	bool cut_off;	     /* the last line of a file had no end: it may still be written */
	uint64_t other;	     /* elements that are no span by right: Chrome's counters and marks */
	uint64_t earlier;    /* jobs in logs of ninja that are of builds before the last one */
	uint64_t bytes;	     /* that were read */
	const char *format;  /* of the last file: "NDJSON", "OTLP", "Jaeger", "Chrome", … */
	const char *unended; /* why reading a file ended early, or NULL */
};

/* All zero is an empty table. */
void span_table_free(struct span_table *table);

/* Adds one span that was made here. Returns 0, -ENOMEM where the table is full, or -EINVAL where it
 * ends before it starts or is beyond SPAN_TIME_MAX. */
int span_table_add(struct span_table *table, const struct span *span);

/*
 * Appends the JSON text of a row, as its file has it, at most most_bytes of it: what was read of it
 * is no longer in memory. Returns 0 or -errno; -ESTALE where the file has become another one, and
 * -E2BIG where it is longer.
 */
int span_table_text(
	const struct span_table *table, uint32_t row, size_t most_bytes, struct str *out);

/* The last five are for what reads files into tables. */

/* Room for so many rows, where the kernel gives pages only as they are filled. Returns 0 or
 * -ENOMEM. */
int span_table_reserve(struct span_table *table, size_t rows);
/* The number of a name or a trace, which is added where it is new. */
uint32_t span_table_name(struct span_table *table, const char *text, size_t len);
uint32_t span_table_trace(struct span_table *table, const char *text, size_t len);
/* The number of an origin that was added; the path is copied. */
uint32_t span_table_origin(struct span_table *table, const char *path, int fd);

void span_table_log(struct span_table *table, const struct span_log *log);

/* 64 bits that stand for a text, the same in every run; never 0. */
uint64_t span_hash(uint64_t seed, const char *text, size_t len);

#endif
