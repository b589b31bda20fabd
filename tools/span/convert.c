/* SPDX-License-Identifier: GPL-2.0-only */
/* How do spans stand in the files that viewers open? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "tools/span/convert.h"
#include "tools/span/rewrite.h"

#define LOOK 4096      /* spans between two looks at whether somebody wants it to end */
#define SLICE_BYTES 60 /* of an event, but for its name and its fields */
#define TEXT_MOST ((size_t)256 << 10)
#define SAMPLED 256 /* spans whose length is measured, to foretell that of all */

/* A span as it will be drawn. */
struct convert_slice {
	int64_t start_ns, end_ns; /* clipped to the parent */
	uint32_t row, parent;	  /* parent: a row, or SPAN_NONE */
	uint32_t depth;
};

/* A row of the picture. Free ones are in a heap, the one that is free first on top. */
struct convert_lane {
	int64_t busy_until;
	uint32_t number;
};

struct convert {
	const struct span_analysis *analysis;
	struct convert_slice *slices;
	size_t n, room;
	uint32_t *lane; /* of each row that was drawn */
	int64_t *until; /* of each row: when the last child on its lane ends */
	struct convert_lane *heap;
	size_t n_lanes, lanes_room;
	FILE *to;
};

static void convert_collect(struct convert *convert)
{
	const struct span_analysis *analysis = convert->analysis;
	struct span_tree tree = {0};
	uint32_t trace, i, *depth = NULL, depth_room = 0;

	for (trace = 0; trace < analysis->table->n_traces; trace++) {
		span_analysis_tree(analysis, trace, &tree);
		if (tree.n > depth_room) {
			depth_room = tree.n;
			depth = mem_realloc_array(depth, depth_room, sizeof(*depth));
		}
		for (i = 0; i < tree.n; i++) {
			const uint32_t node = tree.order[i], parent = tree.parent[node];

			depth[node] = parent == SPAN_NONE ? 0 : depth[parent] + 1;
			ARRAY_GROW(convert->slices, convert->n, convert->room);
			convert->slices[convert->n++] = (struct convert_slice){tree.start_ns[node],
				tree.end_ns[node], tree.row[node],
				parent == SPAN_NONE ? SPAN_NONE : tree.row[parent], depth[node]};
		}
	}
	free(depth);
	span_tree_free(&tree);
}

/* What begins first, and of those what is around the others. */
static int convert_order(const void *a, const void *b)
{
	const struct convert_slice *left = a, *right = b;

	if (left->start_ns != right->start_ns)
		return left->start_ns < right->start_ns ? -1 : 1;
	if (left->depth != right->depth)
		return left->depth < right->depth ? -1 : 1;
	if (left->end_ns != right->end_ns)
		return left->end_ns > right->end_ns ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

/* The bytes that a span takes on average. */
static size_t convert_size(const struct span_analysis *analysis)
{
	const struct span_table *table = analysis->table;
	struct str text = STR_INIT, fields = STR_INIT;
	const uint32_t step = table->n / SAMPLED + 1;
	size_t bytes = 0, n = 0;
	uint32_t i;

	for (i = 0; i < table->n; i += step, n++) {
		str_clear(&text);
		str_clear(&fields);
		if (!span_table_text(table, i, TEXT_MOST, &text))
			span_rewrite_fields(&fields, str_text(&text), text.len);
		bytes += SLICE_BYTES + 2 * table->names[table->name[i]].len / 2 + fields.len;
	}
	str_free(&text);
	str_free(&fields);
	return n ? bytes / n + 40 : 100;
}

/* Leaves out the shortest. Returns how many. */
static uint64_t convert_cap(struct convert *convert, size_t most_bytes)
{
	const size_t most = most_bytes / convert_size(convert->analysis) + 1;
	uint64_t *lengths, shortest;
	size_t i, kept = 0, rank, ties;

	if (convert->n <= most)
		return 0;
	lengths = mem_realloc_array(NULL, convert->n, sizeof(*lengths));
	for (i = 0; i < convert->n; i++)
		lengths[i] = (uint64_t)(convert->slices[i].end_ns - convert->slices[i].start_ns);
	rank = convert->n - most;
	span_select(lengths, convert->n, &rank, 1, &shortest);
	for (i = rank, ties = 0; i < convert->n; i++)
		ties += lengths[i] == shortest;
	free(lengths);
	for (i = 0; i < convert->n; i++) {
		const struct convert_slice slice = convert->slices[i];
		const uint64_t length = (uint64_t)(slice.end_ns - slice.start_ns);

		if (length < shortest || (length == shortest && !ties))
			continue;
		ties -= length == shortest;
		convert->slices[kept++] = slice;
	}
	i = convert->n - kept;
	convert->n = kept;
	return i;
}

static void convert_heap_down(struct convert *convert, size_t at)
{
	struct convert_lane *heap = convert->heap;

	for (;;) {
		const size_t left = 2 * at + 1, right = left + 1;
		size_t least = at;
		struct convert_lane swap;

		if (left < convert->n_lanes && heap[left].busy_until < heap[least].busy_until)
			least = left;
		if (right < convert->n_lanes && heap[right].busy_until < heap[least].busy_until)
			least = right;
		if (least == at)
			return;
		swap = heap[at];
		heap[at] = heap[least];
		heap[least] = swap;
		at = least;
	}
}

/* A lane on which nothing is then, until the slice ends. */
static uint32_t convert_take_lane(struct convert *convert, const struct convert_slice *slice)
{
	size_t at;

	if (convert->n_lanes && convert->heap[0].busy_until <= slice->start_ns) {
		const uint32_t number = convert->heap[0].number;

		convert->heap[0].busy_until = slice->end_ns;
		convert_heap_down(convert, 0);
		return number;
	}
	ARRAY_GROW(convert->heap, convert->n_lanes, convert->lanes_room);
	at = convert->n_lanes++;
	convert->heap[at] = (struct convert_lane){slice->end_ns, (uint32_t)convert->n_lanes};
	for (; at && convert->heap[(at - 1) / 2].busy_until > convert->heap[at].busy_until;
		at = (at - 1) / 2) {
		const struct convert_lane swap = convert->heap[at];

		convert->heap[at] = convert->heap[(at - 1) / 2];
		convert->heap[(at - 1) / 2] = swap;
	}
	return (uint32_t)convert->n_lanes;
}

/* On the parent's lane where no other child of it is there then; the parent comes first. */
static uint32_t convert_lane_of(struct convert *convert, const struct convert_slice *slice)
{
	const uint32_t parent = slice->parent;
	uint32_t lane = parent == SPAN_NONE ? 0 : convert->lane[parent];

	if (lane && convert->until[parent] <= slice->start_ns)
		convert->until[parent] = slice->end_ns;
	else
		lane = convert_take_lane(convert, slice);
	convert->lane[slice->row] = lane;
	convert->until[slice->row] = INT64_MIN;
	return lane;
}

static void convert_write_slice(
	struct convert *convert, const struct convert_slice *slice, uint32_t lane)
{
	const struct span_table *table = convert->analysis->table;
	const uint64_t start = (uint64_t)(slice->start_ns - convert->analysis->start_ns),
		       length = (uint64_t)(slice->end_ns - slice->start_ns);
	struct str out = STR_INIT, text = STR_INIT;

	str_add(&out, ",\n{\"name\":\"");
	escape_json(&out, table->names[table->name[slice->row]].text);
	str_addf(&out,
		"\",\"ph\":\"X\",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"dur\":%" PRIu64 ".%03" PRIu64
		",\"pid\":1,\"tid\":%" PRIu32 ",\"args\":",
		start / 1000, start % 1000, length / 1000, length % 1000, lane);
	if (span_table_text(table, slice->row, TEXT_MOST, &text))
		str_add(&out, "{}");
	else
		span_rewrite_fields(&out, str_text(&text), text.len);
	str_addc(&out, '}');
	fwrite(out.text, 1, out.len, convert->to);
	str_free(&out);
	str_free(&text);
}

static int convert_write_all(struct convert *convert)
{
	size_t i;
	int err = 0;

	for (i = 0; i < convert->n && !err; i++) {
		convert_write_slice(convert, &convert->slices[i],
			convert_lane_of(convert, &convert->slices[i]));
		if (i % LOOK)
			continue;
		progress_show("writing spans:", (double)i / (double)convert->n);
		if (progress_interrupted())
			err = -ECANCELED;
		else if (ferror(convert->to))
			err = errno ? -errno : -EIO;
	}
	progress_end();
	return err;
}

int span_to_chrome(const struct span_analysis *analysis, FILE *to, size_t most_bytes,
	struct span_converted *converted)
{
	struct convert convert = {.analysis = analysis, .to = to};
	int err;

	convert_collect(&convert);
	converted->dropped = convert_cap(&convert, most_bytes);
	if (convert.n)
		qsort(convert.slices, convert.n, sizeof(*convert.slices), convert_order);
	convert.lane = mem_zalloc(((size_t)analysis->table->n + 1) * sizeof(*convert.lane));
	convert.until = mem_zalloc(((size_t)analysis->table->n + 1) * sizeof(*convert.until));
	fprintf(to,
		"{\"displayTimeUnit\":\"ms\",\"otherData\":{\"spans\":%zu,\"dropped\":%" PRIu64
		",\"written_by\":\"tuesday\"},\n\"traceEvents\":[\n{\"name\":\"process_name\","
		"\"ph\":\"M\","
		"\"pid\":1,\"tid\":0,\"args\":{\"name\":\"build\"}}",
		convert.n, converted->dropped);
	err = convert_write_all(&convert);
	fputs("\n]}\n", to);
	converted->written = convert.n;
	converted->lanes = convert.n_lanes;
	free(convert.slices);
	free(convert.lane);
	free(convert.until);
	free(convert.heap);
	return err;
}
