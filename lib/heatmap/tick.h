/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often did a profiler look, and how many rows go with that?
 *
 * A row that is no whole number of ticks high gets now one look and now two, which draws stripes
 * that nobody made. So rows are whole ticks high, where the period has so many.
 */
#ifndef TUESDAY_HEATMAP_TICK_H
#define TUESDAY_HEATMAP_TICK_H

#include <stddef.h>
#include <stdint.h>

struct tick_look {
	uint64_t place; /* a CPU, or a thread: whoever is looked at apart from the others */
	uint64_t at_ns;
};

/* The time between two looks at a place, by the gaps that most of them share; 0 where there is
 * none: then these are no samples but events. */
uint64_t heatmap_tick(const struct tick_look *looks, size_t n);

/* Rows of an offset map of that period; tick_ns is 0 where every event is told. */
uint32_t heatmap_tick_rows(uint64_t period_ns, uint64_t tick_ns);

#endif
