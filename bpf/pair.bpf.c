// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long does something declared take, by a histogram and by whom?
 */
#include "pair.bpf.h"

SENTINEL(INSTANCE_NONE, "tracepoints");

/* Counts a value, and charges whom it was taken from. */
static __always_inline void count(__u64 value, struct start *start)
{
	bool by = pair.by.kind != FIELD_NONE;
	struct hist *hist = by ? hist_of(start->by) : hist_here();

	if (!hist)
		return;
	hist_add(hist, value);
	if (pair.who.kind == FIELD_NONE || value < params.slow)
		return;
	start->who.kind = pair.who_kind;
	start->who.instance = by ? instance_fold(start->by[0], start->by[1]) : 0;
	charge(&start->who, start->pid, value);
}
