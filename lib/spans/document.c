/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a document that is one large value of JSON read a piece at a time? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "spans/internal.h"

#define STEP_BYTES ((size_t)256 << 10)
#define CLOCK_KEY "\"beginningOfTime\""
#define LEVELS_MAX 6 /* of what is gone into: resourceSpans, scopeSpans, spans */

/* A document, and the part of it that is in memory. */
struct span_document {
	const struct span_document_from *from;
	struct span_table *table;
	struct span_filler filler;
	struct span_lanes lanes;
	enum span_form form;
	char *buffer;
	size_t at, len, room;
	uint64_t begin; /* of the buffer in the file */
	uint64_t origin;
	bool ended; /* nothing comes behind the buffer */
	int err;
};

/* What lists are gone into, and what their elements are. */
static const struct {
	const char *key;
	enum span_form form;
	bool of_spans;
} span_lists[] = {
	{"resourceSpans", SPAN_FORM_OTLP, false},
	{"scopeSpans", SPAN_FORM_OTLP, false},
	{"instrumentationLibrarySpans", SPAN_FORM_OTLP, false},
	{"data", SPAN_FORM_JAEGER, false},
	{"spans", SPAN_FORM_LINES, true},
	{"traceEvents", SPAN_FORM_CHROME, true},
};

/* Reads on. What was taken goes; a value that fills the buffer makes it larger. Returns false at
 * the end or at an error. */
static bool document_more(struct span_document *document)
{
	ssize_t got;

	if (document->ended || document->err)
		return false;
	if (document->from->progress &&
		!document->from->progress(document->from->arg,
			document->from->size
				? (double)document->begin / (double)document->from->size
				: 0)) {
		document->err = -ECANCELED;
		return false;
	}
	document->len -= document->at;
	memmove(document->buffer, document->buffer + document->at, document->len);
	document->begin += document->at;
	document->at = 0;
	if (document->len >= SPAN_LINE_MAX) {
		document->err = -EFBIG;
		return false;
	}
	if (document->room - document->len < STEP_BYTES) {
		document->room = 2 * document->room + STEP_BYTES;
		document->buffer = mem_realloc_array(document->buffer, document->room, 1);
	}
	got = pread(document->from->fd, document->buffer + document->len,
		document->room - document->len, (off_t)(document->begin + document->len));
	if (got < 0)
		document->err = -errno;
	document->ended = got <= 0;
	document->len += got > 0 ? (size_t)got : 0;
	return got > 0;
}

/* The next byte that is no blank, or 0. */
static char document_peek(struct span_document *document)
{
	do {
		while (document->at < document->len) {
			const char c = document->buffer[document->at];

			if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
				return c;
			document->at++;
		}
	} while (document_more(document));
	return 0;
}

/* Where nothing can be read on from. */
static bool document_break(struct span_document *document, bool is_cut, const char *why)
{
	if (!document->err) {
		document->err = -EINVAL;
		document->table->cut_off |= is_cut;
		document->table->bad += !is_cut;
		document->table->unended = why;
	}
	return false;
}

static bool document_pass(struct span_document *document, char wanted)
{
	const char c = document_peek(document);

	if (c != wanted)
		return document_break(document, !c, "it is no JSON from some place on");
	document->at++;
	return true;
}

/* The whole value that begins here, which is passed. It is valid until the next call. */
static bool document_value(struct span_document *document, struct json_text *value)
{
	struct json_scan scan;

	if (!document_peek(document))
		return document_break(document, true, NULL);
	do {
		json_begin(&scan, document->buffer + document->at, document->len - document->at);
		json_skip(&scan);
	} while (scan.err == -EAGAIN && document_more(document));
	if (scan.err)
		return document_break(
			document, scan.err == -EAGAIN, "it is no JSON from some place on");
	value->at = document->buffer + document->at;
	value->len = document->len - document->at - (size_t)(scan.end - scan.at);
	document->at += value->len;
	return true;
}

/* One element that is a span. */
static bool document_span(struct span_document *document)
{
	struct span_table *table = document->table;
	struct json_text value;
	struct span_line line;
	uint64_t at;
	int err = -EINVAL;

	if (!document_value(document, &value))
		return false;
	at = document->origin << SPAN_AT_BITS |
		(document->begin + (uint64_t)(value.at - document->buffer));
	if (document->form == SPAN_FORM_CHROME)
		err = span_lanes_event(&document->lanes, value.at, value.len, at);
	else if (span_line_read_as(document->form, value.at, value.len, &line))
		err = span_fill(&document->filler, &line, at);
	if (err == -EINVAL)
		table->bad++;
	else if (err)
		document->err = err;
	return !document->err;
}

static bool document_object(struct span_document *document, unsigned int level);

static bool document_list(struct span_document *document, bool of_spans, unsigned int level)
{
	bool good = document_pass(document, '[');
	char c;

	while (good && (c = document_peek(document)) != ']') {
		if (c == ',')
			document->at++;
		else if (!c)
			good = document_break(document, true, NULL);
		else if (c == '{' && !of_spans && level < LEVELS_MAX)
			good = document_object(document, level + 1);
		else
			good = document_span(document);
	}
	return good && document_pass(document, ']');
}

/* What a list of this key has, or -1 for one that nobody wants. */
static int document_list_of(const struct json_text *key)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(span_lists); i++)
		if (key->len == strlen(span_lists[i].key) + 2 &&
			!memcmp(key->at + 1, span_lists[i].key, key->len - 2))
			return (int)i;
	return -1;
}

/* What clang -ftime-trace adds: the time of day that its events begin at, in microseconds. */
static bool document_clock(struct span_document *document)
{
	struct json_text value;

	if (!document_value(document, &value))
		return false;
	document->lanes.has_clock =
		!span_decimal(value.at, value.len, 1000, &document->lanes.clock_ns);
	return true;
}

static bool document_object(struct span_document *document, unsigned int level)
{
	bool good = document_pass(document, '{'), is_clock;
	struct json_text key;
	char c;

	while (good && (c = document_peek(document)) != '}') {
		int list;

		if (c == ',') {
			document->at++;
			continue;
		}
		if (c != '"')
			return document_break(document, !c, "it is no JSON from some place on");
		if (!document_value(document, &key))
			return false;
		list = document_list_of(&key);
		is_clock = key.len == sizeof(CLOCK_KEY) - 1 && !memcmp(key.at, CLOCK_KEY, key.len);
		good = document_pass(document, ':');
		if (good && list >= 0 && document_peek(document) == '[') {
			if (span_lists[list].form != SPAN_FORM_LINES)
				document->form = span_lists[list].form;
			good = document_list(document, span_lists[list].of_spans, level);
		} else if (good && is_clock) {
			good = document_clock(document);
		} else if (good) {
			good = document_value(document, &key);
		}
	}
	return good && document_pass(document, '}');
}

/* Of a list without a key: whose form its first element has. */
static enum span_form document_form_of_list(struct span_document *document)
{
	const size_t look = document->len < 4096 ? document->len : 4096;

	return memmem(document->buffer, look, "\"ph\"", 4) ? SPAN_FORM_CHROME : SPAN_FORM_LINES;
}

static void document_walk(struct span_document *document)
{
	bool good = true;
	char c;

	/* One value, or one a line. */
	while (good && (c = document_peek(document))) {
		if (c == '[') {
			document->form = document_form_of_list(document);
			good = document_list(document, true, 0);
		} else {
			good = document_object(document, 0);
		}
	}
}

int span_document_read(
	struct span_table *table, uint32_t origin, const struct span_document_from *from)
{
	static const char *const names[] = {"JSON list", "OTLP", "Jaeger", "Chrome"};
	struct span_document document = {
		.from = from,
		.table = table,
		.filler = {.table = table},
		.lanes = {.first = table->n, .origin = origin},
		.form = SPAN_FORM_OTLP,
		.origin = origin,
	};
	int err;

	document.lanes.filler = &document.filler;
	document.room = STEP_BYTES;
	document.buffer = mem_alloc(document.room);
	document_walk(&document);
	span_lanes_settle(&document.lanes);
	table->format = names[document.form];
	free(document.buffer);
	err = document.err;
	if (err == -EFBIG) {
		table->bad++;
		table->unended = "one value in it is larger than 64 MiB";
	}
	return err == -EINVAL || err == -EFBIG ? 0 : err;
}
