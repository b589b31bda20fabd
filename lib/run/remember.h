/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run takes over from the one before it, and what it leaves to the next. */
#ifndef TUESDAY_RUN_REMEMBER_H
#define TUESDAY_RUN_REMEMBER_H

#include <stdbool.h>

struct options;
struct capture;
struct report;
struct run_state;
struct selection;
struct sweep;

/*
 * Loads into saved what the run before saw last, where this one continues it, and tells it to the
 * sweep; once sampling is over. Returns when that was, for people, or NULL where there is nothing
 * to go on from. The caller frees both.
 */
char *run_continue(const struct options *options, struct run_state *saved, struct sweep *sweep,
	struct capture *fs, struct report *report);

/*
 * Keeps what was seen and said, after the report was written: without its counters where cut, since
 * what has happened up to a run that its deadline left no window is still to be judged. Says on
 * standard error what cannot be kept.
 */
void run_remember(const struct options *options, struct run_state *saved,
	const struct selection *selection, const struct sweep *sweep, struct capture *fs,
	struct report *report, bool cut);

#endif
