/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The incidents of the history: what was wrong in each run as a condition (report/incident_key.h),
 * and the types that people gave it (retypes.h), which later runs of the same condition inherit.
 */
#ifndef TUESDAY_HISTORY_INCIDENTS_H
#define TUESDAY_HISTORY_INCIDENTS_H

#include "history/history.h"
#include "report/incident.h"
#include "report/incident_key.h"

struct retypes;

struct incident {
	int64_t run;
	char uuid[33];
	time_t time;
	char key[INCIDENT_KEY_SIZE]; /* "" for what an older Tuesday entered, or where nothing
				      * accused
				      */
	const char *type;	     /* in force then, or NULL where the run had none */
	const char *derived;	     /* by the rules */
};

/* Adds the condition of a report to its run, within the transaction of history_enter. 0 or -errno.
 */
int incident_enter(struct history *history, int64_t run, const struct report *report);

/* Lets go of those of runs up to this one. 0 or -errno. */
int incident_forget(struct history *history, int64_t run);

/* One run; -ENOENT where there is no such run, -EIO. */
int incident_of(struct history *history, int64_t run, struct incident *out);
/* The runs from..to by time that had a type. 0 or -EIO. */
int incident_each(struct history *history, time_t from, time_t to,
	int (*each)(void *arg, const struct incident *incident), void *arg);

/*
 * The words of people about the same condition, as long as it has not cleared since, into the
 * report: the last one is the type in force. It has cleared when in as many runs in a row as call a
 * light off (history/retention.h) some of its checks were looked at and none of them was accused or
 * unknown.
 */
void incident_inherit(struct history *history, const char *state, struct report *report);

/* Adds a word of the log to a type as a change: the last is in force. */
struct retype_entry;
void incident_add_change(struct incident_type *type, const struct retype_entry *word);

#endif
