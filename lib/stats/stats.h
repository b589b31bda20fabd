/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics for verdicts: is it different, by how much, and how sure are we?
 *
 * Pure functions on arrays of doubles: no I/O, no global, no clock, no hidden randomness (whoever
 * needs chance brings a seeded struct stats_random). Arrays stay the caller's and unchanged unless
 * a comment says "sorts". Which one is used where, and its measured error rates:
 * docs/statistics.md; the measuring itself is tests/unit/stats.c.
 *
 * Functions that may fail return 0 or a negative errno: -EINVAL for an argument that makes no sense
 * (NaN among the values, a share above 1, no values), -ENOMEM, -E2BIG. A result is then not
 * touched.
 */
#ifndef TUESDAY_STATS_STATS_H
#define TUESDAY_STATS_STATS_H

/* Both ends included; in the unit of the values. */
struct stats_interval {
	double low, high;
};

#endif
