/* SPDX-License-Identifier: GPL-2.0-only */
/* One trace, or one span of it, as a tree. */
#ifndef TUESDAY_TOOLS_SPAN_ZOOM_H
#define TUESDAY_TOOLS_SPAN_ZOOM_H

#include <stddef.h>

struct span_analysis;
struct str;

/*
 * Appends the tree of a trace, or of a span in it, with what each has of the critical path of what
 * is shown; most lines at most. trace may be NULL where span is unique. Returns 0, or -ENOENT where
 * there is none of these ids.
 */
int span_write_zoom(struct str *out, const struct span_analysis *analysis, const char *trace,
	const char *span, size_t most);

#endif
