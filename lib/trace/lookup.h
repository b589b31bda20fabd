/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a declared trace fits the tracepoints of this machine, without loading anything. */
#ifndef TUESDAY_TRACE_LOOKUP_H
#define TUESDAY_TRACE_LOOKUP_H

struct str;
struct trace_spec;

enum trace_lookup {
	LOOKUP_RIGHT,
	LOOKUP_WRONG,  /* a tracepoint or a field is not there, and why says which was meant */
	LOOKUP_UNKNOWN /* it cannot be told here, and why says what for */
};

/*
 * Looks up the tracepoints of a spec, and the fields that it names. tracefs is the descriptor of
 * tracefs_open. That a whole subsystem is missing is unknown: it may belong to a module that is not
 * loaded; unless one with nearly that name has the tracepoint. What the spec says is of a later
 * kernel (since) is right.
 */
enum trace_lookup trace_spec_lookup(int tracefs, const struct trace_spec *spec, struct str *why);

#endif
