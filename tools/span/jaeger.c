/* SPDX-License-Identifier: GPL-2.0-only */
/* Which traces open Jaeger's page best, and how do they stand there? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "tools/span/jaeger.h"
#include "tools/span/rewrite.h"

#define TEXT_MOST ((size_t)256 << 10)

struct jaeger_trace {
	uint64_t ns; /* of its longest root */
	uint32_t trace;
};

static int jaeger_order(const void *a, const void *b)
{
	const struct jaeger_trace *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns > right->ns ? -1 : 1;
	return left->trace < right->trace ? -1 : left->trace > right->trace;
}

static struct jaeger_trace *jaeger_ranked(const struct span_analysis *analysis)
{
	const uint32_t n = analysis->table->n_traces;
	struct jaeger_trace *traces = mem_zalloc(((size_t)n + 1) * sizeof(*traces));
	uint32_t i;

	for (i = 0; i < n; i++)
		traces[i].trace = i;
	for (i = 0; i < analysis->n_roots; i++) {
		const struct span_root *root = &analysis->roots[i];
		const uint64_t ns = (uint64_t)(root->end_ns - root->start_ns);

		if (ns > traces[root->trace].ns)
			traces[root->trace].ns = ns;
	}
	qsort(traces, n, sizeof(*traces), jaeger_order);
	return traces;
}

/* None where its text is longer, or can no longer be read. */
static void jaeger_write_tags(struct str *out, const struct span_table *table, uint32_t row)
{
	struct str text = STR_INIT;

	if (span_table_text(table, row, TEXT_MOST, &text))
		str_add(out, "[]");
	else
		span_rewrite_tags(out, str_text(&text), text.len);
	str_free(&text);
}

/* Its ids are hexadecimal: ours are 64 bits made of those in the file. */
static void jaeger_write_span(
	struct str *out, const struct span_tree *tree, uint32_t node, uint64_t trace_id)
{
	const struct span_table *table = tree->table;
	const uint32_t row = tree->row[node], parent = tree->parent[node];
	const int64_t start = table->start_ns[row];

	str_addf(out,
		"{\"traceID\":\"%016" PRIx64 "\",\"spanID\":\"%016" PRIx64
		"\",\"operationName\":\"",
		trace_id, table->id[row] ? table->id[row] : row + UINT64_C(1));
	escape_json(out, table->names[table->name[row]].text);
	str_add(out, "\",\"references\":[");
	if (parent != SPAN_NONE)
		str_addf(out,
			"{\"refType\":\"CHILD_OF\",\"traceID\":\"%016" PRIx64
			"\",\"spanID\":\"%016" PRIx64 "\"}",
			trace_id, table->id[tree->row[parent]]);
	str_addf(out,
		"],\"startTime\":%" PRId64 ",\"duration\":%" PRIu64 ",\"tags\":", start / 1000,
		table->duration_ns[row] / 1000);
	jaeger_write_tags(out, table, row);
	str_add(out, ",\"logs\":[],\"processID\":\"p1\"}");
}

static void jaeger_write_trace(struct str *out, const struct span_analysis *analysis,
	const struct span_tree *tree, uint32_t trace)
{
	const struct span_text *text = &analysis->table->traces[trace];
	const uint64_t id = span_hash(0, text->text, text->len);
	uint32_t i;

	str_addf(out, "{\"traceID\":\"%016" PRIx64 "\",\"spans\":[", id);
	for (i = 0; i < tree->n; i++) {
		str_add(out, i ? ",\n" : "\n");
		jaeger_write_span(out, tree, tree->order[i], id);
	}
	str_add(out,
		"],\"processes\":{\"p1\":{\"serviceName\":\"build\",\"tags\":[{\"key\":\"trace\","
		"\"type\":\"string\",\"value\":\"");
	escape_json(out, text->text);
	str_add(out, "\"}]}}}");
}

int span_to_jaeger(const struct span_analysis *analysis, FILE *to, size_t most_bytes,
	struct span_converted *converted)
{
	struct jaeger_trace *traces = jaeger_ranked(analysis);
	struct span_tree tree = {0};
	size_t bytes = 0;
	uint32_t i;
	int err = 0;

	*converted = (struct span_converted){0};
	fputs("{\"data\":[", to);
	for (i = 0; i < analysis->table->n_traces && !err; i++) {
		struct str out = STR_INIT;

		span_analysis_tree(analysis, traces[i].trace, &tree);
		jaeger_write_trace(&out, analysis, &tree, traces[i].trace);
		if (bytes && bytes + out.len > most_bytes) {
			str_free(&out);
			break;
		}
		fputs(i ? ",\n" : "\n", to);
		fwrite(out.text, 1, out.len, to);
		bytes += out.len;
		converted->written += tree.n;
		str_free(&out);
		if (ferror(to))
			err = errno ? -errno : -EIO;
		else if (progress_interrupted())
			err = -ECANCELED;
	}
	fputs("]}\n", to);
	converted->dropped = analysis->table->n - analysis->faults.duplicates - converted->written;
	free(traces);
	span_tree_free(&tree);
	return err;
}
