/* SPDX-License-Identifier: GPL-2.0-only */
/* What spandiagnose found, for people. */
#ifndef TUESDAY_TOOLS_SPAN_TEXT_H
#define TUESDAY_TOOLS_SPAN_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct span_analysis;
struct span_holder;
struct span_stages;
struct str;

/* Everything of the whole: top names at most. beneath are lines that stand below the sentence that
 * says what holds the build. */
void span_write_text(struct str *out, const struct span_analysis *analysis,
	const struct span_stages *stages, size_t top, const struct span_holder *holder,
	const struct str *beneath);

/* What holds the build, in a sentence without its newline. */
void span_write_answer(
	struct str *out, const struct span_analysis *analysis, const struct span_holder *holder);

/* How much data there is, and what is wrong with it, in a sentence or two. */
void span_write_data(struct str *out, const struct span_analysis *analysis);

/* "1.2 s" of nanoseconds. */
void span_write_time(struct str *out, double ns);

/* Names by their share of the build's critical path, then by their sums. The caller frees. */
uint32_t *span_ranked(const struct span_analysis *analysis);

#endif
