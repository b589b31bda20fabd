/* SPDX-License-Identifier: GPL-2.0-only */
/* Which squares does a heat map have, and how dark is each? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "flame/pattern.h"
#include "heatmap/grid.h"

/* The lightest square that is not empty: it must be seen beside an empty one. */
#define LEAST_SHADE 0.12

struct grid_names {
	bool *shown, *marked[HEATMAP_MARKS];
};

struct grid_rows {
	uint32_t least, most;
	bool any;
};

static bool *grid_match(const struct heatmap *map, const char *pattern)
{
	bool *match = mem_zalloc(map->n_names + 1);

	for (size_t i = 0; i < map->n_names; i++)
		match[i] = flame_pattern_matches(pattern, map->names[i]);
	return match;
}

static void grid_match_all(
	struct grid_names *names, const struct heatmap *map, const struct heatmap_view *view)
{
	names->shown = view->isolate ? grid_match(map, view->isolate) : NULL;
	for (size_t i = 0; i < HEATMAP_MARKS; i++)
		names->marked[i] = view->marks[i] ? grid_match(map, view->marks[i]) : NULL;
}

static void grid_names_free(struct grid_names *names)
{
	free(names->shown);
	for (size_t i = 0; i < HEATMAP_MARKS; i++)
		free(names->marked[i]);
}

/* Which columns are drawn, and how many lie over each other in one. */
static void grid_place_columns(
	struct heatmap_grid *grid, const struct heatmap *map, const struct heatmap_view *view)
{
	uint64_t first, n = heatmap_columns(map, &first), last = first + n - 1, most, other;

	if (view->has_range && view->from_ns / map->column_ns > first)
		first = view->from_ns / map->column_ns;
	if (view->has_range && view->to_ns && (view->to_ns - 1) / map->column_ns < last)
		last = (view->to_ns - 1) / map->column_ns;
	n = n && last >= first ? last - first + 1 : 0;
	most = view->beside ? heatmap_columns(view->beside, &other) : n;
	if (most < n)
		most = n;
	grid->fold_columns =
		(size_t)(most / view->columns_max) + (most % view->columns_max ? 1 : 0);
	if (!grid->fold_columns)
		grid->fold_columns = 1;
	grid->columns = (size_t)(n + grid->fold_columns - 1) / grid->fold_columns;
	grid->first_ns = first * map->column_ns;
	grid->period_ns = map->column_ns;
	grid->column_ns = map->column_ns * grid->fold_columns;
}

/* The least divisor of n that leaves at most that many; a latency's rows are folded within their
 * power of two. */
static uint32_t grid_fold(const struct heatmap *map, uint32_t n, size_t rows_max)
{
	uint32_t fold = 1;

	if (map->kind == HEATMAP_LATENCY) {
		while ((n + fold - 1) / fold > rows_max)
			fold *= 2;
		return fold;
	}
	while (fold < n && (n % fold || n / fold > rows_max))
		fold++;
	/* A prime number of rows has no divisor: rather more rows than wanted than hardly any. */
	return n / fold * 4 >= rows_max ? fold : 1;
}

static void grid_place_rows(struct heatmap_grid *grid, const struct heatmap *map,
	const struct grid_rows *rows, const struct heatmap_view *view)
{
	const uint32_t least = rows->least, most = rows->most;

	if (map->kind == HEATMAP_OFFSET) {
		grid->fold_rows = grid_fold(map, map->rows, view->rows_max);
		grid->rows = map->rows / grid->fold_rows;
		return;
	}
	/* Rows begin at a multiple of their height, so that the range may need one more. */
	grid->fold_rows = grid_fold(map, most - least + 1, view->rows_max);
	while (most / grid->fold_rows - least / grid->fold_rows + 1 > view->rows_max &&
		grid->fold_rows < HEATMAP_LATENCY_ROWS)
		grid->fold_rows *= 2;
	grid->first_row = least / grid->fold_rows * grid->fold_rows;
	grid->rows = most / grid->fold_rows - least / grid->fold_rows + 1;
}

static bool grid_has(const struct heatmap_grid *grid, const struct heatmap *map,
	const struct heatmap_cell *cell, size_t *column)
{
	const uint64_t first = grid->first_ns / map->column_ns;
	const uint64_t at = heatmap_column(map, cell->column);

	if (at < first || (at - first) / grid->fold_columns >= grid->columns)
		return false;
	*column = (size_t)((at - first) / grid->fold_columns);
	return true;
}

static bool grid_in_range(
	const struct heatmap *map, const struct heatmap_view *view, const struct heatmap_cell *cell)
{
	uint64_t from, to;

	if (!view->has_range)
		return true;
	heatmap_cell_times(map, cell, &from, &to);
	return from < view->to_ns && to > view->from_ns;
}

static void grid_count(struct heatmap_grid *grid, const struct heatmap *map,
	const struct heatmap_view *view, const struct grid_names *names,
	const struct heatmap_cell *cell)
{
	struct heatmap_square *square;
	size_t column, row;

	if (!grid_has(grid, map, cell, &column) || !grid_in_range(map, view, cell)) {
		grid->beyond += cell->weight;
		return;
	}
	if (names->shown && !names->shown[cell->name])
		return;
	row = (cell->row - grid->first_row) / grid->fold_rows;
	square = &grid->squares[column * grid->rows + row];
	square->weight += cell->weight;
	grid->total += cell->weight;
	if (square->weight > grid->most)
		grid->most = square->weight;
	for (size_t i = 0; i < HEATMAP_MARKS; i++)
		if (names->marked[i] && names->marked[i][cell->name]) {
			square->marked[i] += cell->weight;
			grid->marked[i] += cell->weight;
		}
}

static void grid_count_lost(struct heatmap_grid *grid, const struct heatmap *map)
{
	const uint64_t first = grid->first_ns / map->column_ns;

	for (size_t i = 0; i < map->n_losses; i++) {
		const uint64_t at = heatmap_column(map, map->losses[i].column);

		if (at >= first && (at - first) / grid->fold_columns < grid->columns)
			grid->lost[(at - first) / grid->fold_columns] += map->losses[i].n;
	}
}

/* What of a square's time was watched: of several periods over each other, in each of them. */
static void grid_see(
	struct heatmap_grid *grid, const struct heatmap *map, size_t column, size_t row)
{
	struct heatmap_square *square = &grid->squares[column * grid->rows + row];
	bool seen = false, unseen = false;

	for (size_t i = 0; i < grid->fold_columns; i++) {
		uint64_t from = grid->first_ns + (column * grid->fold_columns + i) * map->column_ns;
		uint64_t to = from + map->column_ns;

		if (map->kind == HEATMAP_OFFSET) {
			const uint64_t base = from;

			from = base + heatmap_grid_row_ns(grid, row);
			to = base + heatmap_grid_row_ns(grid, row + 1);
		}
		if (from >= map->seen_to_ns || to <= map->seen_from_ns) {
			unseen = true;
			continue;
		}
		seen = true;
		if (from < map->seen_from_ns || to > map->seen_to_ns)
			unseen = true;
	}
	square->unseen = !seen;
	square->part = seen && unseen;
}

static void grid_see_all(struct heatmap_grid *grid, const struct heatmap *map)
{
	for (size_t row = 0; row < grid->rows; row++)
		for (size_t column = 0; column < grid->columns; column++)
			grid_see(grid, map, column, row);
}

static void grid_rows_take(struct grid_rows *rows, uint32_t row)
{
	if (!rows->any || row < rows->least)
		rows->least = row;
	if (!rows->any || row > rows->most)
		rows->most = row;
	rows->any = true;
}

/* The rows between which all events of the view lie, and all of the map that is drawn beside it. */
static struct grid_rows grid_rows_of(
	const struct heatmap_grid *grid, const struct heatmap *map, const struct heatmap *beside)
{
	struct grid_rows rows = {0};
	size_t column;

	for (size_t i = 0; i < map->n_cells; i++)
		if (grid_has(grid, map, &map->cells[i], &column))
			grid_rows_take(&rows, map->cells[i].row);
	for (size_t i = 0; rows.any && beside && i < beside->n_cells; i++)
		grid_rows_take(&rows, beside->cells[i].row);
	return rows;
}

int heatmap_grid_make(
	struct heatmap_grid *grid, const struct heatmap *map, const struct heatmap_view *view)
{
	struct grid_names names;
	struct grid_rows rows;

	*grid = (struct heatmap_grid){.kind = map->kind, .fold_rows = 1, .tick_ns = map->tick_ns};
	if (!map->seen_to_ns)
		return -ENODATA;
	grid_place_columns(grid, map, view);
	rows = grid_rows_of(grid, map, view->beside);
	if (!rows.any)
		return -ENODATA;
	grid_place_rows(grid, map, &rows, view);
	grid->squares = mem_zalloc(grid->columns * grid->rows * sizeof(*grid->squares));
	grid->lost = mem_zalloc(grid->columns * sizeof(*grid->lost));
	grid_match_all(&names, map, view);
	for (size_t i = 0; i < map->n_cells; i++)
		grid_count(grid, map, view, &names, &map->cells[i]);
	grid_names_free(&names);
	grid_count_lost(grid, map);
	grid_see_all(grid, map);
	return 0;
}

void heatmap_grid_free(struct heatmap_grid *grid)
{
	free(grid->squares);
	free(grid->lost);
	*grid = (struct heatmap_grid){0};
}

const struct heatmap_square *heatmap_grid_at(
	const struct heatmap_grid *grid, size_t column, size_t row)
{
	return &grid->squares[column * grid->rows + row];
}

uint64_t heatmap_grid_row_ns(const struct heatmap_grid *grid, size_t row)
{
	const uint32_t stored = grid->first_row + (uint32_t)row * grid->fold_rows;

	if (grid->kind == HEATMAP_LATENCY)
		return heatmap_latency_least(stored);
	return row >= grid->rows ? grid->period_ns : grid->period_ns * row / grid->rows;
}

static int grid_by_weight(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void grid_scale_take(struct heatmap_scale *scale, const struct heatmap_grid *grid)
{
	if (grid->most > scale->most)
		scale->most = grid->most;
	for (size_t i = 0; !scale->linear && i < grid->columns * grid->rows; i++)
		if (grid->squares[i].weight)
			scale->weights[scale->n++] = grid->squares[i].weight;
}

void heatmap_scale_make(
	struct heatmap_scale *scale, bool linear, const struct heatmap_grid *const *grids, size_t n)
{
	size_t room = 0;

	*scale = (struct heatmap_scale){.linear = linear};
	for (size_t i = 0; i < n; i++)
		room += grids[i]->columns * grids[i]->rows;
	if (!linear)
		scale->weights = mem_zalloc((room + 1) * sizeof(*scale->weights));
	for (size_t i = 0; i < n; i++)
		grid_scale_take(scale, grids[i]);
	if (!linear)
		qsort(scale->weights, scale->n, sizeof(*scale->weights), grid_by_weight);
}

void heatmap_scale_free(struct heatmap_scale *scale)
{
	free(scale->weights);
	*scale = (struct heatmap_scale){0};
}

/* How many squares have less than that. */
static size_t grid_scale_below(const struct heatmap_scale *scale, uint64_t weight)
{
	size_t low = 0, high = scale->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (scale->weights[middle] < weight)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double heatmap_scale_shade(const struct heatmap_scale *scale, uint64_t weight)
{
	double share = 1;
	size_t others;

	if (!weight)
		return 0;
	if (scale->linear) {
		share = scale->most ? (double)weight / (double)scale->most : 1;
	} else {
		others = grid_scale_below(scale, scale->most);
		if (others)
			share = (double)grid_scale_below(scale, weight) / (double)others;
	}
	return LEAST_SHADE + (1 - LEAST_SHADE) * (share < 1 ? share : 1);
}
