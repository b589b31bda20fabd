/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map as it is drawn: cells laid together until they fit, who is marked, and how dark each
 * is.
 */
#ifndef TUESDAY_HEATMAP_GRID_H
#define TUESDAY_HEATMAP_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heatmap/heatmap.h"

struct str;

enum { HEATMAP_MARKS = 2 };

struct heatmap_view {
	/* Patterns of names (flame/pattern.h), or NULL. Columns and rows are the same with and
	 * without isolate. */
	const char *isolate;
	const char *marks[HEATMAP_MARKS];
	size_t columns_max, rows_max; /* to be drawn, both at least 1 */
	/* A map that is drawn beside it with the same rows and as many columns in one, or NULL. */
	const struct heatmap *beside;
	bool has_range; /* only what lies from from_ns on, before to_ns */
	uint64_t from_ns, to_ns;
};

struct heatmap_square {
	uint64_t weight;
	uint64_t marked[HEATMAP_MARKS]; /* of that weight */
	bool unseen;			/* nobody watched then: it is not empty but unknown */
	bool part;			/* part of it was not watched */
};

struct heatmap_grid {
	enum heatmap_kind kind;
	uint64_t first_ns;    /* where the first column begins */
	uint64_t period_ns;   /* of an offset map */
	uint64_t column_ns;   /* of a drawn column: so many periods over each other, if several */
	uint64_t tick_ns;     /* each CPU was looked at so often; 0: every event is told */
	size_t fold_columns;  /* columns that are laid over each other in one */
	uint32_t fold_rows;   /* stored rows in one */
	uint32_t first_row;   /* the lowest stored row that is drawn */
	size_t columns, rows; /* drawn */
	struct heatmap_square *squares; /* rows of a column one behind the other, the lowest first
					 */
	uint64_t *lost;			/* records, for each column */
	uint64_t total, most;
	uint64_t marked[HEATMAP_MARKS];
	uint64_t beyond; /* weight out of the range */
};

/* Returns 0, or -ENODATA where there is no event within the view. */
int heatmap_grid_make(
	struct heatmap_grid *grid, const struct heatmap *map, const struct heatmap_view *view);
void heatmap_grid_free(struct heatmap_grid *grid);

const struct heatmap_square *heatmap_grid_at(
	const struct heatmap_grid *grid, size_t column, size_t row);

/* Where a row begins: an offset, or a latency, in ns. */
uint64_t heatmap_grid_row_ns(const struct heatmap_grid *grid, size_t row);

/* How dark a weight is: by its share of the greatest weight, or by how many of the squares that are
 * not empty have less. One scale may be of several grids, which can then be compared. */
struct heatmap_scale {
	bool linear;
	uint64_t most;
	uint64_t *weights; /* of all squares that are not empty, in order; NULL for a linear one */
	size_t n;
};

void heatmap_scale_make(struct heatmap_scale *scale, bool linear,
	const struct heatmap_grid *const *grids, size_t n);
void heatmap_scale_free(struct heatmap_scale *scale);

/* 0 for an empty square, and never for another one; 1 for the darkest. */
double heatmap_scale_shade(const struct heatmap_scale *scale, uint64_t weight);

#endif
