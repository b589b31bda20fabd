/* SPDX-License-Identifier: GPL-2.0-only */
/* Two times, or two runs, of a history against each other: stats/compare.h for all that it keeps.
 */
#ifndef TUESDAY_HISTORY_DIFF_H
#define TUESDAY_HISTORY_DIFF_H

#include <stdint.h>
#include <time.h>

#include "stats/compare.h"
#include "report/report.h"
#include "base/unit.h"

struct history;
struct str;

struct diff_values {
	double *list;
	size_t n, room;
};

/* A check's light (1: accused) or a number, on both sides. */
struct diff_subject {
	char *check, *metric, *instance; /* metric NULL: the light */
	int64_t series;
	enum unit unit;
	struct diff_values side[2];
	enum verdict last[2];
	struct compared compared;
};

struct diff_side {
	time_t from, to;
	int64_t run; /* 0: all from..to */
	size_t runs;
};

/* Zeroed but for from, to and run of both sides. */
struct diff {
	struct diff_side side[2];
	size_t at;		       /* the side that is read */
	struct diff_subject *subjects; /* numbers, then lights */
	size_t n, room, n_series;
};

/* Reads both sides. Returns 0 or -EIO. */
int diff_read(struct diff *diff, struct history *history);
/* Tests all that is on both sides, and adjusts for how many these are. */
void diff_test(struct diff *diff);
void diff_free(struct diff *diff);

/* ": 1.2 ms -> 3.1 ms, times 2.6 (95 %: 2.1 to 3), p 0.001". No text from outside is in it. */
void diff_effect(struct str *out, const struct diff_subject *subject);

#endif
