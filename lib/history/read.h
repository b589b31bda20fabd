/* SPDX-License-Identifier: GPL-2.0-only */
/* What earlier runs found. */
#ifndef TUESDAY_HISTORY_READ_H
#define TUESDAY_HISTORY_READ_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/unit.h"
#include "check/check.h"
#include "report/report.h"

struct history;
struct str;

/* The whole report of a run, as JSON. Returns 0, -ENOENT where none was kept (no light had
 * changed), or -EIO. */
int history_report(struct history *history, int64_t run, struct str *json);

/*
 * The whole report of a run or, where no light had changed in it, of the last one before it that
 * was of the same checks, and of which run it is. -ENOENT also where the lights of that one are
 * others (an older Tuesday kept fewer reports).
 */
int history_report_like(struct history *history, int64_t run, int64_t *of, struct str *json);

/* A check's light in a run; a number in a run. Returning non-zero ends it. */
struct history_verdict {
	int64_t run;
	time_t time;
	const char *check;
	enum verdict verdict;
};
struct history_value {
	int64_t run;
	time_t time;
	int64_t series; /* stands for check, metric and instance */
	double value;
	enum verdict verdict;
	unsigned int boot; /* of history_each_step: one more after each start of the machine */
};
struct history_series {
	int64_t id;
	const char *check, *metric, *instance; /* instance "" for none */
	enum unit unit;
	enum metric_class class;
	int accuses;	   /* 1: above its limits, -1: below them, 0: neither */
	double maybe, bad; /* as they stood last; NAN: none */
};

/* Those of runs from..to by time, both included, in the order of runs. check NULL: all of them.
 * Return 0 or -EIO. */
int history_each_verdict(struct history *history, const char *check, time_t from, time_t to,
	int (*each)(void *arg, const struct history_verdict *light), void *arg);
int history_each_value(struct history *history, const char *check, time_t from, time_t to,
	int (*each)(void *arg, const struct history_value *value), void *arg);
int history_each_series(struct history *history, const char *check,
	int (*each)(void *arg, const struct history_series *series), void *arg);
/* The first value in each so many seconds of some series, of whichever run it is; a clock that was
 * set back shows no such time twice. As above. */
int history_each_step(struct history *history, const int64_t *series, size_t n, int seconds,
	time_t from, time_t to, int (*each)(void *arg, const struct history_value *value),
	void *arg);
/* Of one run. */
int history_verdicts_of(struct history *history, int64_t run,
	int (*each)(void *arg, const struct history_verdict *light), void *arg);
int history_values_of(struct history *history, int64_t run,
	int (*each)(void *arg, const struct history_value *value), void *arg);

#endif
