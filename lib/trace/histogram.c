/* SPDX-License-Identifier: GPL-2.0-only */
/* Below which value do 99 % of all events lie? */
#include "base/banned.h"

#include <linux/types.h>
#include <math.h>

#include "bpf/trace.h"
#include "trace/histogram.h"

void hist_merge(struct hist *sum, const struct hist *more)
{
	size_t i;

	sum->count += more->count;
	sum->total += more->total;
	sum->skipped += more->skipped;
	if (more->max > sum->max)
		sum->max = more->max;
	for (i = 0; i < HIST_SLOTS; i++)
		sum->slots[i] += more->slots[i];
}

static uint64_t difference(uint64_t all, uint64_t less)
{
	return less < all ? all - less : 0;
}

void hist_subtract(struct hist *all, const struct hist *less)
{
	unsigned int i, last = 0;

	all->count = difference(all->count, less->count);
	all->total = difference(all->total, less->total);
	for (i = 0; i < HIST_SLOTS; i++) {
		all->slots[i] = difference(all->slots[i], less->slots[i]);
		if (all->slots[i])
			last = i;
	}
	if (last < HIST_SLOTS - 1 && hist_slot_low(last + 1) - 1 < all->max)
		all->max = hist_slot_low(last + 1) - 1;
}

uint64_t hist_slot_low(unsigned int slot)
{
	unsigned int octave = slot >> HIST_SUB_BITS;
	uint64_t sub = slot & ((1u << HIST_SUB_BITS) - 1);

	if (!octave)
		return sub;
	return (sub + (1u << HIST_SUB_BITS)) << (octave - 1);
}

/* The middle of a slot; the first ones hold one value each. */
static double middle(unsigned int slot)
{
	uint64_t low = hist_slot_low(slot), width = hist_slot_low(slot + 1) - low;

	return (double)low + (double)(width - 1) / 2;
}

double hist_quantile(const struct hist *hist, double q)
{
	double rank = ceil(q * (double)hist->count), value = (double)hist->max;
	uint64_t seen = 0;
	unsigned int i;

	if (!hist->count || !(q >= 0 && q <= 1))
		return NAN;
	if (rank < 1)
		rank = 1;
	/* The last slot has no upper end, so its events are as long as the longest. */
	for (i = 0; i < HIST_SLOTS - 1; i++) {
		seen += hist->slots[i];
		if ((double)seen >= rank)
			return middle(i) < value ? middle(i) : value;
	}
	return value;
}
