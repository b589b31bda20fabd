/* SPDX-License-Identifier: GPL-2.0-only */
/* Which colour has a square? */
#include "base/banned.h"

#include <stddef.h>

#include "base/str.h"
#include "heatmap/grid.h"
#include "heatmap/hue.h"

#define STOPS 4
#define RAMP 8

/* From the lightest shade that is not empty to the darkest. */
static const unsigned int stops[HEATMAP_HUES][STOPS] = {
	[HUE_ALL] = {0xfff0c4, 0xfdb863, 0xe0452c, 0x67000d},
	[HUE_OTHERS] = {0xe4e4e4, 0xbdbdbd, 0x8c8c8c, 0x4d4d4d},
	[HUE_FIRST] = {0xfdd0b1, 0xfd8d3c, 0xe0341a, 0x8b1a00},
	[HUE_SECOND] = {0xc6dbef, 0x6baed6, 0x2171b5, 0x08306b},
	[HUE_BOTH] = {0xdadaeb, 0xb39ddb, 0x8e44ad, 0x4a1a6b},
};

static const unsigned char ramps[HEATMAP_HUES][RAMP] = {
	[HUE_ALL] = {230, 223, 216, 209, 203, 196, 124, 52},
	[HUE_OTHERS] = {254, 252, 250, 248, 246, 244, 241, 238},
	[HUE_FIRST] = {223, 216, 215, 208, 202, 196, 160, 88},
	[HUE_SECOND] = {195, 153, 117, 75, 33, 27, 20, 17},
	[HUE_BOTH] = {189, 183, 177, 171, 135, 129, 91, 54},
};

enum heatmap_hue heatmap_hue_of(
	const struct heatmap_square *square, const struct heatmap_view *view)
{
	const bool first = square->marked[0], second = square->marked[1];

	if (!view->marks[0] && !view->marks[1])
		return HUE_ALL;
	if (first && second)
		return HUE_BOTH;
	return first ? HUE_FIRST : second ? HUE_SECOND : HUE_OTHERS;
}

static unsigned int hue_between(unsigned int from, unsigned int to, double share, int shift)
{
	const double a = (from >> shift) & 255, b = (to >> shift) & 255;

	return (unsigned int)(a + (b - a) * share + 0.5) << shift;
}

unsigned int heatmap_rgb(enum heatmap_hue hue, double shade)
{
	const double place = (shade < 0 ? 0 : shade > 1 ? 1 : shade) * (STOPS - 1);
	const size_t at = place >= STOPS - 1 ? STOPS - 2 : (size_t)place;
	const unsigned int from = stops[hue][at], to = stops[hue][at + 1];
	const double share = place - (double)at;

	return hue_between(from, to, share, 16) | hue_between(from, to, share, 8) |
		hue_between(from, to, share, 0);
}

unsigned int heatmap_color256(enum heatmap_hue hue, double shade)
{
	const double place = (shade < 0 ? 0 : shade > 1 ? 1 : shade) * RAMP;

	return ramps[hue][place >= RAMP ? RAMP - 1 : (size_t)place];
}
