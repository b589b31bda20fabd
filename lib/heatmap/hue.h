/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Colours of a heat map: shades of one hue for all, or of grey beside those that are marked. The
 * two marks are told apart by who does not see red and green apart: orange-red and blue.
 */
#ifndef TUESDAY_HEATMAP_HUE_H
#define TUESDAY_HEATMAP_HUE_H

#include <stdbool.h>

struct heatmap_grid;
struct heatmap_square;
struct heatmap_view;

enum heatmap_hue { HUE_ALL, HUE_OTHERS, HUE_FIRST, HUE_SECOND, HUE_BOTH, HEATMAP_HUES };

/* Whose square it is, where somebody is marked. */
enum heatmap_hue heatmap_hue_of(
	const struct heatmap_square *square, const struct heatmap_view *view);

/* 0xRRGGBB, and the number of the nearest of 256 colours. */
unsigned int heatmap_rgb(enum heatmap_hue hue, double shade);
unsigned int heatmap_color256(enum heatmap_hue hue, double shade);

#endif
