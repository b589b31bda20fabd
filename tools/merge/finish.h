/* SPDX-License-Identifier: GPL-2.0-only */
/* A fleet when all reports are read. */
#ifndef TUESDAY_TOOLS_MERGE_FINISH_H
#define TUESDAY_TOOLS_MERGE_FINISH_H

#include <time.h>

struct fleet;

/*
 * Once all is read: who is stale, missing or has a clock that is ahead, what the accused share, the
 * verdict and the type. now is the time here; a report is stale that is stale_seconds older than
 * the median of all.
 */
void fleet_settle(struct fleet *fleet, time_t now, double stale_seconds);

#endif
