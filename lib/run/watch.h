/* SPDX-License-Identifier: GPL-2.0-only */
/* The checklist again and again, live, with what has changed. */
#ifndef TUESDAY_RUN_WATCH_H
#define TUESDAY_RUN_WATCH_H

struct options;

/*
 * Runs the checks of options until somebody interrupts it, and shows each result in place of the
 * one before where standard output is a terminal. Neither reads nor writes the history. Returns the
 * exit status of the last whole run.
 */
int run_watch(const char *program, struct options *options);

#endif
