/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds a build, and when it did. */
#ifndef TUESDAY_TOOLS_SPAN_HOLDER_H
#define TUESDAY_TOOLS_SPAN_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span_analysis;

struct span_holder {
	bool believed; /* not too many spans are wrong for that to be said */
	uint32_t name; /* of the spans that have most of its critical path; SPAN_NONE: no span ran
			* for longer than any did, or there is no span with a duration */
	uint64_t ns;   /* that it has of the path */
	/* When, since 1970: its pieces of the path, ascending; the whole build where it has no name
	 * or is not believed. */
	struct span_stretch {
		int64_t from_ns, to_ns;
		uint64_t before_ns; /* all stretches before it together */
	} * stretches;
	size_t n, room;
};

/* It is not believed where more than this share of the spans is wrong. The caller frees. */
void span_holder_find(
	struct span_holder *holder, const struct span_analysis *analysis, double most_wrong);
/* How much of this time it held the build, in nanoseconds. */
uint64_t span_holder_overlap(const struct span_holder *holder, int64_t from_ns, int64_t to_ns);
void span_holder_free(struct span_holder *holder);

#endif
