/* SPDX-License-Identifier: GPL-2.0-only */
/* How does an analysis stand in JSON, and as folded stacks? */
#include "base/banned.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "spans/stages.h"
#include "tools/span/holder.h"
#include "tools/span/json.h"
#include "tools/span/text.h"
#include "tools/span/while.h"
#include "tools/span/while_text.h"

#define FRAMES_MAX 512			/* what is deeper is left out at its root's side */
#define FOLDED_BYTES ((size_t)64 << 20) /* of stacks; the rest is one without its frames */
#define FOLDED_REST "(more stacks than fit)"

static void span_json_data(struct json_writer *json, const struct span_analysis *analysis)
{
	const struct span_table *table = analysis->table;

	json_open(json, "data", '{');
	json_write_text(json, "format", table->format);
	json_write_count(json, "spans", table->n);
	json_write_count(json, "traces", analysis->n_traces);
	json_write_count(json, "bytes", table->bytes);
	json_write_count(json, "bad_lines", table->bad);
	json_write_count(json, "orphans", analysis->faults.orphans);
	json_write_count(json, "outside", analysis->faults.outside);
	json_write_count(json, "shifted", analysis->faults.shifted);
	json_write_count(json, "circles", analysis->faults.circles);
	json_write_count(json, "duplicates", analysis->faults.duplicates);
	json_write_number(json, "wrong_ratio", span_analysis_wrong(analysis));
	json_write_if(json, "cut_off", table->cut_off);
	if (table->n_logs) {
		json_write_count(json, "joined", table->joined);
		json_write_count(json, "earlier_jobs", table->earlier);
	}
	json_close(json);
}

static void span_json_jobs(struct json_writer *json, const struct span_analysis *analysis)
{
	const struct span_concurrency *jobs = &analysis->jobs;
	size_t part;

	json_open(json, "jobs", '{');
	json_write_count(json, "count", jobs->jobs);
	json_write_count(json, "peak", jobs->peak);
	json_write_number(json, "mean", jobs->mean);
	json_write_number(json, "straggled_ratio", jobs->straggled);
	json_write_number(json, "level_ratio", jobs->level);
	json_write_count(json, "longest_ns", jobs->longest_ns);
	json_open(json, "course", '[');
	for (part = 0; jobs->jobs && part < SPAN_COURSE_PARTS; part++)
		json_write_number(json, NULL, jobs->course[part]);
	json_close(json);
	json_close(json);
}

static void span_json_sum(
	struct json_writer *json, const struct span_analysis *analysis, uint32_t name)
{
	const struct span_sum *sum = &analysis->names[name];

	json_open(json, NULL, '{');
	json_write_string(json, "name", analysis->table->names[name].text);
	json_write_count(json, "count", sum->count);
	json_write_count(json, "sum_ns", sum->sum_ns);
	json_write_count(json, "self_ns", sum->self_ns);
	json_write_count(json, "path_ns", sum->path_ns);
	json_write_count(json, "build_ns", sum->build_ns);
	json_write_count(json, "p50_ns", sum->p50_ns);
	json_write_count(json, "p95_ns", sum->p95_ns);
	json_write_count(json, "p99_ns", sum->p99_ns);
	json_write_count(json, "longest_ns", sum->most_ns);
	json_close(json);
}

/* Absent where too many spans are wrong, or none has a duration. */
static void span_json_holds(struct json_writer *json, const struct span_analysis *analysis,
	const struct span_holder *holder, const struct span_while *run)
{
	if (!holder->believed || !holder->n)
		return;
	json_open(json, "holds", '{');
	if (holder->name != SPAN_NONE)
		json_write_string(json, "name", analysis->table->names[holder->name].text);
	json_write_count(json, "build_ns", holder->ns);
	if (run)
		span_while_json_meanwhile(json, run, holder);
	json_close(json);
}

void span_write_json(struct str *out, const struct span_analysis *analysis,
	const struct span_stages *stages, size_t top, const struct span_holder *holder,
	const struct span_while *run)
{
	uint32_t *ranked = span_ranked(analysis);
	struct json_writer json;
	size_t i;

	json_start(&json, out);
	json_write_string(&json, "schema", "tuesday-spans/1");
	span_json_data(&json, analysis);
	json_write_count(&json, "wall_ns", span_analysis_wall(analysis));
	json_write_count(&json, "idle_ns", analysis->idle_ns);
	json_write_count(&json, "assumed_order", analysis->assumed);
	json_write_count(&json, "paths_ns", analysis->path_ns);
	span_json_holds(&json, analysis, holder, run);
	span_json_jobs(&json, analysis);
	json_open(&json, "names", '[');
	for (i = 0; i < analysis->table->n_names && i < top; i++)
		span_json_sum(&json, analysis, ranked[i]);
	json_close(&json);
	json_open(&json, "stages", '[');
	for (i = 0; i < stages->n; i++) {
		json_open(&json, NULL, '{');
		json_write_string(&json, "stage", stages->list[i].name);
		json_write_bool(&json, "productive", stages->list[i].productive);
		json_write_count(&json, "build_ns", stages->list[i].build_ns);
		json_close(&json);
	}
	json_close(&json);
	if (run)
		span_while_json(&json, run);
	json_finish(&json);
	free(ranked);
}

/* Frames of one piece of the path: names on the way down to it. */
struct span_folding {
	struct span_stack {
		char *frames;
		uint64_t ns;
	} * stacks;
	size_t n, room, bytes;
	uint64_t rest_ns;
};

/* A frame ends at ; and a stack at its last blank. */
static void span_fold_frame(struct str *out, const char *name)
{
	for (; *name; name++)
		str_addc(out, *name == ';' ? ':' : (unsigned char)*name < ' ' ? '?' : *name);
}

static void span_fold_piece(
	void *arg, const struct span_tree *tree, uint32_t node, int64_t from_ns, int64_t to_ns)
{
	struct span_folding *folding = arg;
	uint32_t frames[FRAMES_MAX];
	struct str stack = STR_INIT;
	size_t depth = 0;

	if (folding->bytes > FOLDED_BYTES) {
		folding->rest_ns += (uint64_t)(to_ns - from_ns);
		return;
	}
	for (; node != SPAN_NONE && depth < FRAMES_MAX; node = tree->parent[node])
		frames[depth++] = tree->table->name[tree->row[node]];
	while (depth--) {
		span_fold_frame(&stack, tree->table->names[frames[depth]].text);
		if (depth)
			str_addc(&stack, ';');
	}
	folding->bytes += stack.len;
	ARRAY_GROW(folding->stacks, folding->n, folding->room);
	folding->stacks[folding->n++] =
		(struct span_stack){str_take(&stack), (uint64_t)(to_ns - from_ns)};
}

static int span_stack_order(const void *a, const void *b)
{
	const struct span_stack *left = a, *right = b;

	return strcmp(left->frames, right->frames);
}

void span_write_folded(struct str *out, const struct span_analysis *analysis)
{
	struct span_folding folding = {0};
	size_t i;

	span_analysis_path(analysis, span_fold_piece, &folding);
	if (folding.n)
		qsort(folding.stacks, folding.n, sizeof(*folding.stacks), span_stack_order);
	for (i = 0; i < folding.n; i++) {
		struct span_stack *next = i + 1 < folding.n ? &folding.stacks[i + 1] : NULL;

		if (next && !strcmp(folding.stacks[i].frames, next->frames))
			next->ns += folding.stacks[i].ns;
		else
			str_addf(out, "%s %" PRIu64 "\n", folding.stacks[i].frames,
				folding.stacks[i].ns);
		free(folding.stacks[i].frames);
	}
	free(folding.stacks);
	if (folding.rest_ns)
		str_addf(out, FOLDED_REST " %" PRIu64 "\n", folding.rest_ns);
	if (analysis->idle_ns)
		str_addf(out, "(no span ran) %" PRIu64 "\n", analysis->idle_ns);
}
