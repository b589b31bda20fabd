/* SPDX-License-Identifier: GPL-2.0-only */
/* How lights and numbers came to be what they are. */
#ifndef TUESDAY_TOOLS_REPORT_HISTORY_H
#define TUESDAY_TOOLS_REPORT_HISTORY_H

#include <time.h>

struct history;
struct metric_result;
struct past;
struct report;
struct shift;
struct trail;

/* Reads from..to, and as much before it. Returns 0 or -EIO. */
int past_read(struct past *past, struct history *history, const struct report *report, time_t from);
const struct trail *past_trail(
	const struct past *past, const char *check, const struct metric_result *metric);
const struct shift *past_shift(const struct past *past, const char *check);
void past_free(struct past *past);

#endif
