/* SPDX-License-Identifier: GPL-2.0-only */
/* What is usual on this machine, and when a limit is reached. */
#ifndef TUESDAY_HISTORY_BASELINE_H
#define TUESDAY_HISTORY_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct history;
struct report;

/*
 * Adds to a report what is usual at its hour (the values of the last 14 days within half an hour of
 * this time of day, from 20 runs on 3 days at least), and when a limit will be reached (the trend
 * of the last 7 days): for the checks that accuse, or for all, which takes ten times as long.
 * Changes no verdict.
 */
void history_recall(struct history *history, struct report *report, bool all);

/* The forecast of one series at now, of points that are one for each hour: also for tools. */
struct forecast history_forecast(
	const double *times, const double *values, size_t n, double now, double target, bool above);

#endif
