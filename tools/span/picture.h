/* SPDX-License-Identifier: GPL-2.0-only */
/* The critical path of a build as a flame graph. */
#ifndef TUESDAY_TOOLS_SPAN_PICTURE_H
#define TUESDAY_TOOLS_SPAN_PICTURE_H

struct span_analysis;
struct span_holder;
struct span_options;

/* Writes it to the file of --svg. Returns 0, or -errno after a message. */
int span_picture_write(const struct span_options *asked, const struct span_analysis *analysis,
	const struct span_holder *holder);

#endif
