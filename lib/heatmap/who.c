/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is in a square? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "flame/pattern.h"
#include "heatmap/grid.h"
#include "heatmap/who.h"

struct who_part {
	size_t square;
	uint16_t name;
	uint64_t weight;
};

static int who_by_weight(const void *a, const void *b)
{
	const struct heatmap_who *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int who_by_square(const void *a, const void *b)
{
	const struct who_part *x = a, *y = b;

	if (x->square != y->square)
		return x->square < y->square ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

size_t heatmap_who_between(
	const struct heatmap *map, uint64_t from_ns, uint64_t to_ns, struct heatmap_who **who)
{
	uint64_t *sums = mem_zalloc((map->n_names + 1) * sizeof(*sums));
	size_t n = 0;

	for (size_t i = 0; i < map->n_cells; i++) {
		const struct heatmap_cell *cell = &map->cells[i];
		uint64_t from, to;

		heatmap_cell_times(map, cell, &from, &to);
		if (from < to_ns && to > from_ns)
			sums[cell->name] += cell->weight;
	}
	*who = mem_zalloc((map->n_names + 1) * sizeof(**who));
	for (size_t i = 0; i < map->n_names; i++)
		if (sums[i])
			(*who)[n++] = (struct heatmap_who){map->names[i], sums[i]};
	free(sums);
	if (n)
		qsort(*who, n, sizeof(**who), who_by_weight);
	return n;
}

/* The parts of all squares, each with its square's place in the grid. */
static size_t who_parts(struct who_part *parts, const struct heatmap *map,
	const struct heatmap_grid *grid, const struct heatmap_view *view)
{
	const uint64_t first = grid->first_ns / map->column_ns;
	size_t n = 0;

	for (size_t i = 0; i < map->n_cells; i++) {
		const struct heatmap_cell *cell = &map->cells[i];
		const uint64_t column = heatmap_column(map, cell->column);

		if (column < first || (column - first) / grid->fold_columns >= grid->columns)
			continue;
		if (view->isolate && !flame_pattern_matches(view->isolate, map->names[cell->name]))
			continue;
		parts[n++] = (struct who_part){
			(size_t)((column - first) / grid->fold_columns) * grid->rows +
				(cell->row - grid->first_row) / grid->fold_rows,
			cell->name, cell->weight};
	}
	return n;
}

void heatmap_who_squares(struct heatmap_who_squares *out, const struct heatmap *map,
	const struct heatmap_grid *grid, const struct heatmap_view *view)
{
	const size_t squares = grid->columns * grid->rows;
	struct who_part *parts = mem_zalloc((map->n_cells + 1) * sizeof(*parts));
	const size_t n = who_parts(parts, map, grid, view);
	size_t at = 0, filled = 0;

	if (n)
		qsort(parts, n, sizeof(*parts), who_by_square);
	out->who = mem_zalloc((n + 1) * sizeof(*out->who));
	out->starts = mem_zalloc((squares + 1) * sizeof(*out->starts));
	for (size_t square = 0; square < squares; square++) {
		out->starts[square] = filled;
		for (; at < n && parts[at].square == square; at++) {
			if (filled > out->starts[square] && parts[at - 1].name == parts[at].name)
				out->who[filled - 1].weight += parts[at].weight;
			else
				out->who[filled++] = (struct heatmap_who){
					map->names[parts[at].name], parts[at].weight};
		}
		if (filled > out->starts[square])
			qsort(out->who + out->starts[square], filled - out->starts[square],
				sizeof(*out->who), who_by_weight);
	}
	out->starts[squares] = filled;
	free(parts);
}

void heatmap_who_squares_free(struct heatmap_who_squares *squares)
{
	free(squares->who);
	free(squares->starts);
	*squares = (struct heatmap_who_squares){0};
}
