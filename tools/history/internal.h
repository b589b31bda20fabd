/* SPDX-License-Identifier: GPL-2.0-only */
/* What `tuesday history` has found, for whoever prints it. */
#ifndef TUESDAY_TOOLS_HISTORY_INTERNAL_H
#define TUESDAY_TOOLS_HISTORY_INTERNAL_H

#include "history/announcements.h"
#include "history/history.h"
#include "base/unit.h"
#include "report/report.h"
#include "check/check.h"

#define COLUMNS 48

struct change {
	int64_t run;
	time_t time;
	enum verdict verdict;
};

/* The light of a check over the time that is shown. */
struct lane {
	char *check;
	bool seen[COLUMNS];
	enum verdict worst[COLUMNS]; /* where seen */
	size_t runs, at[VERDICT_SKIP + 1];
	struct change *changes; /* the first run is one */
	size_t n_changes, room_changes;
};

/* A number of the check over the time that is shown. */
struct number_course {
	int64_t id;
	char *metric, *instance;
	enum unit unit;
	enum metric_class class;
	int accuses;
	double maybe, bad;
	struct history_value *values;
	size_t n, room;
};

struct view {
	const char *program, *check; /* check NULL: all */
	const char *since;
	bool json;
	time_t from, to, now;
	size_t runs;
	struct lane *lanes;
	size_t n_lanes, room_lanes;
	struct number_course *courses;
	size_t n_courses, room_courses;
	struct announcements announced; /* all that are kept: some may be of another time */
};

/* One object, schema tuesday-history/1, on standard output. */
void history_print_json(const struct view *view);

#endif
