/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run that continues an earlier one: what that one counted last is told to the sweep, so that the
 * judge sees the time in between; and what this one counted last is kept for the next.
 */
#ifndef TUESDAY_HISTORY_CONTINUE_H
#define TUESDAY_HISTORY_CONTINUE_H

#include <stddef.h>
#include <time.h>

struct check;
struct capture;
struct report;
struct run_state;
struct sweep;

/*
 * Goes on from saved, which run_state_load returned with this error or 0, once sampling is over.
 * Sets report->continued: a time in between that cannot be judged (the first run, a reboot, another
 * version of the checks, a file that is damaged or another user's) is context and never an alarm.
 * report->time_start must be known.
 */
void continue_from(const struct run_state *saved, int error, struct sweep *sweep,
	struct capture *fs, struct report *report);

/* Replaces the counters in saved by those of this run, as the metrics of its checks need them. */
void continue_keep(struct run_state *saved, struct check *const *checks, size_t n_checks,
	const struct sweep *sweep, struct capture *fs, const struct report *report);

#endif
