/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a heat map shown where somebody looks? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>

#include "base/datetime.h"
#include "base/escape.h"
#include "base/json_write.h"
#include "base/str.h"
#include "flame/pattern.h"
#include "heatmap/grid.h"
#include "heatmap/heatmap.h"
#include "heatmap/show.h"
#include "heatmap/svg.h"
#include "heatmap/terminal.h"
#include "heatmap/who.h"

#define COLUMNS 80
#define NAME_COLUMNS 60
#define ROWS_IN_COLOR 50 /* in 25 lines */
#define ROWS_IN_ASCII 34

/* One or two maps laid out alike, and their scale. */
struct show_layout {
	struct heatmap_view view[2];
	struct heatmap_grid grid[2];
	const struct heatmap *map[2];
	size_t n;
	struct heatmap_scale scale;
};

static void show_layout_free(struct show_layout *layout)
{
	for (size_t i = 0; i < layout->n; i++)
		heatmap_grid_free(&layout->grid[i]);
	heatmap_scale_free(&layout->scale);
}

static struct heatmap_view show_view(
	const struct heatmap_show *show, const struct heatmap *map, const struct heatmap *beside)
{
	uint64_t first;
	struct heatmap_view view = {
		.isolate = show->isolate,
		.marks = {show->marks[0], show->marks[1]},
		.beside = beside,
		.has_range = show->has_range,
	};

	heatmap_columns(map, &first);
	view.from_ns = first * map->column_ns + show->from_ns;
	view.to_ns = first * map->column_ns + show->to_ns;
	return view;
}

static int show_lay_out(
	struct show_layout *layout, const struct heatmap_show *show, size_t columns, size_t rows)
{
	const struct heatmap_grid *grids[] = {&layout->grid[0], &layout->grid[1]};
	int err = 0;

	*layout = (struct show_layout){.n = show->before ? 2 : 1};
	layout->map[0] = show->before ? show->before : show->map;
	layout->map[1] = show->map;
	for (size_t i = 0; i < layout->n; i++) {
		layout->view[i] =
			show_view(show, layout->map[i], show->before ? layout->map[1 - i] : NULL);
		layout->view[i].columns_max = columns;
		layout->view[i].rows_max = rows;
		if (!err)
			err = heatmap_grid_make(&layout->grid[i], layout->map[i], &layout->view[i]);
	}
	if (err)
		show_layout_free(layout);
	else
		heatmap_scale_make(&layout->scale, show->linear, grids, layout->n);
	return err;
}

int heatmap_show_terminal(struct str *out, const struct heatmap_show *show)
{
	const size_t wide = show->columns ? show->columns : COLUMNS;
	const size_t rows = heatmap_terminal_rows(&show->look) > 1 ? ROWS_IN_COLOR : ROWS_IN_ASCII;
	const size_t labels = HEATMAP_TERMINAL_LABELS + 1;
	struct show_layout layout;
	int err = show_lay_out(&layout, show, wide > labels ? wide - labels : 1, rows);

	if (err)
		return err;
	for (size_t i = 0; i < layout.n; i++) {
		if (layout.n > 1)
			str_add(out, i ? "after\n" : "before\n");
		heatmap_draw_terminal(
			out, &layout.grid[i], &layout.scale, &layout.view[i], &show->look);
	}
	show_layout_free(&layout);
	return 0;
}

int heatmap_show_svg(struct str *out, const struct heatmap_show *show)
{
	struct heatmap_panel panels[2];
	struct show_layout layout;
	int err = show_lay_out(&layout, show, HEATMAP_SVG_COLUMNS, HEATMAP_SVG_ROWS);

	if (err)
		return err;
	for (size_t i = 0; i < layout.n; i++)
		panels[i] = (struct heatmap_panel){layout.map[i], &layout.grid[i],
			layout.n < 2 ? NULL
				: i  ? "after"
				     : "before"};
	heatmap_draw_svg(out, panels, layout.n, &layout.scale, &layout.view[0], &show->look);
	show_layout_free(&layout);
	return 0;
}

static void show_add_json(struct json_writer *json, const struct heatmap_grid *grid)
{
	json_write_count(json, "first_ns", grid->first_ns);
	json_write_count(json, "column_ns", grid->column_ns);
	json_write_count(json, "columns", grid->columns);
	json_write_count(json, "periods_in_column", grid->fold_columns);
	json_open(json, "rows_ns", '[');
	for (size_t row = 0; row <= grid->rows; row++)
		json_write_count(json, NULL, heatmap_grid_row_ns(grid, row));
	json_close(json);
	json_open(json, "cells", '[');
	for (size_t i = 0; i < grid->columns * grid->rows; i++) {
		if (!grid->squares[i].weight)
			continue;
		json_open(json, NULL, '[');
		json_write_count(json, NULL, i / grid->rows);
		json_write_count(json, NULL, i % grid->rows);
		json_write_count(json, NULL, grid->squares[i].weight);
		json_close(json);
	}
	json_close(json);
}

int heatmap_show_json(struct json_writer *json, const struct heatmap_show *show)
{
	struct show_layout layout;
	int err = show_lay_out(&layout, show, HEATMAP_SVG_COLUMNS, HEATMAP_SVG_ROWS);

	if (err)
		return err;
	for (size_t i = 0; i < layout.n; i++) {
		json_open(json, i + 1 < layout.n ? "before" : "map", '{');
		show_add_json(json, &layout.grid[i]);
		json_close(json);
	}
	show_layout_free(&layout);
	return 0;
}

void heatmap_show_at(struct str *out, const struct heatmap *map, uint64_t at_ns)
{
	struct heatmap_who *who;
	uint64_t first, at;
	size_t n;

	heatmap_columns(map, &first);
	at = first * map->column_ns + at_ns;
	n = heatmap_who_between(map, at, at + 1, &who);
	str_addf(out, "%s %.6g s", n ? "At" : "Nobody at", (double)at_ns * 1e-9);
	for (size_t i = 0; i < n; i++) {
		str_add(out, i ? ", " : ": ");
		escape_name_cut(out, *who[i].name ? who[i].name : "[no name]", NAME_COLUMNS);
		str_addf(out, " %llu", (unsigned long long)who[i].weight);
	}
	str_addc(out, '\n');
	free(who);
}

static void show_add_unmatched(struct str *out, const struct heatmap *map, const char *pattern)
{
	if (!pattern)
		return;
	for (size_t i = 0; i < map->n_names; i++)
		if (flame_pattern_matches(pattern, map->names[i]))
			return;
	str_add(out, "No name has '");
	escape_terminal_cut(out, pattern, NAME_COLUMNS);
	str_add(out, "' in it\n");
}

void heatmap_show_unmatched(struct str *out, const struct heatmap_show *show)
{
	show_add_unmatched(out, show->map, show->isolate);
	for (size_t i = 0; i < HEATMAP_MARKS; i++)
		show_add_unmatched(out, show->map, show->marks[i]);
}

void heatmap_show_notes(struct str *out, const struct heatmap *map)
{
	char begin[DATETIME_UTC_SIZE];
	uint64_t first;

	heatmap_columns(map, &first);
	if (map->is_wall && map->seen_to_ns &&
		datetime_utc(begin, (time_t)(first * map->column_ns / 1000000000)))
		str_addf(out, "%sThe first column begins at %s", out->len ? ". " : "", begin);
	if (map->lost)
		str_addf(out, "%s%llu records were lost, in %zu of the columns",
			out->len ? ". " : "", (unsigned long long)map->lost, map->n_losses);
	if (map->outside)
		str_addf(out, "%s%llu events lie too far from the others to be drawn",
			out->len ? ". " : "", (unsigned long long)map->outside);
}
