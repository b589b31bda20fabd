/* SPDX-License-Identifier: GPL-2.0-only */
/* A run, added to the history. */
#ifndef TUESDAY_HISTORY_INSERT_H
#define TUESDAY_HISTORY_INSERT_H

#include <stddef.h>
#include <stdint.h>

struct history;
struct retention;
struct report;
struct str;

/* Appends the whole report as JSON. */
typedef void history_write(struct str *json, const struct report *report);

/*
 * Adds a run in one transaction, and lets go of what is too old or too much. Its whole report is
 * kept, and so written, if a light changed since the last run of the same checks; consumer is whom
 * it was for, or NULL. Returns the run's number, or -ENOSPC, -EBUSY (another run adds just then,
 * and did for seconds), -EUCLEAN (it is damaged: it has been put aside; open it anew), or -EIO.
 */
int64_t history_enter(struct history *history, const struct report *report, history_write *write,
	const char *consumer, const struct retention *retention);

/*
 * The names of checks ("listen, cgroup") that have more instances than are kept, so that what is
 * new of them was not learned by the run that was entered last; NULL for none. Each is told once,
 * and again only when there was room for it meanwhile. The history's own.
 */
const char *history_unlearned(const struct history *history);

#endif
