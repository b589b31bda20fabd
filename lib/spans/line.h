/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One span as an object of JSON, taken apart in place. There are two readers: one that asks
 * base/json_read for every piece, and a fast one for what most lines look like, which gives up
 * wherever it is not sure. Both give the same for every text; tests/fuzz/spans.c sees to it.
 */
#ifndef TUESDAY_SPANS_LINE_H
#define TUESDAY_SPANS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_read.h"

/* So many bytes behind a text may be looked at by the fast reader: they must be there. */
#define SPAN_LINE_PAD 64
#define SPAN_KEYS 16 /* of an object: their order is foretold by the line before */

/* What a key of a span means. */
enum span_key {
	SPAN_KEY_OTHER,
	SPAN_KEY_TRACE,
	SPAN_KEY_ID,
	SPAN_KEY_PARENT,
	SPAN_KEY_NAME,
	SPAN_KEY_START,
	SPAN_KEY_END,
	SPAN_KEY_DURATION,
};

/* Pieces of the line, without quotes, escapes not undone; .at is NULL for what it does not have. */
struct span_line {
	struct json_text trace, id, parent, name;
	int64_t start_ns;
	uint64_t duration_ns;
};

/* What one line says about the next. All zero to begin with; each thread has its own. */
struct span_line_reader {
	struct span_line_key {
		char text[32]; /* with its quotes, the colon and a blank */
		unsigned char len;
		enum span_key means;
		int64_t unit_ns; /* of a number */
	} keys[SPAN_KEYS];
	char hour[14]; /* "2026-11-23T20:", whose beginning is hour_ns; 0: none */
	int64_t hour_ns;
};

/* Whether the text is a span. Spans that end before they start, have no name or whose numbers have
 * no room in their types are none. */
bool span_line_read(const char *text, size_t len, struct span_line *line);

/* The same of an element of another form: Jaeger counts in microseconds and has references. */
enum span_form { SPAN_FORM_LINES, SPAN_FORM_OTLP, SPAN_FORM_JAEGER, SPAN_FORM_CHROME };
bool span_line_read_as(enum span_form form, const char *text, size_t len, struct span_line *line);

/* The same as span_line_read(), and fast. SPAN_LINE_PAD bytes behind the text can be read. */
bool span_line_scan(
	struct span_line_reader *reader, const char *text, size_t len, struct span_line *line);

/* What a key means, and of what unit a number there is, in nanoseconds; 0: seconds where it has a
 * fraction, else nanoseconds. */
enum span_key span_key_of(const char *key, size_t len, int64_t *unit_ns);

/* A time of RFC 3339 as nanoseconds since 1970. Returns 0 or -EINVAL. */
int span_time(const char *text, size_t len, int64_t *ns);
/* A decimal number of units as nanoseconds; what is finer is cut. unit_ns is as span_key_of() has
 * it. Returns 0 or -EINVAL, or -ERANGE. */
int span_decimal(const char *text, size_t len, int64_t unit_ns, int64_t *ns);

#endif
