/* SPDX-License-Identifier: GPL-2.0-only */
/* The checklist again and again, live, with what has changed. */
#ifndef TUESDAY_RUN_WATCH_H
#define TUESDAY_RUN_WATCH_H

struct meanwhile;
struct options;

/* What runs the checks once: run_named of run/run.h. */
typedef int watch_run(
	const char *program, const struct options *options, const struct meanwhile *meanwhile);

/*
 * Runs the checks of options until somebody interrupts it, and shows each result in place of the
 * one before where standard output is a terminal. Neither reads nor writes the history. Returns the
 * exit status of the last whole run.
 */
int run_watch(const char *program, struct options *options, watch_run *once);

#endif
