/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The history: what runs found on this machine, in one SQLite file, history.db in the state
 * directory. A row for each run, each check's light and each number that has limits; and the whole
 * report of every run in which a light changed. Bounded in days and bytes (retention.h); what is
 * oldest goes first. A run that is killed at any moment leaves it as it was or with that run whole.
 *
 * Times are those of the clock on the wall, which may have been set: the order of runs is that of
 * their numbers.
 */
#ifndef TUESDAY_HISTORY_HISTORY_H
#define TUESDAY_HISTORY_HISTORY_H

struct history;

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

#endif
