/* SPDX-License-Identifier: GPL-2.0-only */
/* Whom a trace blames. */
#ifndef TUESDAY_TRACE_CULPRITS_H
#define TUESDAY_TRACE_CULPRITS_H

#include <stddef.h>

struct culprit;
struct trace_result;

/*
 * Fills up to n culprits, the worst first (by total, or by count for counted events), those of an
 * instance (all instances for -1). Those who suffered, of kind "victim", come behind those to
 * blame, and cgroups behind the others of their role. Returns how many. Share is of all that was
 * charged to the same role in the instances asked, cgroups apart: of what was slow, if the trace
 * has a slow.
 */
size_t trace_culprits(
	const struct trace_result *result, long instance, struct culprit *out, size_t n);

#endif
