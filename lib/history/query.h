/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs, found as a person names them or by their time. */
#ifndef TUESDAY_HISTORY_QUERY_H
#define TUESDAY_HISTORY_QUERY_H

#include <stdint.h>
#include <time.h>

#include "report/report.h"

struct history;
struct str;

struct history_run {
	int64_t id;
	char uuid[33];
	time_t time;
	enum verdict verdict;
};

/*
 * Finds a run as a person names it: a number (12, #12), the beginning of a report's id (at least 6
 * digits), "last", "last-3", or a moment (base/parsetime.h): the run before or at it. Returns 0,
 * -ENOENT, or -EINVAL, with a phrase in why.
 */
int history_find(struct history *history, const char *text, time_t now, struct history_run *out,
	struct str *why);

/* Runs from..to by time, both included, in their order, until each returns non-zero. Returns 0 or
 * -EIO. */
int history_each_run(struct history *history, time_t from, time_t to,
	int (*each)(void *arg, const struct history_run *run), void *arg);

#endif
