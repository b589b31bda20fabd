/* SPDX-License-Identifier: GPL-2.0-only */
/* What is usual on this machine. */
#ifndef TUESDAY_HISTORY_BASELINE_H
#define TUESDAY_HISTORY_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct history;
struct report;

/*
 * Adds to a report what is usual at its hour (the values of the last 14 days within half an hour of
 * this time of day, from 20 runs on 3 days at least), which changes no verdict, and when a limit
 * will be reached, which may (history/trends.h): for the checks that accuse, or for all, which
 * takes ten times as long. Returns whether a verdict has changed.
 */
bool history_recall(struct history *history, struct report *report, bool all);

#endif
