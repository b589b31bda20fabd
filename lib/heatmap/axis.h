/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands beside the rows and below the columns of a heat map. */
#ifndef TUESDAY_HEATMAP_AXIS_H
#define TUESDAY_HEATMAP_AXIS_H

#include <stddef.h>
#include <stdint.h>

struct heatmap_grid;
struct heatmap_square;
struct str;

/* For each row the round number that lies in it and is to be shown, or UINT64_MAX for none: at
 * least gap rows between two of them. The caller frees. */
uint64_t *heatmap_axis_rows(const struct heatmap_grid *grid, size_t gap);

/* So many columns lie between two that have their time below them: at least gap. */
size_t heatmap_axis_step(const struct heatmap_grid *grid, size_t gap);

/* "12.4 s", "340 ms", "0": a time for people. */
void heatmap_axis_time(struct str *out, uint64_t ns);
/* The time of a column since the first: "1:20" from a minute on, "0.4" where columns are short. */
void heatmap_axis_column(struct str *out, const struct heatmap_grid *grid, size_t column);

/* "12 s and 340 ms to 360 ms": where a square is. */
void heatmap_axis_square(
	struct str *out, const struct heatmap_grid *grid, size_t column, size_t row);

#endif
