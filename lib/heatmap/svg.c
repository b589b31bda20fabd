/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a heat map look in a browser? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/str.h"
#include "heatmap/axis.h"
#include "heatmap/grid.h"
#include "heatmap/hue.h"
#include "heatmap/look.h"
#include "heatmap/svg.h"
#include "heatmap/terminal.h"
#include "heatmap/who.h"

#define WIDTH 1200.0
#define LEFT 64.0
#define RIGHT 16.0
#define HEAD 64.0
#define PANEL_HEAD 26.0
#define PANEL_FOOT 44.0
#define LEGEND 64.0
#define NAMES_SHOWN 5
#define NAME_COLUMNS 40
#define LABEL_PIXELS 14.0
#define TIME_PIXELS 60.0
#define SECOND_NS 1000000000u

struct svg_drawing {
	struct str *out;
	const struct heatmap_scale *scale;
	const struct heatmap_view *view;
	const struct heatmap_look *look;
	double y; /* where the next panel begins */
};

static double heatmap_svg_limit(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

static double heatmap_svg_column_width(const struct heatmap_grid *grid)
{
	return heatmap_svg_limit((WIDTH - LEFT - RIGHT) / (double)grid->columns, 0.5, 24);
}

static double heatmap_svg_row_height(const struct heatmap_grid *grid)
{
	return heatmap_svg_limit(440.0 / (double)grid->rows, 3, 14);
}

static double heatmap_svg_panel_height(const struct heatmap_grid *grid)
{
	return PANEL_HEAD + (double)grid->rows * heatmap_svg_row_height(grid) + PANEL_FOOT;
}

static void heatmap_svg_add_names(
	struct svg_drawing *drawing, const struct heatmap_who_squares *who, size_t square)
{
	const size_t from = who->starts[square], to = who->starts[square + 1];

	for (size_t i = from; i < to && i < from + NAMES_SHOWN; i++) {
		struct str shown = STR_INIT;

		if (!*who->who[i].name)
			continue;
		escape_terminal_cut(&shown, who->who[i].name, NAME_COLUMNS);
		str_add(drawing->out, i == from ? ": " : ", ");
		escape_html_only(drawing->out, str_text(&shown));
		str_addf(drawing->out, " %llu", (unsigned long long)who->who[i].weight);
		str_free(&shown);
	}
	if (to > from + NAMES_SHOWN)
		str_addf(drawing->out, ", %zu more", to - from - NAMES_SHOWN);
}

static void heatmap_svg_add_square(struct svg_drawing *drawing, const struct heatmap_grid *grid,
	const struct heatmap_who_squares *who, size_t column, size_t row)
{
	const struct heatmap_square *square = heatmap_grid_at(grid, column, row);
	const double shade = heatmap_scale_shade(drawing->scale, square->weight);
	const double width = heatmap_svg_column_width(grid), height = heatmap_svg_row_height(grid);
	const double x = LEFT + (double)column * width;
	const double y = drawing->y + PANEL_HEAD + (double)(grid->rows - 1 - row) * height;

	if (square->unseen) {
		str_addf(drawing->out,
			"<rect class=\"u\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
			"height=\"%.2f\"/>\n",
			x, y, width, height);
		return;
	}
	if (!(shade > 0))
		return;
	str_addf(drawing->out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"><title>",
		x, y, width, height, heatmap_rgb(heatmap_hue_of(square, drawing->view), shade));
	heatmap_axis_square(drawing->out, grid, column, row);
	str_addf(drawing->out, ": %llu ", (unsigned long long)square->weight);
	escape_html(drawing->out, drawing->look->unit);
	heatmap_svg_add_names(drawing, who, column * grid->rows + row);
	str_add(drawing->out, "</title></rect>\n");
}

static void heatmap_svg_add_squares(struct svg_drawing *drawing, const struct heatmap_panel *panel)
{
	const struct heatmap_grid *grid = panel->grid;
	struct heatmap_who_squares who;

	heatmap_who_squares(&who, panel->map, grid, drawing->view);
	str_addf(drawing->out,
		"<rect class=\"p\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n"
		"<g shape-rendering=\"crispEdges\">\n",
		LEFT, drawing->y + PANEL_HEAD,
		heatmap_svg_column_width(grid) * (double)grid->columns,
		heatmap_svg_row_height(grid) * (double)grid->rows);
	for (size_t column = 0; column < grid->columns; column++)
		for (size_t row = 0; row < grid->rows; row++)
			heatmap_svg_add_square(drawing, grid, &who, column, row);
	str_add(drawing->out, "</g>\n");
	heatmap_who_squares_free(&who);
}

static void heatmap_svg_add_row_labels(struct svg_drawing *drawing, const struct heatmap_grid *grid)
{
	const double height = heatmap_svg_row_height(grid);
	uint64_t *labels = heatmap_axis_rows(grid, (size_t)(LABEL_PIXELS * 2 / height) + 1);

	for (size_t row = 0; row < grid->rows; row++) {
		const double y = drawing->y + PANEL_HEAD + (double)(grid->rows - row) * height;

		if (labels[row] == UINT64_MAX)
			continue;
		str_addf(drawing->out, "<text class=\"e\" x=\"%.1f\" y=\"%.1f\">", LEFT - 6, y);
		heatmap_axis_time(drawing->out, labels[row]);
		str_add(drawing->out, "</text>\n");
	}
	free(labels);
}

static void heatmap_svg_add_times(struct svg_drawing *drawing, const struct heatmap_grid *grid)
{
	const double width = heatmap_svg_column_width(grid);
	const size_t step = heatmap_axis_step(grid, (size_t)(TIME_PIXELS / width) + 1);
	const double y =
		drawing->y + PANEL_HEAD + (double)grid->rows * heatmap_svg_row_height(grid);

	for (size_t column = 0; column < grid->columns; column++) {
		const double x = LEFT + (double)column * width;

		if (grid->lost[column])
			str_addf(drawing->out,
				"<rect class=\"l\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
				"height=\"6\"><title>%llu records were lost here</title></rect>\n",
				x, y + 2, width < 2 ? 2 : width,
				(unsigned long long)grid->lost[column]);
		if (column % step)
			continue;
		str_addf(drawing->out,
			"<path class=\"a\" d=\"M%.2f %.2fv6\"/><text x=\"%.2f\" y=\"%.2f\">", x, y,
			x, y + 20);
		heatmap_axis_column(drawing->out, grid, column);
		str_add(drawing->out, column ? "</text>\n" : " s</text>\n");
	}
}

/* What is to the right, and what is up. */
static void heatmap_svg_add_axes(struct str *out, const struct heatmap_grid *grid)
{
	str_add(out, "from left to right the time");
	if (grid->fold_columns > 1) {
		str_add(out, ", ");
		heatmap_axis_time(out, grid->column_ns);
		str_add(out, " in a column");
	}
	if (grid->kind == HEATMAP_LATENCY) {
		str_add(out, "; upwards how long it took");
		return;
	}
	if (grid->period_ns == SECOND_NS) {
		str_add(out, "; upwards the time within each second");
		return;
	}
	str_add(out, "; upwards the time within each period of ");
	heatmap_axis_time(out, grid->period_ns);
}

static void heatmap_svg_add_panel(struct svg_drawing *drawing, const struct heatmap_panel *panel)
{
	str_addf(drawing->out, "<text x=\"%.1f\" y=\"%.1f\"><tspan class=\"b\">", LEFT,
		drawing->y + PANEL_HEAD - 8);
	escape_html(drawing->out, panel->name ? panel->name : "");
	str_add(drawing->out, panel->name ? "</tspan>: " : "</tspan>");
	heatmap_svg_add_axes(drawing->out, panel->grid);
	str_add(drawing->out, "</text>\n");
	heatmap_svg_add_squares(drawing, panel);
	heatmap_svg_add_row_labels(drawing, panel->grid);
	heatmap_svg_add_times(drawing, panel->grid);
	drawing->y += heatmap_svg_panel_height(panel->grid);
}

static void heatmap_svg_add_mark(struct svg_drawing *drawing, const struct heatmap_panel *panels,
	size_t n, size_t mark, double x)
{
	struct str shown = STR_INIT;
	uint64_t weight = 0;

	if (!drawing->view->marks[mark])
		return;
	for (size_t i = 0; i < n; i++)
		weight += panels[i].grid->marked[mark];
	escape_terminal_cut(&shown, drawing->view->marks[mark], NAME_COLUMNS);
	str_addf(drawing->out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"#%06x\"/>"
		"<text x=\"%.1f\" y=\"%.1f\">",
		x, drawing->y + 26, heatmap_rgb(mark ? HUE_SECOND : HUE_FIRST, 0.7), x + 20,
		drawing->y + 38);
	escape_html_only(drawing->out, str_text(&shown));
	str_addf(drawing->out, ": %llu ", (unsigned long long)weight);
	escape_html(drawing->out, drawing->look->unit);
	str_add(drawing->out, "</text>\n");
	str_free(&shown);
}

static void heatmap_svg_add_legend(
	struct svg_drawing *drawing, const struct heatmap_panel *panels, size_t n)
{
	const enum heatmap_hue hue =
		drawing->view->marks[0] || drawing->view->marks[1] ? HUE_OTHERS : HUE_ALL;
	bool unseen = false;

	for (int i = 0; i < 8; i++)
		str_addf(drawing->out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"#%06x\"/>",
			LEFT + i * 14, drawing->y, heatmap_rgb(hue, 0.12 + i * 0.88 / 7));
	str_addf(drawing->out, "<text x=\"%.1f\" y=\"%.1f\">", LEFT + 8 * 14 + 8, drawing->y + 12);
	heatmap_add_legend(drawing->out, drawing->scale, drawing->look);
	str_add(drawing->out, "</text>\n");
	heatmap_svg_add_mark(drawing, panels, n, 0, LEFT);
	heatmap_svg_add_mark(drawing, panels, n, 1, LEFT + 380);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < panels[k].grid->columns * panels[k].grid->rows; i++)
			unseen = unseen || panels[k].grid->squares[i].unseen;
	if (unseen)
		str_addf(drawing->out,
			"<rect class=\"u\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\"/>"
			"<text x=\"%.1f\" y=\"%.1f\">nobody watched then</text>\n",
			LEFT + 760, drawing->y + 26, LEFT + 780, drawing->y + 38);
}

static void heatmap_svg_add_head(struct svg_drawing *drawing, double height)
{
	struct str *out = drawing->out;

	str_addf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"title about\">\n"
		"<title id=\"title\">",
		WIDTH, height, WIDTH, height);
	escape_html(out, drawing->look->title);
	str_add(out, "</title>\n<desc id=\"about\">");
	escape_html(out, drawing->look->note ? drawing->look->note : "");
	str_add(out,
		"</desc>\n<style>svg{max-width:100%;height:auto;background:#fff}"
		"text{font:12px system-ui,sans-serif;fill:#222}"
		".t{font-size:17px;font-weight:600}.b{font-weight:600}.e{text-anchor:end}"
		".p{fill:#fff;stroke:#999}.u{fill:url(#unseen)}.l{fill:#d00000}"
		".a{stroke:#666;fill:none}</style>\n"
		"<defs><pattern id=\"unseen\" width=\"6\" height=\"6\" "
		"patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" fill=\"#eee\"/>"
		"<path d=\"M0 6L6 0\" stroke=\"#aaa\"/></pattern></defs>\n");
	str_addf(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", WIDTH, height);
	str_addf(out, "<text class=\"t\" x=\"%.1f\" y=\"28\">", 16.0);
	escape_html(out, drawing->look->title);
	str_addf(out, "</text>\n<text x=\"%.1f\" y=\"48\">", 16.0);
	escape_html(out, drawing->look->note ? drawing->look->note : "");
	str_add(out, "</text>\n");
}

void heatmap_draw_svg(struct str *out, const struct heatmap_panel *panels, size_t n,
	const struct heatmap_scale *scale, const struct heatmap_view *view,
	const struct heatmap_look *look)
{
	struct svg_drawing drawing = {out, scale, view, look, HEAD};
	double height = HEAD + LEGEND;

	for (size_t i = 0; i < n; i++)
		height += heatmap_svg_panel_height(panels[i].grid);
	heatmap_svg_add_head(&drawing, height);
	for (size_t i = 0; i < n; i++)
		heatmap_svg_add_panel(&drawing, &panels[i]);
	heatmap_svg_add_legend(&drawing, panels, n);
	str_add(out, "</svg>\n");
}
