/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutes: what a person does not want to hear of for a while, and why. A mute hides no verdict. It
 * keeps --cron from announcing a check's light, every output tells of it, and it ends.
 */
#ifndef TUESDAY_HISTORY_MUTES_H
#define TUESDAY_HISTORY_MUTES_H

#include <stddef.h>
#include <time.h>

struct report;

struct mute {
	char *check, *reason, *by;
	time_t since, until;
};

struct mutes {
	struct mute *list;
	size_t n, room;
};

/* dir NULL is the usual state directory. mutes_load gives those that are not over at now, and
 * returns 0 also where there is no file; -EPERM for a file of somebody else's, -EINVAL for a
 * damaged one (then none is muted), or -errno. */
int mutes_load(struct mutes *out, const char *dir, time_t now);
int mutes_store(const struct mutes *mutes, const char *dir);
void mutes_free(struct mutes *mutes);
/* Waits for its turn: until the descriptor that it returns is closed nobody else changes them. Or
 * -errno. */
int mutes_lock(const char *dir);

/* Pure parts, for tests: the file's text. */
int mutes_parse(struct mutes *out, const char *text, size_t len);

/* Replaces the mute of a check. Removes it: returns whether there was one. */
void mutes_set(struct mutes *mutes, const char *check, const char *reason, const char *by,
	time_t since, time_t until);
int mutes_remove(struct mutes *mutes, const char *check);

/* Writes into the report which checks are muted at its time. */
void mutes_note(struct report *report, const char *dir);

#endif
