/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two sets of stacks in one picture: frames are as wide as after, and coloured by how their share
 * of all has changed; shares, not weights, so that a load twice as high is no change. A frame is
 * grey unless it has ten samples and its change is more than chance: two proportions, false
 * discoveries at 5 %. Of weights of which nobody knows how many samples they are, chance cannot be
 * told: then all frames are grey, and the legend says why. What was there only before has no width,
 * and is drawn below.
 */
#ifndef TUESDAY_FLAME_DIFFERENCE_H
#define TUESDAY_FLAME_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flame_layout;
struct flame_look;
struct flame_tree;
struct str;

#define FLAME_FALSE_RATE 0.05
#define FLAME_SAMPLES_LEAST 10

struct flame_difference {
	unsigned char *classes; /* of each box: 0 grey, 1 to 3 more, 4 to 6 less */
	double *points;		/* by which its share has changed, in 1 */
	struct flame_tree *gone;
	uint64_t gone_total, then_total;
	double sample;
	size_t rows; /* of what is gone */
};

/* before: the weights of each node's own; then_total their sum. sample: the weight that one sample
 * has, 1 where weights are samples; 0: not known. */
void flame_difference_make(struct flame_difference *difference, struct flame_tree *tree,
	const struct flame_layout *layout, const uint64_t *before, uint64_t then_total,
	double sample);
void flame_difference_free(struct flame_difference *difference);

const char *flame_difference_class(unsigned char class);
/* Appends ", 3.1 points more than before". */
void flame_difference_add_words(
	struct str *out, const struct flame_difference *difference, size_t box);
/* unit: of the weights, in the plural. */
void flame_difference_add_legend(struct str *out, const struct flame_difference *difference,
	const char *unit, double x, double y);
/* What is gone: the height that its picture takes in pixels, and the picture, from y on. */
double flame_difference_height(const struct flame_difference *difference);
void flame_difference_add_gone(struct str *out, const struct flame_difference *difference,
	const struct flame_look *look, double y);

#endif
