/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers stand beside a heat map? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/unit.h"
#include "heatmap/axis.h"
#include "heatmap/grid.h"

#define SECOND_NS 1000000000u

void heatmap_axis_time(struct str *out, uint64_t ns)
{
	if (ns)
		value_for_people(out, (double)ns * 1e-9, UNIT_SECONDS);
	else
		str_addc(out, '0');
}

/* The least of 1, 2, 5, 10, 20, 50, ... that is at least n. */
static uint64_t axis_round_up(uint64_t n)
{
	uint64_t ten = 1;

	while (ten < UINT64_MAX / 100 && ten * 10 < n)
		ten *= 10;
	return n <= ten ? ten : n <= 2 * ten ? 2 * ten : n <= 5 * ten ? 5 * ten : 10 * ten;
}

static void axis_offset_rows(const struct heatmap_grid *grid, size_t gap, uint64_t *rows)
{
	const uint64_t height = grid->period_ns / grid->rows;
	const uint64_t step = axis_round_up(height * gap);

	for (size_t row = 0; row < grid->rows; row++) {
		const uint64_t from = heatmap_grid_row_ns(grid, row);
		const uint64_t mark = (from + step - 1) / step * step;

		if (mark < heatmap_grid_row_ns(grid, row + 1))
			rows[row] = mark;
	}
}

static bool axis_is_free(const uint64_t *rows, size_t n, size_t row, size_t gap)
{
	for (size_t i = row < gap ? 0 : row - gap + 1; i < n && i < row + gap; i++)
		if (rows[i] != UINT64_MAX)
			return false;
	return true;
}

static void axis_mark(const struct heatmap_grid *grid, size_t gap, uint64_t *rows, uint64_t mark)
{
	for (size_t row = 0; row < grid->rows; row++)
		if (mark >= heatmap_grid_row_ns(grid, row) &&
			mark < heatmap_grid_row_ns(grid, row + 1)) {
			if (axis_is_free(rows, grid->rows, row, gap))
				rows[row] = mark;
			return;
		}
}

/* Powers of ten first; then what is between them, where there is room. */
static void axis_latency_rows(const struct heatmap_grid *grid, size_t gap, uint64_t *rows)
{
	static const uint64_t of[] = {1, 2, 5};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		for (uint64_t ten = 1; ten < UINT64_MAX / 100; ten *= 10)
			axis_mark(grid, gap, rows, ten * of[i]);
}

uint64_t *heatmap_axis_rows(const struct heatmap_grid *grid, size_t gap)
{
	uint64_t *rows = mem_alloc((grid->rows + 1) * sizeof(*rows));

	for (size_t i = 0; i < grid->rows; i++)
		rows[i] = UINT64_MAX;
	if (grid->kind == HEATMAP_OFFSET)
		axis_offset_rows(grid, gap, rows);
	else
		axis_latency_rows(grid, gap, rows);
	return rows;
}

/* Of columns of a second or more a multiple of 5, 10 or a minute; below it what is round. */
size_t heatmap_axis_step(const struct heatmap_grid *grid, size_t gap)
{
	static const unsigned int seconds[] = {
		5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600};
	const uint64_t least = grid->column_ns * gap;

	for (size_t i = 0; grid->column_ns % SECOND_NS == 0 && i < ARRAY_SIZE(seconds); i++)
		if (seconds[i] * (uint64_t)SECOND_NS >= least &&
			seconds[i] * (uint64_t)SECOND_NS % grid->column_ns == 0)
			return (size_t)(seconds[i] * (uint64_t)SECOND_NS / grid->column_ns);
	return (size_t)axis_round_up(gap);
}

void heatmap_axis_column(struct str *out, const struct heatmap_grid *grid, size_t column)
{
	const uint64_t ns = column * grid->column_ns, seconds = ns / SECOND_NS;

	if (grid->column_ns % SECOND_NS)
		str_addf(out, "%.6g", (double)ns * 1e-9);
	else if (grid->columns * (grid->column_ns / SECOND_NS) < 120)
		str_addf(out, "%llu", (unsigned long long)seconds);
	else if (seconds < 3600)
		str_addf(out, "%llu:%02llu", (unsigned long long)(seconds / 60),
			(unsigned long long)(seconds % 60));
	else
		str_addf(out, "%llu:%02llu:%02llu", (unsigned long long)(seconds / 3600),
			(unsigned long long)(seconds / 60 % 60),
			(unsigned long long)(seconds % 60));
}

void heatmap_axis_square(
	struct str *out, const struct heatmap_grid *grid, size_t column, size_t row)
{
	const bool is_seconds = grid->column_ns % SECOND_NS == 0 &&
		grid->columns * (grid->column_ns / SECOND_NS) < 120;

	heatmap_axis_column(out, grid, column);
	str_add(out, is_seconds || grid->column_ns % SECOND_NS ? " s" : "");
	str_add(out, grid->kind == HEATMAP_OFFSET ? " and " : ", ");
	heatmap_axis_time(out, heatmap_grid_row_ns(grid, row));
	str_add(out, " to ");
	heatmap_axis_time(out, heatmap_grid_row_ns(grid, row + 1));
}
