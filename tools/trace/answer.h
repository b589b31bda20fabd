/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said and drawn of the events of a trace. */
#ifndef TUESDAY_TOOLS_TRACE_ANSWER_H
#define TUESDAY_TOOLS_TRACE_ANSWER_H

struct heatmap;
struct str;
struct trace_options;
struct trace_record;

/* Writes what is asked for into files, and appends what goes to standard output, or to --to. before
 * may be NULL. Returns 0, or -errno after a message. */
int trace_answer(struct str *out, const struct trace_options *asked,
	const struct trace_record *record, const struct heatmap *before);

#endif
