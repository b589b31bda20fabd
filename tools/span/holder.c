/* SPDX-License-Identifier: GPL-2.0-only */
/* Which spans does a build wait for most, and at which times? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "spans/analysis.h"
#include "tools/span/holder.h"
#include "tools/span/text.h"

static void holder_add(struct span_holder *holder, int64_t from_ns, int64_t to_ns)
{
	ARRAY_GROW(holder->stretches, holder->n, holder->room);
	holder->stretches[holder->n++] = (struct span_stretch){from_ns, to_ns, 0};
}

static void holder_add_piece(
	void *arg, const struct span_tree *tree, uint32_t node, int64_t from_ns, int64_t to_ns)
{
	struct span_holder *holder = arg;

	if (tree->table->name[tree->row[node]] == holder->name)
		holder_add(holder, from_ns, to_ns);
}

static int holder_order(const void *a, const void *b)
{
	const struct span_stretch *left = a, *right = b;

	return left->from_ns < right->from_ns ? -1 : left->from_ns > right->from_ns;
}

/* Pieces of one path do not overlap. */
static void holder_sort(struct span_holder *holder)
{
	uint64_t sum_ns = 0;
	size_t i;

	if (holder->n)
		qsort(holder->stretches, holder->n, sizeof(*holder->stretches), holder_order);
	for (i = 0; i < holder->n; i++) {
		holder->stretches[i].before_ns = sum_ns;
		sum_ns += (uint64_t)(holder->stretches[i].to_ns - holder->stretches[i].from_ns);
	}
}

void span_holder_find(
	struct span_holder *holder, const struct span_analysis *analysis, double most_wrong)
{
	uint32_t *ranked;

	*holder = (struct span_holder){.name = SPAN_NONE, .ns = analysis->idle_ns};
	holder->believed = !(span_analysis_wrong(analysis) > most_wrong);
	if (!analysis->table->n || !span_analysis_wall(analysis))
		return;
	ranked = span_ranked(analysis);
	if (analysis->names[*ranked].build_ns >= analysis->idle_ns) {
		holder->name = *ranked;
		holder->ns = analysis->names[*ranked].build_ns;
	}
	free(ranked);
	if (holder->name != SPAN_NONE && holder->believed)
		span_analysis_path(analysis, holder_add_piece, holder);
	else
		holder_add(holder, analysis->start_ns, analysis->end_ns);
	holder_sort(holder);
}

/* All of it until then. */
static uint64_t holder_until(const struct span_holder *holder, int64_t at_ns)
{
	const struct span_stretch *last;
	size_t from = 0, to = holder->n;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (holder->stretches[middle].from_ns <= at_ns)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from)
		return 0;
	last = &holder->stretches[from - 1];
	return last->before_ns +
		(uint64_t)((at_ns < last->to_ns ? at_ns : last->to_ns) - last->from_ns);
}

uint64_t span_holder_overlap(const struct span_holder *holder, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? holder_until(holder, to_ns) - holder_until(holder, from_ns) : 0;
}

void span_holder_free(struct span_holder *holder)
{
	free(holder->stretches);
	*holder = (struct span_holder){.name = SPAN_NONE};
}
