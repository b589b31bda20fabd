/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree of stacks as one SVG file: a picture without a script, and with ours, which lies within,
 * one that can be zoomed, searched and filtered. Nothing is fetched from anywhere. All names are
 * escaped.
 *
 * Frames are 1180 pixels wide where they are all, and are drawn from a tenth of a pixel on, so that
 * a frame has the width that flamegraph.pl gives it.
 */
#ifndef TUESDAY_FLAME_SVG_H
#define TUESDAY_FLAME_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "flame/reshape.h"

struct flame_tree;
struct str;

#define FLAME_PIXELS 1180.0
#define FLAME_LEAST_PIXELS 0.1

enum {
	FLAME_BOXES_MAX = 50000, /* of a picture: what a browser lays out in a tenth of a second */
	FLAME_ROWS_MAX = 2000,	 /* above them a picture is cut, and says so */
};

/* What a picture says beside its frames; all NULL or 0 where it has nothing to say. */
struct flame_look {
	const char *title;	/* one sentence: what was found */
	const char *note;	/* what a reader should know of it, or NULL */
	const char *unit;	/* of weights, in the plural: "samples", the default */
	double seconds_each;	/* that a weight of 1 stands for; 0: no time */
	const char *seconds_of; /* what these are: "of a CPU", the default; "of waiting" */
	double least_pixels;	/* FLAME_LEAST_PIXELS */
	bool inverted;		/* roots are at the top */
	/* How tuesday flame is told of these stacks, before its filters and behind them:
	 * "--hertz 99", "app.folded"; both as a shell takes them. NULL: only the picture itself has
	 * them. */
	const char *options, *input;
	const char *search; /* what is sought at first */
	/* A difference: the weights before, of each node's own, and their sum. */
	const uint64_t *before;
	uint64_t before_total;
	double sample; /* the weight of one sample; 0: not known, unless the unit is samples */
};

/* Appends "1 sample", "7 samples", "7 ns"; the unit is that of a look. */
void flame_svg_add_count(struct str *out, const char *unit, uint64_t weight);

/* Appends the picture of a tree with these filters, or NULL; the tree itself stays as it is. */
void flame_svg(struct str *out, struct flame_tree *tree, const struct flame_filters *filters,
	const struct flame_look *look);

#endif
