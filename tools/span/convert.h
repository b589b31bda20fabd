/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans for Chrome's and Perfetto's viewer. */
#ifndef TUESDAY_TOOLS_SPAN_CONVERT_H
#define TUESDAY_TOOLS_SPAN_CONVERT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct span_analysis;

/* What became of the spans. */
struct span_converted {
	uint64_t written, dropped;
	size_t lanes; /* Chrome: rows of the picture */
};

/*
 * Trace events: slices on lanes. A child is on its parent's lane where that has nothing else then,
 * otherwise on one that is free, for slices of a lane must nest. Of more than most_bytes the
 * shortest spans are left out, which the metadata says. Returns 0, -ECANCELED, or -errno.
 */
int span_to_chrome(const struct span_analysis *analysis, FILE *to, size_t most_bytes,
	struct span_converted *converted);

#endif
