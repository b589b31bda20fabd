/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declared traces: from the names in a check file to places in the records of tracepoints.
 */
#ifndef TUESDAY_TRACE_EVENT_FIELDS_H
#define TUESDAY_TRACE_EVENT_FIELDS_H

#include <linux/types.h>
#include <stdbool.h>

#include "bpf/trace.h"

struct trace_spec;
struct event_format;
struct event_field;
struct str;

/* What the results of a declared trace mean. */
struct declared {
	struct trace_pair pair;
	enum instance_kind instances;
	/* Where the numbers of who and by have names, or NULL; with them the field's name. */
	const struct event_format *who_format;
	const struct event_format *by_format;
	bool who_is_device;
	bool who_is_process; /* text that names a process */
};

/*
 * Compiles a spec for its begin and end, or for its event with end NULL. out points into the
 * formats. Returns 0, or -ENOENT with a phrase in why that names the field and the tracepoint.
 */
int declared_compile(const struct trace_spec *spec, const struct event_format *begin,
	const struct event_format *end, struct declared *out, struct str *why);

#endif
