/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is in a square of a heat map, or in a stretch of its time, and with how much? */
#ifndef TUESDAY_HEATMAP_WHO_H
#define TUESDAY_HEATMAP_WHO_H

#include <stddef.h>
#include <stdint.h>

#include "heatmap/heatmap.h"

struct heatmap_grid;
struct heatmap_view;

struct heatmap_who {
	const char *name; /* the map's, as it was written by others */
	uint64_t weight;
};

/* Everybody with cells that touch these times (of an offset map: their rows), the most first. The
 * caller frees *who. Returns how many. */
size_t heatmap_who_between(
	const struct heatmap *map, uint64_t from_ns, uint64_t to_ns, struct heatmap_who **who);

/* The same of every square of a grid at once: those of square i are who[starts[i]] up to
 * who[starts[i + 1]]. */
struct heatmap_who_squares {
	struct heatmap_who *who;
	size_t *starts;
};
void heatmap_who_squares(struct heatmap_who_squares *out, const struct heatmap *map,
	const struct heatmap_grid *grid, const struct heatmap_view *view);
void heatmap_who_squares_free(struct heatmap_who_squares *squares);

#endif
