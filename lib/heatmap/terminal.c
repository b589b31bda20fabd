/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a heat map look in a terminal, with colours and without? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/str.h"
#include "heatmap/axis.h"
#include "heatmap/grid.h"
#include "heatmap/hue.h"
#include "heatmap/look.h"
#include "heatmap/terminal.h"

#define LABEL_GAP 3 /* lines between two labels */
#define TIME_GAP 10 /* columns between two times */
#define NO_COLOR (-1)
#define WHITE_256 231
#define WHITE 0xffffff

struct terminal_drawing {
	struct str *out;
	const struct heatmap_grid *grid;
	const struct heatmap_scale *scale;
	const struct heatmap_view *view;
	const struct heatmap_look *look;
	uint64_t *labels;
};

unsigned int heatmap_terminal_rows(const struct heatmap_look *look)
{
	return look->colors && look->utf8 ? 2 : 1;
}

/* NO_COLOR where nothing is known: the terminal's own background shows. */
static int terminal_color_of(
	const struct terminal_drawing *drawing, const struct heatmap_square *square)
{
	const bool many = drawing->look->colors > 256;
	double shade;

	if (!square || square->unseen)
		return NO_COLOR;
	shade = heatmap_scale_shade(drawing->scale, square->weight);
	if (!(shade > 0))
		return many ? WHITE : WHITE_256;
	return (int)(many ? heatmap_rgb(heatmap_hue_of(square, drawing->view), shade)
			  : heatmap_color256(heatmap_hue_of(square, drawing->view), shade));
}

static void terminal_add_color(const struct terminal_drawing *drawing, int kind, int color)
{
	if (color == NO_COLOR)
		str_addf(drawing->out, "\033[%d9m", kind);
	else if (drawing->look->colors > 256)
		str_addf(drawing->out, "\033[%d8;2;%d;%d;%dm", kind, color >> 16, color >> 8 & 255,
			color & 255);
	else
		str_addf(drawing->out, "\033[%d8;5;%dm", kind, color);
}

/* Two rows in a line: the upper half of the character is the upper row. */
static void terminal_add_colored(const struct terminal_drawing *drawing, size_t low, size_t height)
{
	const struct heatmap_grid *grid = drawing->grid;
	int upper_was = NO_COLOR, lower_was = NO_COLOR;

	for (size_t column = 0; column < grid->columns; column++) {
		const struct heatmap_square *bottom = heatmap_grid_at(grid, column, low),
					    *top = bottom;
		int upper, lower = terminal_color_of(drawing, bottom);

		if (height > 1)
			top = low + 1 < grid->rows ? heatmap_grid_at(grid, column, low + 1) : NULL;
		upper = terminal_color_of(drawing, top);
		if (lower != lower_was)
			terminal_add_color(drawing, 4, lower);
		lower_was = lower;
		if (upper == lower) {
			str_addc(drawing->out, ' ');
			continue;
		}
		/* A half with the terminal's background is the one that is not painted. */
		if (upper == NO_COLOR) {
			terminal_add_color(drawing, 4, NO_COLOR);
			terminal_add_color(drawing, 3, lower);
			str_add(drawing->out, "\u2584");
			lower_was = NO_COLOR;
			upper_was = lower;
			continue;
		}
		if (upper != upper_was)
			terminal_add_color(drawing, 3, upper);
		upper_was = upper;
		str_add(drawing->out, "\u2580");
	}
	str_add(drawing->out, "\033[0m");
}

static char terminal_letter(
	const struct terminal_drawing *drawing, const struct heatmap_square *square)
{
	static const char ramp[] = ".:-=+*#%@", letters[] = "..abx";
	const size_t levels = sizeof(ramp) - 1;
	const double shade = heatmap_scale_shade(drawing->scale, square->weight);
	const enum heatmap_hue hue = heatmap_hue_of(square, drawing->view);
	size_t level = (size_t)(shade * (double)levels);

	if (square->unseen)
		return '/';
	if (!(shade > 0))
		return ' ';
	if (hue >= HUE_FIRST)
		return shade > 0.5 ? (char)(letters[hue] - 'a' + 'A') : letters[hue];
	return ramp[level < levels ? level : levels - 1];
}

/* A label is right-aligned in front of a bar. */
static void terminal_add_label(const struct terminal_drawing *drawing, size_t low, size_t height)
{
	struct str text = STR_INIT;

	for (size_t row = low; row < low + height && row < drawing->grid->rows; row++)
		if (!text.len && drawing->labels[row] != UINT64_MAX)
			heatmap_axis_time(&text, drawing->labels[row]);
	str_addf(drawing->out, "%*s|", HEATMAP_TERMINAL_LABELS - 1, str_text(&text));
	str_free(&text);
}

static void terminal_add_lines(const struct terminal_drawing *drawing)
{
	const struct heatmap_grid *grid = drawing->grid;
	const size_t height = heatmap_terminal_rows(drawing->look);

	for (size_t line = (grid->rows + height - 1) / height; line-- > 0;) {
		terminal_add_label(drawing, line * height, height);
		if (drawing->look->colors) {
			terminal_add_colored(drawing, line * height, height);
		} else {
			for (size_t column = 0; column < grid->columns; column++)
				str_addc(drawing->out,
					terminal_letter(
						drawing, heatmap_grid_at(grid, column, line)));
			str_addc(drawing->out, '|');
		}
		str_addc(drawing->out, '\n');
	}
}

/* "0         10        20 s", each under its column. */
static void terminal_add_times(const struct terminal_drawing *drawing)
{
	const struct heatmap_grid *grid = drawing->grid;
	const size_t step = heatmap_axis_step(grid, TIME_GAP);
	struct str line = STR_INIT;

	for (size_t column = 0; column < grid->columns; column += step) {
		while (line.len < HEATMAP_TERMINAL_LABELS + column)
			str_addc(&line, ' ');
		heatmap_axis_column(&line, grid, column);
	}
	str_addf(drawing->out, "%s s\n", str_text(&line));
	str_free(&line);
}

static void terminal_add_lost(const struct terminal_drawing *drawing)
{
	const struct heatmap_grid *grid = drawing->grid;
	uint64_t lost = 0;

	for (size_t column = 0; column < grid->columns; column++)
		lost += grid->lost[column];
	if (!lost)
		return;
	str_addf(drawing->out, "%*s|%s", HEATMAP_TERMINAL_LABELS - 1, "lost",
		drawing->look->colors ? "\033[31m" : "");
	for (size_t column = 0; column < grid->columns; column++)
		str_addc(drawing->out, grid->lost[column] ? '!' : ' ');
	str_addf(drawing->out, "%s\n", drawing->look->colors ? "\033[0m" : "|");
}

void heatmap_add_legend(
	struct str *out, const struct heatmap_scale *scale, const struct heatmap_look *look)
{
	const unsigned long long most = scale->most;

	if (scale->linear)
		str_addf(out, "darker is more, by number: up to %llu %s in a square", most,
			look->unit);
	else
		str_addf(out, "darker is more, by rank: %llu to %llu %s in a square",
			scale->n ? (unsigned long long)scale->weights[0] : 0, most, look->unit);
}

static void terminal_add_mark(const struct terminal_drawing *drawing, size_t mark)
{
	if (!drawing->view->marks[mark])
		return;
	if (drawing->look->colors) {
		terminal_add_color(drawing, 4, NO_COLOR);
		terminal_add_color(drawing, 3,
			(int)(drawing->look->colors > 256
					? heatmap_rgb(mark ? HUE_SECOND : HUE_FIRST, 0.7)
					: heatmap_color256(mark ? HUE_SECOND : HUE_FIRST, 0.7)));
	}
	str_addc(drawing->out, mark ? 'b' : 'a');
	str_add(drawing->out, drawing->look->colors ? "\033[0m: " : ": ");
	escape_terminal_cut(drawing->out, drawing->view->marks[mark], 40);
	str_addf(drawing->out, ", %llu %s\n", (unsigned long long)drawing->grid->marked[mark],
		drawing->look->unit);
}

static void terminal_add_legend(const struct terminal_drawing *drawing)
{
	const struct heatmap_grid *grid = drawing->grid;
	bool unseen = false;

	if (drawing->scale->most) {
		heatmap_add_legend(drawing->out, drawing->scale, drawing->look);
		str_addc(drawing->out, '\n');
	}
	for (size_t mark = 0; mark < HEATMAP_MARKS; mark++)
		terminal_add_mark(drawing, mark);
	for (size_t i = 0; i < grid->columns * grid->rows; i++)
		unseen = unseen || grid->squares[i].unseen;
	if (unseen && !drawing->look->colors)
		str_add(drawing->out, "/ nobody watched then\n");
	else if (unseen)
		str_add(drawing->out, "without a colour: nobody watched then\n");
}

void heatmap_draw_terminal(struct str *out, const struct heatmap_grid *grid,
	const struct heatmap_scale *scale, const struct heatmap_view *view,
	const struct heatmap_look *look)
{
	struct terminal_drawing drawing = {out, grid, scale, view, look, NULL};

	drawing.labels = heatmap_axis_rows(grid, LABEL_GAP * heatmap_terminal_rows(look));
	terminal_add_lines(&drawing);
	terminal_add_lost(&drawing);
	terminal_add_times(&drawing);
	terminal_add_legend(&drawing);
	free(drawing.labels);
}
