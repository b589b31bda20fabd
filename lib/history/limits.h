/* SPDX-License-Identifier: GPL-2.0-only */
/* Since when a limit is what it is: a trend does not go back beyond that. */
#ifndef TUESDAY_HISTORY_LIMITS_H
#define TUESDAY_HISTORY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct history;
struct metric_result;

/* Within a transaction: makes the table where an older Tuesday began the history. 0 or -errno. */
int limits_begin(struct history *history);

/* Keeps what the shares of a series are of, 1024 open files, say, and from when on, where that is
 * another limit than before. 0 or -errno. */
int limits_note(
	struct history *history, int64_t series, const struct metric_result *result, time_t time);

/* From when on the limit of a series is that of the result: 0 for always, or for what is not known;
 * INT64_MAX where no earlier run had that limit. */
int64_t limits_since(struct history *history, int64_t series, const struct metric_result *result);

#endif
