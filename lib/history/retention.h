/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long and how much is kept, and when something is said again: [history] and [cron] of
 * tuesday.ini (check/site.h), and over it /etc/tuesday/history.ini, or the file that
 * TUESDAY_HISTORY_INI names.
 *
 *	[history]
 *	days   = 90            runs older than that go
 *	size   = 64M           the database never takes more
 *	[cron]
 *	rise   = 2/3           said when in 2 of the last 3 runs (events and limits: at once)
 *	fall   = 3             called off after 3 runs without it
 *	remind = 12h           said again as long as it is bad
 *	digest = 08:00         once a day from then on, if anything was not good; or no
 */
#ifndef TUESDAY_HISTORY_RETENTION_H
#define TUESDAY_HISTORY_RETENTION_H

#include <stddef.h>
#include <stdint.h>

#include "history/hysteresis.h"

struct str;

struct retention {
	double keep_seconds;
	uint64_t max_bytes;
	struct hysteresis damping;
	double remind_seconds;
	int digest_minute; /* of the day; -1: none */
};

/* What is said where no file says otherwise. */
struct retention retention_default(void);

/* Reads one. Returns 0, or -EINVAL with messages in errors, one a line; what is wrong then is as
 * it was before. */
int retention_parse(struct retention *retention, const char *file, const char *text, size_t len,
	struct str *errors);

/* The same of a file that has other sections too, which are somebody else's to read. One that is no
 * INI file at all is left to them: it says nothing. */
int retention_parse_part(struct retention *retention, const char *file, const char *text,
	size_t len, struct str *errors);

/* The one in force; says on standard error what is wrong with the file. Where one is there and
 * cannot be read, nothing of the history is to go. */
struct retention retention_load(void);

#endif
