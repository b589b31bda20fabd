/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heat maps shown to somebody: laid out for where they go, drawn on one scale, and in words.
 */
#ifndef TUESDAY_HEATMAP_SHOW_H
#define TUESDAY_HEATMAP_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "heatmap/grid.h"
#include "heatmap/look.h"

struct heatmap;
struct json_writer;
struct str;

struct heatmap_show {
	const struct heatmap *map;
	const struct heatmap *before; /* is drawn above it on the same scale, or NULL */
	const char *isolate, *marks[HEATMAP_MARKS];
	bool linear;
	bool has_range;
	uint64_t from_ns, to_ns; /* since the first column of each map began */
	struct heatmap_look look;
	unsigned int columns; /* of the terminal; 0: 80 */
};

/* All three return 0, or -ENODATA where nothing lies in the range. */
int heatmap_show_terminal(struct str *out, const struct heatmap_show *show);
int heatmap_show_svg(struct str *out, const struct heatmap_show *show);
/* "rows_ns" (where each begins, and the last ends), "column_ns", "first_ns", and "cells", arrays
 * of column, row and weight. */
int heatmap_show_json(struct json_writer *json, const struct heatmap_show *show);

/* "At 12.5 s: riak 3, zoneadmd 1", or that nobody was there: a line. at_ns is counted from the
 * first column's begin. */
void heatmap_show_at(struct str *out, const struct heatmap *map, uint64_t at_ns);

/* A line for each pattern of the view that nobody has in his name. */
void heatmap_show_unmatched(struct str *out, const struct heatmap_show *show);

/* When the first column begins, where times are of the day, and what was lost: sentences with ". "
 * between, and before them where out has some; nothing where there is nothing to say. */
void heatmap_show_notes(struct str *out, const struct heatmap *map);

#endif
