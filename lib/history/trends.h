/* SPDX-License-Identifier: GPL-2.0-only */
/* When a limit is reached, by what earlier runs saw. */
#ifndef TUESDAY_HISTORY_TRENDS_H
#define TUESDAY_HISTORY_TRENDS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct history;

/* Whether a limit of the report is so near that earlier runs can have something to say of it, past
 * the part of the way that its trend.from names: else they need not be asked. */
bool history_trends_matter(const struct report *report);

/*
 * Adds to the limits of the checks that accuse, to those that are near, or to all, when they are
 * reached: by the values of the last 6 hours, and by one an hour of the last 7 days, whichever is
 * sooner. A limit that was changed begins anew, and so does what a start of the machine has set
 * back. What is full within the metric's trend.within becomes maybe. What only the windows of this
 * run accuse is good again where it has come back from there before (docs/history.md). Returns
 * whether a verdict of a check has changed: then the report has to be judged anew.
 */
bool history_recall_trends(struct history *history, struct report *report, bool all);

/*
 * The forecast of one series at now, by Theil-Sen over the points, 24 or more, one for each hour;
 * known only where all of the interval of 95 % goes towards the limit. Also for tools.
 */
struct forecast history_forecast(
	const double *times, const double *values, size_t n, double now, double target, bool above);

#endif
