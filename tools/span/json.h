/* SPDX-License-Identifier: GPL-2.0-only */
/* What spandiagnose found, for programs. */
#ifndef TUESDAY_TOOLS_SPAN_JSON_H
#define TUESDAY_TOOLS_SPAN_JSON_H

#include <stddef.h>

struct span_analysis;
struct span_holder;
struct span_stages;
struct span_while;
struct str;

/* One JSON object, "tuesday-spans/1": top names at most; of the command that was run, or NULL. */
void span_write_json(struct str *out, const struct span_analysis *analysis,
	const struct span_stages *stages, size_t top, const struct span_holder *holder,
	const struct span_while *run);
/* The critical path of the build as "root;child;span NANOSECONDS", one line for each way down. */
void span_write_folded(struct str *out, const struct span_analysis *analysis);

#endif
