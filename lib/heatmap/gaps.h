/* SPDX-License-Identifier: GPL-2.0-only */
/* When was nobody at work for long, and how long has such a gap to be that chance does not make it?
 */
#ifndef TUESDAY_HEATMAP_GAPS_H
#define TUESDAY_HEATMAP_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heatmap;

struct heatmap_gap {
	uint64_t from_ns, to_ns;
};

struct heatmap_gaps {
	double busy; /* the share of the rows of all columns in which somebody was seen, 0..1 */
	/*
	 * A gap from here on is chance in fewer than one recording of a hundred: of N looks that
	 * meet somebody with a share of u, N u (1 - u)^k runs of k looks without anybody are to be
	 * expected. 0: every event is told, and a gap is a gap. UINT64_MAX: none is long enough.
	 */
	uint64_t chance_ns;
	struct heatmap_gap *gaps; /* longer than that, or the ten longest of events; longest first
				   */
	size_t n;
};

/* Of an offset map, and of the names with this pattern; NULL: of all. */
void heatmap_gaps_find(struct heatmap_gaps *gaps, const struct heatmap *map, const char *pattern);
void heatmap_gaps_free(struct heatmap_gaps *gaps);

#endif
