/* SPDX-License-Identifier: GPL-2.0-only */
/* The database itself, for the files of this folder. */
#ifndef TUESDAY_HISTORY_INTERNAL_H
#define TUESDAY_HISTORY_INTERNAL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

#include "history/history.h"
#include "report/report.h"

struct retention;
struct metric_result;

struct history {
	sqlite3 *db;
	char *path;
	dev_t device; /* of the file that was opened: another one may be in its place by now */
	ino_t inode;
	bool writable;
	char *unlearned; /* see history_unlearned() */
};

/* From a result code of SQLite to -errno: -EUCLEAN for a damaged file. */
int db_error(int code);

/* Why the last call failed, as -errno; 0 where it did not. */
int db_last_error(struct history *history);

/* Statements without results. Returns 0 or -errno. */
int db_exec(struct history *history, const char *sql);

/* A verdict that was kept; unknown for what is none. */
enum verdict db_verdict(sqlite3_stmt *row, int column);

/* The first column of the first row, or otherwise. */
int64_t db_number(struct history *history, const char *sql, int64_t otherwise);

/* Prepares; NULL on an error. */
sqlite3_stmt *db_prepare(struct history *history, const char *sql);
/* Steps through rows until take returns other than 0, and finalizes them. Returns 0, or -EIO, also
 * for rows that could not be prepared: NULL. */
int db_each_row(sqlite3_stmt *rows, int (*take)(void *arg, sqlite3_stmt *row), void *arg);
/* Runs a statement that gives no rows and makes it ready for the next time. 0 or -errno. */
int db_run(sqlite3_stmt *statement);

/*
 * The last run up to this one that was of the same checks and whose report was kept, or -1. same:
 * whether each of them had the same light in it.
 */
int64_t db_kept_report(struct history *history, int64_t run, bool *same);

/* What a number is kept under: where instances come and go, it is that of the worst, whichever. */
const char *history_instance(const struct metric_result *result);

/* Lets the file grow no further than it may. 0, or -errno: -EUCLEAN where it is damaged. */
int history_bound(struct history *history, const struct retention *retention);
/* Within a transaction: lets go of a few runs that are too old at now, or of what is too much. 0 or
 * -errno. */
int history_tidy(struct history *history, const struct retention *retention, time_t now);
/* Makes room where there is none for a run; on a disk that is full that does not help. 0 or
 * -errno. */
int history_free_room(struct history *history, const struct retention *retention);
/* Within a transaction: lets go of series that no run has a number of any more. It goes through all
 * numbers, which takes some tenths of a second where there are millions. 0 or -errno. */
int history_forget_orphans(struct history *history);
/* Gives pages that are free beyond need back to the disk, a few each time. */
void history_give_back(struct history *history, const struct retention *retention);

/* Puts a damaged file aside, with a message; what others did meanwhile is theirs. */
void db_put_aside(const struct history *history);

#endif
