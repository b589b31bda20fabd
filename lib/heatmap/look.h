/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a picture of a heat map says beside its squares.
 *
 * A caller counts events (heatmap_add), has them laid out (heatmap_grid_make), makes a scale of the
 * one grid or of the two that are to be compared, and draws: heatmap/terminal.h, heatmap/svg.h.
 * Every name and text is escaped there.
 */
#ifndef TUESDAY_HEATMAP_LOOK_H
#define TUESDAY_HEATMAP_LOOK_H

#include <stdbool.h>

struct heatmap_look {
	const char *title; /* one sentence: what is seen */
	const char *note;  /* what a reader should know of it, or NULL */
	const char *unit;  /* of weights, in the plural: "samples" */
	/* Of a terminal: 0, 256 or 2^24 colours. Without colours it is ASCII, where letters mark
	 * who is highlighted. With UTF-8 and colours a line has two rows. */
	unsigned int colors;
	bool utf8;
};

#endif
