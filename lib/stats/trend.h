/* SPDX-License-Identifier: GPL-2.0-only */
/* A course of values. */
#ifndef TUESDAY_STATS_TREND_H
#define TUESDAY_STATS_TREND_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

/*
 * Theil-Sen: the median of the slopes of all pairs, per unit of time, with Sen's interval (1968),
 * which is widened by (1 + r)/(1 - r) in variance, r being the lag-1 autocorrelation of what is
 * left (Bayley and Hammersley 1946): values that follow each other say less than as many
 * independent ones. level + slope * time is the line. Up to 29 % of wild values do not move it.
 * times ascend; n from 3 to 2000, else -EINVAL or -E2BIG. have_interval is false where n is too
 * small for it.
 */
struct stats_trend {
	double slope, level;
	bool have_interval;
	struct stats_interval interval;
};
int stats_trend(const double *times, const double *values, size_t n, double confidence,
	struct stats_trend *result);

/* Lag-1 autocorrelation, 0 where nothing varies; and (1 + r)/(1 - r), at least 1, at most n/2. */
double stats_autocorrelation(const double *values, size_t n);
double stats_redundancy(double autocorrelation, size_t n);

#endif
