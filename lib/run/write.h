/* SPDX-License-Identifier: GPL-2.0-only */
/* How a run tells what it found, and what of the telling went wrong. */
#ifndef TUESDAY_RUN_WRITE_H
#define TUESDAY_RUN_WRITE_H

#include <stdbool.h>

struct options;
struct capture;
struct report;
struct run_state;

/*
 * Writes the report in the format and to the place that the options name, or hands it to
 * options->take. With --cron it is printed only where there is something to say, which is noted in
 * saved; a file is always written. Returns 0 or -errno, with a message for all but standard output,
 * of which main speaks.
 */
int run_write_report(
	const struct options *options, const struct report *report, struct run_state *saved);

/* Whether the recording, if one was made, is not whole, after a message: it would be replayed as
 * another machine. */
bool run_recording_failed(const struct options *options, const struct capture *fs);

#endif
