/* SPDX-License-Identifier: GPL-2.0-only */
/* When was nobody at work? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "flame/pattern.h"
#include "heatmap/gaps.h"
#include "heatmap/heatmap.h"

#define BY_CHANCE 0.01
#define GAPS_MAX 10

/* One byte for each row of each column: whether somebody was seen. */
static uint8_t *gaps_occupied(
	const struct heatmap *map, const char *pattern, uint64_t first, size_t cells)
{
	uint8_t *occupied = mem_zalloc(cells + 1);
	bool *match = mem_zalloc(map->n_names + 1);

	for (size_t i = 0; i < map->n_names; i++)
		match[i] = !pattern || flame_pattern_matches(pattern, map->names[i]);
	for (size_t i = 0; i < map->n_cells; i++) {
		const struct heatmap_cell *cell = &map->cells[i];
		const uint64_t column = heatmap_column(map, cell->column);
		size_t at;

		if (column < first || !match[cell->name])
			continue;
		at = (size_t)(column - first) * map->rows + cell->row;
		if (at < cells)
			occupied[at] = 1;
	}
	free(match);
	return occupied;
}

static void gaps_take(struct heatmap_gaps *gaps, uint64_t from_ns, uint64_t to_ns)
{
	size_t at = gaps->n;

	while (at && to_ns - from_ns > gaps->gaps[at - 1].to_ns - gaps->gaps[at - 1].from_ns)
		at--;
	if (at == GAPS_MAX)
		return;
	if (gaps->n < GAPS_MAX)
		gaps->n++;
	for (size_t i = gaps->n - 1; i > at; i--)
		gaps->gaps[i] = gaps->gaps[i - 1];
	gaps->gaps[at] = (struct heatmap_gap){from_ns, to_ns};
}

/* How long a gap has to be, by how often a look meets somebody. A row may be several looks high. */
static uint64_t gaps_chance(const struct heatmap *map, double busy, size_t rows)
{
	const double looks = (double)map->column_ns / (double)map->rows / (double)map->tick_ns;
	const double in_row = looks > 1 ? looks : 1;
	const double u = 1 - pow(1 - busy, 1 / in_row);
	const double n = (double)rows * in_row;
	double k;

	if (!(u > 0))
		return UINT64_MAX;
	if (u >= 1)
		return map->tick_ns * 2;
	k = ceil(log(BY_CHANCE / (n * u)) / log(1 - u));
	/* A row is empty as a whole or not: the first and the last look of a gap are not known. */
	return k > 1e9 ? UINT64_MAX : (uint64_t)((k > 1 ? k : 1) * (double)map->tick_ns);
}

void heatmap_gaps_find(struct heatmap_gaps *gaps, const struct heatmap *map, const char *pattern)
{
	const uint64_t height = map->column_ns / (map->rows ? map->rows : 1);
	uint64_t first, columns = heatmap_columns(map, &first), begin = first * map->column_ns;
	size_t cells, seen = 0, busy = 0, from = 0;
	uint8_t *occupied;

	*gaps = (struct heatmap_gaps){0};
	if (map->kind != HEATMAP_OFFSET || !columns || !height)
		return;
	cells = (size_t)columns * map->rows;
	occupied = gaps_occupied(map, pattern, first, cells);
	gaps->gaps = mem_zalloc(GAPS_MAX * sizeof(*gaps->gaps));
	for (size_t i = 0; i < cells; i++) {
		const uint64_t at = begin + i / map->rows * map->column_ns + i % map->rows * height;
		const bool watched = at >= map->seen_from_ns && at + height <= map->seen_to_ns;

		seen += watched;
		busy += watched && occupied[i];
		if (watched && !occupied[i])
			continue;
		if (i > from)
			gaps_take(gaps,
				begin + from / map->rows * map->column_ns +
					from % map->rows * height,
				at);
		from = i + 1;
	}
	free(occupied);
	gaps->busy = seen ? (double)busy / (double)seen : 0;
	if (!map->tick_ns)
		return;
	gaps->chance_ns = gaps_chance(map, gaps->busy, seen);
	while (gaps->n &&
		gaps->gaps[gaps->n - 1].to_ns - gaps->gaps[gaps->n - 1].from_ns < gaps->chance_ns)
		gaps->n--;
}

void heatmap_gaps_free(struct heatmap_gaps *gaps)
{
	free(gaps->gaps);
	*gaps = (struct heatmap_gaps){0};
}
