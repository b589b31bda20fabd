/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line on the terminal that says what a run is doing, and whether somebody pressed Ctrl-C.
 */
#ifndef TUESDAY_BASE_PROGRESS_H
#define TUESDAY_BASE_PROGRESS_H

#include <stdbool.h>

/* From here on the first SIGINT or SIGTERM only sets a flag; a second one ends the process. */
void progress_catch_signals(void);
/* Whether that was, or a deadline has passed. */
bool progress_interrupted(void);
/* Whether somebody wants it to stop; at a deadline nobody does, and it has seen what it could. */
bool progress_told_to_stop(void);

/* Interrupts this process after that time, and ends it with exit status 3 where it has not ended 5
 * s later. */
void progress_deadline(double seconds);

/* Shows "doing … 40 %" on standard error if that is a terminal that can take it back. progress_end
 * removes it. */
void progress_show(const char *doing, double share);
void progress_end(void);

#endif
