/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sentinels: traces that are on for as long as counters are sampled ("when = always"), so that
 * what happens between two samples is seen all the same.
 *
 * They are attached before sentinels_begin returns and detached in sentinels_end, so that neither
 * is in the windows between. One child has them all, and no rights but to read its own maps.
 */
#ifndef TUESDAY_TRACE_SENTINEL_H
#define TUESDAY_TRACE_SENTINEL_H

#include <stddef.h>

struct capture;
struct sentinels;
struct trace_spec;
struct traces;

/*
 * Starts the traces of these specs, which with what they point to have to live until sentinels_end.
 * why_not: why none may run, or NULL. What cannot run says why in its result. Where the machine is
 * a recording nothing is started. Never fails; the caller ends it with sentinels_end.
 */
struct sentinels *sentinels_begin(
	struct capture *fs, const struct trace_spec *const *specs, size_t n, const char *why_not);

/*
 * Stops them, frees sentinels and returns what they saw, for the caller to free with traces_free;
 * recorded in the present sample, and in a replay read from there. NULL for NULL.
 */
struct traces *sentinels_end(struct sentinels *sentinels);

#endif
