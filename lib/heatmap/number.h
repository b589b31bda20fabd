/* SPDX-License-Identifier: GPL-2.0-only */
/* Times that others wrote as decimal numbers, to the nanosecond and without rounding. */
#ifndef TUESDAY_HEATMAP_NUMBER_H
#define TUESDAY_HEATMAP_NUMBER_H

#include <stdint.h>

/* The word at *at, "12.5", in units of so many ns (1 to 1e9); or with a unit of its own behind it
 * ("12.5ms"). Skips blanks before it and moves *at behind it. Returns 0, -EINVAL where no number
 * stands, or -ERANGE from a quarter of 2^64 ns on (146 years). */
int heatmap_number(const char **at, uint64_t unit_ns, uint64_t *ns);

/* How many ns a unit is, "s", "ms", "us" or "ns"; 0 for any other word. */
uint64_t heatmap_unit_ns(const char *unit);

#endif
