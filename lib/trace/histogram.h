/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quantiles from the log-linear histogram that BPF programs fill (its layout is bpf/trace.h).
 *
 * Every power of two is cut into 16 equal slots, so that a slot is at most 1/16 of its lower bound
 * wide; taking its middle, a quantile is wrong by at most 1/32, 3.2 %.
 */
#ifndef TUESDAY_TRACE_HISTOGRAM_H
#define TUESDAY_TRACE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct hist;

/* Adds the counts, total and max of more to sum. */
void hist_merge(struct hist *sum, const struct hist *more);

/* Takes the counts and total of less away from all; what the longest of the rest is, only its slot
 * tells: the end of it, never above what it was. */
void hist_subtract(struct hist *all, const struct hist *less);

/* The lower bound of a slot, and of the one behind it: in the unit of what was counted. */
uint64_t hist_slot_low(unsigned int slot);

/*
 * The value below or at which a share q (0..1) of all events lie: the middle of the slot that holds
 * the event of rank ceil(q * count), never above max. NAN for an empty histogram.
 */
double hist_quantile(const struct hist *hist, double q);

#endif
