/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The child that traces. Internal to the trace engine.
 */
#ifndef TUESDAY_TRACE_CHILD_H
#define TUESDAY_TRACE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

struct trace_spec;

struct trace_child {
	const struct trace_spec *const *specs;
	size_t n;
	bool until_told; /* until SIGTERM, and not for the seconds of the specs */
};

/* What precedes the answer of a child that looks until it is told, once everything is attached. */
#define TRACE_CHILD_READY '\n'

/* For child_start: arg is a struct trace_child. Loads and attaches everything, gives up its
 * capabilities, waits, and writes the answer (codec.h) to fd. SIGTERM ends the wait early. */
int trace_child_run(void *arg, int fd);

/* Why the child gave no whole answer, by what child_collect returned. The caller frees. */
char *trace_child_why_failed(int err, int status);

#endif
