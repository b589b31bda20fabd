/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a trace while they happen. */
#ifndef TUESDAY_TOOLS_TRACE_LIVE_H
#define TUESDAY_TOOLS_TRACE_LIVE_H

struct trace_options;
struct trace_record;
struct trace_spec;

/* Looks at a trace, or at one of several things that it measures, field, as long as is asked for,
 * or until somebody presses Ctrl-C, and gives up all rights once all is attached. Returns 0, or
 * -errno after a message. */
int trace_live(struct trace_record *record, const struct trace_options *asked,
	const struct trace_spec *spec, const char *field);

#endif
