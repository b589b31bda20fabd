/* SPDX-License-Identifier: GPL-2.0-only */
/* A heat map in a terminal. */
#ifndef TUESDAY_HEATMAP_TERMINAL_H
#define TUESDAY_HEATMAP_TERMINAL_H

struct heatmap_grid;
struct heatmap_look;
struct heatmap_scale;
struct heatmap_view;
struct str;

/* The columns of the terminal that labels beside the squares take. */
enum { HEATMAP_TERMINAL_LABELS = 9 };

/* How many rows a line of the terminal has: 1 or 2. */
unsigned int heatmap_terminal_rows(const struct heatmap_look *look);

/* Appends the squares, the time below them, what the shades and marks mean, and what was lost. The
 * title is the caller's to print. */
void heatmap_draw_terminal(struct str *out, const struct heatmap_grid *grid,
	const struct heatmap_scale *scale, const struct heatmap_view *view,
	const struct heatmap_look *look);

/* Appends what shades mean: "darker is more, by rank: 1 to 17 samples in a square". */
void heatmap_add_legend(
	struct str *out, const struct heatmap_scale *scale, const struct heatmap_look *look);

#endif
