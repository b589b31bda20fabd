/* SPDX-License-Identifier: GPL-2.0-only */
/* Which trace does somebody mean? */
#ifndef TUESDAY_TOOLS_TRACE_DECLARE_H
#define TUESDAY_TOOLS_TRACE_DECLARE_H

struct trace_options;
struct trace_spec;

/* The trace that the options declare or name, with what they change of it, or NULL after a message.
 * Of CHECK/TRACE.FIELD, one of several things that its tracer measures, *field is FIELD, else NULL.
 * The caller frees the trace with trace_spec_free. */
struct trace_spec *trace_declare(const struct trace_options *asked, const char **field);

#endif
