/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace with a tracer of its own while it counts: what has come since the last look, by how long
 * it took.
 *
 * Such a tracer sums up in the kernel, so that nothing is lost, and no event has a time: what is
 * seen at a look came since the one before. Who looks at the end of each column of a picture has
 * every event in its column.
 */
#ifndef TUESDAY_TRACE_SUMS_H
#define TUESDAY_TRACE_SUMS_H

#include <stdint.h>

struct str;
struct trace_spec;
struct trace_sums;

/* Loads and attaches; nothing counts yet. field is the one of several things that the tracer
 * measures, NULL for the first. The spec has to live as long. Returns 0, or -ENOTSUP or -EPERM with
 * a phrase in why. */
int trace_sums_open(struct trace_sums **sums, const struct trace_spec *spec, const char *field,
	struct str *why);
/* Counts from now on. */
void trace_sums_begin(struct trace_sums *sums);
void trace_sums_end(struct trace_sums *sums);
/* Calls each with how long, at least, and how often that was since the last time. */
void trace_sums_take(
	struct trace_sums *sums, void (*each)(void *arg, uint64_t ns, uint64_t times), void *arg);
/* Begins and instances for which there was no room. */
uint64_t trace_sums_lost(const struct trace_sums *sums);
/* Calls each with everybody who was charged, and the longest that he was charged with. */
void trace_sums_who(struct trace_sums *sums,
	void (*each)(void *arg, const char *name, uint32_t pid, uint64_t max_ns), void *arg);
const char *trace_sums_method(const struct trace_sums *sums);
void trace_sums_close(struct trace_sums *sums);

#endif
