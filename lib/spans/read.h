/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of spans, read into a table. What form a file has is seen in it:
 *
 *   NDJSON	an object a line. Keys: trace_id, span_id, parent_id (also traceId, parentSpanId,
 *		…), name, start (RFC 3339, or nanoseconds since 1970) and duration (nanoseconds), or
 *		end; fields.
 *   OTLP	resourceSpans of OpenTelemetry, one object or one a line
 *   Jaeger	data of traces of spans
 *   Chrome	traceEvents, or a list of them: X, B with E, b with e. Who is within whom in one
 *		thread is its parent; each thread is a trace.
 *		Where beginningOfTime says on which clock, as in clang's of -ftime-trace, that is
 *		added; what is summed up at their end is left out.
 *   ninja	.ninja_log: spans/ninja.h
 *
 * A file is never mapped, so that one that is cut meanwhile ends nobody, and what was read of it
 * takes no memory: 48 bytes a span.
 */
#ifndef TUESDAY_SPANS_READ_H
#define TUESDAY_SPANS_READ_H

#include <stdbool.h>
#include <stddef.h>

struct span_table;
struct str;

/* A longer line is a bad one. */
#define SPAN_LINE_MAX ((size_t)64 << 20)

/* How far it is, from 0 to 1. Returns false to end it. */
typedef bool span_progress(void *arg, double share);

/*
 * Adds the spans of an open file, which the table then owns; path is for messages. Two threads
 * read. Returns 0, -ENOEXEC where it is none of these forms, -ECANCELED, -ENOMEM, or -errno. Then
 * what was added is undefined, and the table is only to be freed.
 */
int spans_read(
	struct span_table *table, const char *path, int fd, span_progress *progress, void *arg);

/* The same of a text, which is copied, in this thread: for tests and pipes. */
int spans_read_text(struct span_table *table, const char *text, size_t len);

#endif
