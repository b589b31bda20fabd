/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any file of spans break what reads it, do the two readers of a line differ, and are critical
 * paths as long as their roots whatever a file says? The reader that the fast one is held to asks
 * base/json_read for every piece.
 */
#include "base/banned.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "spans/analysis.h"
#include "spans/fields.h"
#include "spans/line.h"
#include "spans/read.h"
#include "spans/stages.h"
#include "tools/span/rewrite.h"

#define SIZE_MOST 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool same_text(const struct json_text *a, const struct json_text *b)
{
	return a->at == b->at && a->len == b->len && a->escaped == b->escaped;
}

/* Line by line, with a reader that learns from each. */
static void compare_readers(const char *text, size_t size)
{
	struct span_line_reader reader = {0};
	size_t done = 0;

	while (done < size) {
		const char *line = text + done, *newline = memchr(line, '\n', size - done);
		const size_t len = newline ? (size_t)(newline - line) : size - done;
		struct span_line slow, fast;
		const bool is_slow = span_line_read(line, len, &slow);

		require(span_line_scan(&reader, line, len, &fast) == is_slow);
		if (is_slow)
			require(slow.start_ns == fast.start_ns &&
				slow.duration_ns == fast.duration_ns &&
				same_text(&slow.trace, &fast.trace) &&
				same_text(&slow.id, &fast.id) &&
				same_text(&slow.parent, &fast.parent) &&
				same_text(&slow.name, &fast.name));
		done += len + 1;
	}
}

static void require_sums(const struct span_analysis *analysis)
{
	uint64_t path = 0, build = analysis->idle_ns, count = 0;
	uint32_t i;

	for (i = 0; i < analysis->table->n_names; i++) {
		path += analysis->names[i].path_ns;
		build += analysis->names[i].build_ns;
		count += analysis->names[i].count;
	}
	require(path == analysis->path_ns);
	require(build == span_analysis_wall(analysis));
	require(count + analysis->faults.duplicates == analysis->table->n);
}

/* What is handed on is JSON to the letter, printable, and on one line. */
static void require_rewritten(const struct span_table *table, uint32_t row)
{
	struct str text = STR_INIT, out = STR_INIT, again = STR_INIT;
	struct json_scan scan;
	size_t i;

	if (!span_table_text(table, row, SIZE_MOST, &text)) {
		span_rewrite_fields(&out, str_text(&text), text.len);
		for (i = 0; i < out.len; i++)
			require((unsigned char)out.text[i] >= ' ');
		json_begin(&scan, str_text(&out), out.len);
		json_skip(&scan);
		require(!scan.err && scan.at == scan.end);
		/* Written once more it is the same. */
		str_add(&again, "{\"fields\":");
		str_add(&again, str_text(&out));
		str_addc(&again, '}');
		str_clear(&text);
		span_rewrite_fields(&text, str_text(&again), again.len);
		require(!strcmp(str_text(&text), str_text(&out)));
		str_clear(&out);
		span_rewrite_tags(&out, str_text(&again), again.len);
		json_begin(&scan, str_text(&out), out.len);
		json_skip(&scan);
		require(!scan.err && scan.at == scan.end);
	}
	str_free(&text);
	str_free(&out);
	str_free(&again);
}

static void analyse(const char *text, size_t size)
{
	struct span_table table = {0};
	struct span_analysis analysis;
	struct span_stages stages;
	struct str value = STR_INIT;

	if (!spans_read_text(&table, text, size)) {
		span_analyse(&analysis, &table);
		require_sums(&analysis);
		span_stages_default(&stages);
		span_stages_share(&stages, &analysis);
		if (table.n) {
			span_field_text(&table, table.n - 1, "a.b", &value);
			require_rewritten(&table, table.n - 1);
		}
		span_stages_free(&stages);
		span_analysis_free(&analysis);
	}
	span_table_free(&table);
	str_free(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > SIZE_MOST)
		return 0;
	text = calloc(1, size + SPAN_LINE_PAD);
	if (!text)
		abort();
	memcpy(text, data, size);
	compare_readers(text, size);
	analyse(text, size);
	free(text);
	return 0;
}
