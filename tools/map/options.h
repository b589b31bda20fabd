/* SPDX-License-Identifier: GPL-2.0-only */
/* What somebody wants of a heat map. */
#ifndef TUESDAY_TOOLS_MAP_OPTIONS_H
#define TUESDAY_TOOLS_MAP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heatmap/grid.h"
#include "run/options.h"

enum map_format { MAP_FORMAT_TEXT, MAP_FORMAT_JSON, MAP_FORMAT_FOLDED };

struct map_options {
	const char *program;
	struct options common;
	size_t format;
	size_t color;
	bool latency, linear, wall;
	const char *svg, *to, *cells; /* files, or NULL */
	const char *compare;	      /* the file before, or NULL */
	const char *title;
	const char *isolate;
	const char *marks[HEATMAP_MARKS];
	bool has_at, has_range;
	uint64_t at_ns, from_ns, to_ns; /* since the first column began */
	double period_seconds;
	double seconds; /* how long this machine is looked at */
	bool is_live;
	unsigned int rows;
	uint64_t time_unit_ns, latency_unit_ns;
};

/* Returns 0, 1 where help was printed, or -EINVAL after a message. */
int map_options_read(struct map_options *asked, int argc, char **argv);
void map_options_free(struct map_options *asked);

#endif
