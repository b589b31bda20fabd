/* SPDX-License-Identifier: GPL-2.0-only */
/* What is within one trace? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "spans/fields.h"
#include "tools/span/text.h"
#include "tools/span/zoom.h"

#define INDENT_MOST 30
#define SHORT_PART 100
#define NAME_COLUMNS_MOST 40
#define FIELDS_COLUMNS 200
#define FIELDS_TEXT ((size_t)64 << 10)

struct zoom {
	struct str *out;
	const struct span_analysis *analysis;
	struct span_tree tree;
	uint64_t *path; /* of each node */
	uint32_t top;	/* what is around all that is shown */
	size_t shown, most;
};

static void zoom_add_piece(
	void *arg, const struct span_tree *tree, uint32_t node, int64_t from_ns, int64_t to_ns)
{
	struct zoom *zoom = arg;

	(void)tree;
	zoom->path[node] += (uint64_t)(to_ns - from_ns);
}

static void zoom_write_line(struct zoom *zoom, uint32_t node, size_t depth)
{
	const struct span_tree *tree = &zoom->tree;
	const struct span_table *table = tree->table;
	const int64_t whole = tree->end_ns[zoom->top] - tree->start_ns[zoom->top];
	const uint32_t row = tree->row[node];
	size_t i;

	str_add(zoom->out, zoom->path[node] ? "* " : "  ");
	for (i = 0; i < depth && i < INDENT_MOST; i++)
		str_add(zoom->out, "  ");
	escape_terminal_cut(zoom->out, table->names[table->name[row]].text, NAME_COLUMNS_MOST);
	str_add(zoom->out, "  ");
	span_write_time(zoom->out, (double)table->duration_ns[row]);
	str_add(zoom->out, ", after ");
	span_write_time(zoom->out, (double)(tree->start_ns[node] - tree->start_ns[zoom->top]));
	if (zoom->path[node] && whole)
		str_addf(zoom->out, ", %.1f %% of the path",
			100 * (double)zoom->path[node] / (double)whole);
	str_addc(zoom->out, '\n');
}

/* Of a large tree only what took a hundredth of it is shown, and its critical path. */
static bool zoom_is_short(const struct zoom *zoom, uint32_t node)
{
	const struct span_tree *tree = &zoom->tree;
	const int64_t whole = tree->end_ns[zoom->top] - tree->start_ns[zoom->top];

	return tree->n > zoom->most && !zoom->path[node] &&
		tree->end_ns[node] - tree->start_ns[node] < whole / SHORT_PART;
}

/* Down the tree without a call for each level: the next sibling is found from the parent. */
static void zoom_write_tree(struct zoom *zoom)
{
	const struct span_tree *tree = &zoom->tree;
	size_t room = 64, n = 1, left_out = 0;
	struct zoom_at {
		uint32_t node;
		size_t depth;
	} *stack = mem_realloc_array(NULL, room, sizeof(*stack));

	stack[0] = (struct zoom_at){zoom->top, 0};
	while (n) {
		const struct zoom_at at = stack[--n];
		const uint32_t first = tree->first[at.node],
			       children = tree->first[at.node + 1] - first;
		uint32_t i;

		if (zoom->shown == zoom->most || zoom_is_short(zoom, at.node)) {
			left_out++;
			if (!zoom->path[at.node])
				continue;
		} else {
			zoom_write_line(zoom, at.node, at.depth);
			zoom->shown++;
		}
		while (room - n < children) {
			room *= 2;
			stack = mem_realloc_array(stack, room, sizeof(*stack));
		}
		/* The last one ends last, and is shown last. */
		for (i = 0; i < children; i++)
			stack[n++] = (struct zoom_at){tree->child[first + i], at.depth + 1};
	}
	if (left_out)
		str_addf(zoom->out,
			"  and %zu more, shorter than a hundredth or beyond --top, with what is "
			"within them\n",
			left_out);
	free(stack);
}

static void zoom_write_fields(struct zoom *zoom)
{
	struct str text = STR_INIT, fields = STR_INIT;

	if (!span_table_text(zoom->tree.table, zoom->tree.row[zoom->top], FIELDS_TEXT, &text)) {
		span_fields_add(&fields, str_text(&text), text.len);
		str_add(zoom->out, "Fields: ");
		escape_terminal_cut(zoom->out, str_text(&fields), FIELDS_COLUMNS);
		str_addc(zoom->out, '\n');
	}
	str_free(&text);
	str_free(&fields);
}

/* The first trace that has this id, be it of a trace or of a span; SPAN_NONE. */
static uint32_t zoom_find_trace(
	const struct span_analysis *analysis, const char *trace, const char *span)
{
	const struct span_table *table = analysis->table;
	uint32_t i, k;

	for (i = 0; i < table->n_traces; i++) {
		const uint64_t seed = span_hash(0, table->traces[i].text, table->traces[i].len);
		const uint64_t id = span ? span_hash(seed, span, strlen(span)) : 0;

		if (trace && strcmp(table->traces[i].text, trace) != 0)
			continue;
		for (k = analysis->first[i]; span && k < analysis->first[i + 1]; k++)
			if (table->id[analysis->rows[k]] == id)
				return i;
		if (!span)
			return i;
	}
	return SPAN_NONE;
}

/* The node of a span, or of the longest root. */
static uint32_t zoom_find_top(const struct span_tree *tree, uint32_t trace, const char *span)
{
	const struct span_table *table = tree->table;
	const uint64_t seed = span_hash(0, table->traces[trace].text, table->traces[trace].len);
	const uint64_t id = span ? span_hash(seed, span, strlen(span)) : 0;
	uint32_t top = SPAN_NONE, i;
	int64_t longest = -1;

	for (i = 0; i < tree->n; i++) {
		const int64_t length = tree->end_ns[i] - tree->start_ns[i];

		if (span && table->id[tree->row[i]] == id)
			return i;
		if (tree->parent[i] == SPAN_NONE && length > longest) {
			longest = length;
			top = i;
		}
	}
	return top;
}

int span_write_zoom(struct str *out, const struct span_analysis *analysis, const char *trace,
	const char *span, size_t most)
{
	struct zoom zoom = {.out = out, .analysis = analysis, .most = most};
	const uint32_t number = zoom_find_trace(analysis, trace, span);
	uint32_t roots;

	if (number == SPAN_NONE)
		return -ENOENT;
	span_analysis_tree(analysis, number, &zoom.tree);
	zoom.top = zoom_find_top(&zoom.tree, number, span);
	zoom.path = mem_zalloc(((size_t)zoom.tree.n + 1) * sizeof(*zoom.path));
	roots = zoom.tree.first[zoom.tree.n + 1] - zoom.tree.first[zoom.tree.n];
	span_tree_path(&zoom.tree, zoom.top, zoom_add_piece, &zoom);
	str_add(out, "Trace ");
	escape_terminal_cut(out, analysis->table->traces[number].text, 80);
	str_addf(out, ", %" PRIu32 " spans. * is on the critical path, with its own share.\n",
		zoom.tree.n);
	if (!span && roots > 1)
		str_addf(out, "It has %" PRIu32 " roots; the longest is shown.\n", roots);
	zoom_write_tree(&zoom);
	zoom_write_fields(&zoom);
	free(zoom.path);
	span_tree_free(&zoom.tree);
	return 0;
}
