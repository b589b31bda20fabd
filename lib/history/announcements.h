/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Announcements: what people do to a machine on purpose, a rollout or a chaos test, and until when.
 * One hides no verdict and changes none. Every report of its time tells of it, and the rules of
 * types (report/incident.h) ask whether what is wrong began since. It ends by itself, and is kept
 * for a month, so that the history can show when it was.
 *
 * A line each: "tuesday-announced 1", then "SINCE UNTIL BY WHAT"; see base/quoteword.h.
 */
#ifndef TUESDAY_HISTORY_ANNOUNCEMENTS_H
#define TUESDAY_HISTORY_ANNOUNCEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct history;
struct report;

#define ANNOUNCEMENT_MAX_BYTES 200
#define ANNOUNCEMENTS_IN_FORCE_MAX 20

struct announcement {
	char *what, *by;
	time_t since, until;
};

/* The oldest first. */
struct announcements {
	struct announcement *list;
	size_t n, room;
};

/* dir NULL is the usual state directory. announcements_load gives all that are kept, those that are
 * over as well, and returns 0 also where there is no file; -EPERM for a file of somebody else's,
 * -EINVAL for a damaged one (then nothing is announced), or -errno. announcements_store lets go of
 * those that were over a month before now, and of the oldest of too many. */
int announcements_load(struct announcements *out, const char *dir);
int announcements_store(struct announcements *announcements, const char *dir, time_t now);
void announcements_free(struct announcements *announcements);
/* Waits for its turn: until the descriptor that it returns is closed nobody else changes them. Or
 * -errno. */
int announcements_lock(const char *dir);

/* Pure parts, for tests: the file's text. */
int announcements_parse(struct announcements *out, const char *text, size_t len);

bool announcement_holds(const struct announcement *announcement, time_t now);
/* Whether it was in force at any time from..to. */
bool announcement_within(const struct announcement *announcement, time_t from, time_t to);
size_t announcements_in_force(const struct announcements *announcements, time_t now);
/* Takes copies. -ENOSPC where ANNOUNCEMENTS_IN_FORCE_MAX are in force already, else 0. */
int announcements_add(struct announcements *announcements, const char *what, const char *by,
	time_t since, time_t until);

/* Writes into the report what is announced at its time. */
void announcements_note(struct report *report, const char *dir);

/*
 * Writes into a report with announcements whether what it accuses began since the first of them:
 * BEGAN_SINCE where an earlier run of that time, or the last one in the hour before it, found each
 * of these checks good; BEGAN_BEFORE where that one had accused any of them; else BEGAN_UNKNOWN.
 */
void announcements_ask_history(struct report *report, struct history *history);

#endif
