/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The history: what runs found on this machine, in one SQLite file, history.db in the state
 * directory. A row for each run, each check's light and each number that has limits; and the whole
 * report of every run in which a light changed. Bounded in days and bytes (keeping.h); what is
 * oldest goes first. A run that is killed at any moment leaves it as it was or with that run whole.
 *
 * Times are those of the clock on the wall, which may have been set: the order of runs is that of
 * their numbers.
 */
#ifndef TUESDAY_HISTORY_H
#define TUESDAY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "history/retention.h"
#include "report/report.h"
#include "base/unit.h"
#include "check/check.h"

struct history;
struct str;

enum history_mode {
	HISTORY_READ, /* -ENOENT where there is none */
	HISTORY_ADD,  /* the same, to be added to */
	HISTORY_MAKE, /* begun where there is none, with its directory */
};

/*
 * Opens the one in dir, NULL for the usual state directory. A file that is damaged is put aside as
 * history.db.damaged and a new one begun (with HISTORY_READ: -ENOENT then), with a message on
 * standard error. Returns 0; -ENOENT; -EPERM where file or directory are another user's or others
 * may write to them; -EPROTO where another program or a newer Tuesday wrote it: it is left alone;
 * or -errno.
 */
int history_open(struct history **out, const char *dir, enum history_mode mode);
void history_close(struct history *history);
/* Its path, for messages. */
const char *history_path(const struct history *history);

/*
 * Adds a run in one transaction, and lets go of what is too old or too much. json is its whole
 * report, kept if a light changed since the last run of the same checks; consumer is whom it was
 * for, or NULL. Returns the run's number,
 * or -ENOSPC, -EBUSY (another run adds just then, and did for seconds), -EUCLEAN (it is damaged: it
 * has been put aside; open it anew), or -EIO.
 */
int64_t history_enter(struct history *history, const struct report *report, const char *json,
	size_t len, const char *consumer, const struct keeping *keeping);

struct history_run {
	int64_t id;
	char uuid[33];
	time_t time;
	enum verdict verdict;
};

/*
 * Finds a run as a person names it: a number (12, #12), the beginning of a report's id (at least 6
 * digits), "last", "last-3", or a moment (moment.h): the run before or at it. Returns 0, -ENOENT,
 * or -EINVAL, with a phrase in why.
 */
int history_find(struct history *history, const char *text, time_t now, struct history_run *out,
	struct str *why);

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
struct history_light {
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
int history_each_run(struct history *history, time_t from, time_t to,
	int (*each)(void *arg, const struct history_run *run), void *arg);
int history_each_light(struct history *history, const char *check, time_t from, time_t to,
	int (*each)(void *arg, const struct history_light *light), void *arg);
int history_each_value(struct history *history, const char *check, time_t from, time_t to,
	int (*each)(void *arg, const struct history_value *value), void *arg);
int history_each_series(struct history *history, const char *check,
	int (*each)(void *arg, const struct history_series *series), void *arg);
/* The first value in each hour of some series, of whichever run it is; a clock that was set back
 * shows no hour twice. As above. */
int history_each_hour(struct history *history, const int64_t *series, size_t n, time_t from,
	time_t to, int (*each)(void *arg, const struct history_value *value), void *arg);
/* Of one run. */
int history_lights_of(struct history *history, int64_t run,
	int (*each)(void *arg, const struct history_light *light), void *arg);
int history_values_of(struct history *history, int64_t run,
	int (*each)(void *arg, const struct history_value *value), void *arg);

/*
 * Adds to a report what is usual at its hour (the values of the last 14 days within half an hour of
 * this time of day, from 20 runs on 3 days at least), and when a limit will be reached (the trend
 * of the last 7 days): for the checks that accuse, or for all, which takes ten times as long.
 * Changes no verdict.
 */
void history_recall(struct history *history, struct report *report, bool all);

/* The forecast of one series at now, of points that are one for each hour: also for tools. */
struct forecast history_forecast(
	const double *times, const double *values, size_t n, double now, double target, bool above);
/* What full means: 1 for a share with limits below 1, else the limit that is bad, else maybe. */
double history_target(enum unit unit, int accuses, double maybe, double bad);

#endif
