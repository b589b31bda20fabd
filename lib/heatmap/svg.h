/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map as one SVG file: a picture without a script. Each square says who was in it where the
 * pointer rests on it; the title and a description are there for who cannot see it.
 */
#ifndef TUESDAY_HEATMAP_SVG_H
#define TUESDAY_HEATMAP_SVG_H

#include <stddef.h>

struct heatmap;
struct heatmap_grid;
struct heatmap_look;
struct heatmap_scale;
struct heatmap_view;
struct str;

/* As many columns and rows as a picture shows well, for a struct heatmap_view. */
enum { HEATMAP_SVG_COLUMNS = 600, HEATMAP_SVG_ROWS = 60 };

/* One of the maps of a picture. */
struct heatmap_panel {
	const struct heatmap *map;
	const struct heatmap_grid *grid;
	const char *name; /* "before", or NULL for a single one */
};

/* Appends the picture, one map below the other, all with one scale. The view has the marks. */
void heatmap_draw_svg(struct str *out, const struct heatmap_panel *panels, size_t n,
	const struct heatmap_scale *scale, const struct heatmap_view *view,
	const struct heatmap_look *look);

#endif
