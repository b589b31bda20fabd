/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run takes from the history, and adds to it. */
#ifndef TUESDAY_RUN_HISTORY_HOOK_H
#define TUESDAY_RUN_HISTORY_HOOK_H

struct options;
struct report;

/* After the last verdict: adds to the report what is known of the past. It changes no verdict, and
 * where nothing is known, or the options want no history, it adds nothing. */
void history_hook_recall(const struct options *options, struct report *report);

/*
 * When the report has been written. A run for a timer begins a history; a person's run is added to
 * one that is there, and leaves no trace on a machine that has none. Says on standard error what
 * went wrong; that does not change the run's result.
 */
void history_hook_enter(const struct options *options, const struct report *report);

#endif
