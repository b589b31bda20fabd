/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes, so that the history stays within its days and its bytes? */
#include "base/banned.h"

#include <errno.h>

#include "history/internal.h"
#include "history/incidents.h"
#include "history/limits.h"
#include "base/number_map.h"
#include "base/str.h"
#include "history/retention.h"

#define PAGE_BYTES 4096
/* How many of the last runs have to agree what time it is: most of them. */
#define CLOCK_RUNS 5
/* How many runs that are old go with each that comes. */
#define FEW_RUNS 8
/* The share of the size from which on room is made as well; how many go beyond all of it. */
#define FULL 0.92
#define MANY_RUNS 200
/* What is given back to the disk with one run. */
#define BACK_PAGES 256

/* Lets go of runs whose numbers are up to this one. */
static int forget_up_to(struct history *history, int64_t run)
{
	static const char *const statements[] = {
		"DELETE FROM numbers WHERE run <= %lld",
		"DELETE FROM lights WHERE run <= %lld",
		"DELETE FROM reports WHERE run <= %lld",
		"DELETE FROM runs WHERE id <= %lld",
	};
	size_t i;
	int err = incident_forget(history, run);

	for (i = 0; !err && i < ARRAY_SIZE(statements); i++) {
		/* No text of ours or of others goes into these: a number does. */
		char *sql = sqlite3_mprintf(statements[i], (long long)run);

		err = sql ? db_exec(history, sql) : -ENOMEM;
		sqlite3_free(sql);
	}
	return err;
}

/* The number of the last of so many that are oldest, -1 for none. */
static int64_t oldest_runs(struct history *history, int runs)
{
	char *sql =
		mem_printf("SELECT max(id) FROM (SELECT id FROM runs ORDER BY id LIMIT %d)", runs);
	int64_t run = db_number(history, sql, -1);

	free(sql);
	return run;
}

/* The present, as the clock and most of the last runs have it; INT64_MIN: too few runs. The clock
 * of one run may be wrong, before it is set at boot as well as far ahead. */
static int64_t agreed_time(struct history *history, time_t now)
{
	char *sql = mem_printf("SELECT time FROM (SELECT time FROM runs ORDER BY id DESC LIMIT %d) "
			       "ORDER BY time DESC LIMIT 1 OFFSET %d",
		CLOCK_RUNS, CLOCK_RUNS / 2);
	int64_t time = db_number(history, sql, INT64_MIN);

	free(sql);
	return time < now ? time : now;
}

/*
 * The oldest that are past their time, by number, up to the first that is not: one whose time is in
 * the future, since the clock was, goes with those around it. A few at a time, so that a clock that
 * stays wrong for hours costs no more than the oldest days.
 */
static int forget_old(struct history *history, const struct retention *retention, time_t now)
{
	int64_t present = agreed_time(history, now), old, young, few, last;
	char *sql;

	if (present == INT64_MIN)
		return 0;
	old = present - (int64_t)retention->keep_seconds;
	/* The plus keeps SQLite from the index of times: the first by number is near. */
	sql = mem_printf(
		"SELECT id FROM runs WHERE +time BETWEEN %lld AND %lld ORDER BY id LIMIT 1",
		(long long)old, (long long)present);
	young = db_number(history, sql, INT64_MAX);
	free(sql);
	sql = mem_printf("SELECT max(id) FROM runs WHERE id < %lld AND +time < %lld",
		(long long)young, (long long)old);
	last = db_number(history, sql, -1);
	free(sql);
	few = oldest_runs(history, FEW_RUNS);
	return last < 0 ? 0 : forget_up_to(history, last < few ? last : few);
}

static double used_bytes(struct history *history)
{
	return (double)(db_number(history, "PRAGMA page_count", 0) -
		       db_number(history, "PRAGMA freelist_count", 0)) *
		PAGE_BYTES;
}

/* Half of the room is for numbers and lights, however often a light flickers. */
static int forget_reports(struct history *history, uint64_t max_bytes)
{
	int64_t packed = db_number(history, "SELECT sum(packed) FROM reports", 0);

	if (packed <= (int64_t)(max_bytes / 2))
		return 0;
	return db_exec(history,
		"DELETE FROM reports WHERE run <= (SELECT max(run) FROM (SELECT run FROM reports "
		"ORDER BY run LIMIT (SELECT count(*) / 8 + 1 FROM reports)))");
}

/* The series that some run has a number of; the others go. */
struct orphans {
	struct number_map used;
	sqlite3_stmt *forget;
	int err;
};

static int orphans_note_used(void *arg, sqlite3_stmt *row)
{
	struct orphans *orphans = arg;

	number_map_add(&orphans->used, (uint64_t)sqlite3_column_int64(row, 0), 0);
	return 0;
}

static int orphans_look_at_series(void *arg, sqlite3_stmt *row)
{
	struct orphans *orphans = arg;
	int64_t id = sqlite3_column_int64(row, 0);
	size_t value;

	if (number_map_get(&orphans->used, (uint64_t)id, &value))
		return 0;
	sqlite3_bind_int64(orphans->forget, 1, id);
	orphans->err = db_run(orphans->forget);
	return orphans->err;
}

int history_forget_orphans(struct history *history)
{
	struct orphans orphans = {0};
	int err = db_each_row(
		db_prepare(history, "SELECT series FROM numbers"), orphans_note_used, &orphans);

	if (!err) {
		orphans.forget = db_prepare(history, "DELETE FROM series WHERE id = ?");
		err = orphans.forget
			? db_each_row(db_prepare(history, "SELECT id FROM series ORDER BY id"),
				  orphans_look_at_series, &orphans)
			: -EIO;
	}
	err = err ? err : orphans.err;
	sqlite3_finalize(orphans.forget);
	number_map_free(&orphans.used);
	if (!err)
		err = limits_begin(history);
	if (!err)
		err = db_exec(
			history, "DELETE FROM limits WHERE series NOT IN (SELECT id FROM series)");
	return err;
}

/* The oldest sixteenth, until there is room. */
static int prune_make_room(struct history *history, uint64_t max_bytes, double share)
{
	int err = 0, i;

	for (i = 0; !err && i < 64 && used_bytes(history) > share * (double)max_bytes; i++) {
		int64_t first = db_number(history, "SELECT min(id) FROM runs", -1);
		int64_t last = db_number(history, "SELECT max(id) FROM runs", -1);

		if (first < 0 || first >= last)
			return -ENOSPC;
		err = forget_up_to(history, first + (last - first) / 16);
	}
	return err || !i ? err : history_forget_orphans(history);
}

static int forget_some(struct history *history, int runs)
{
	int64_t run = oldest_runs(history, runs);

	return run < 0 ? 0 : forget_up_to(history, run);
}

int history_tidy(struct history *history, const struct retention *retention, time_t now)
{
	int err = forget_old(history, retention, now);

	if (!err)
		err = forget_reports(history, retention->max_bytes);
	/* A few at a time, so that no run pays for all. */
	if (!err && used_bytes(history) > FULL * (double)retention->max_bytes)
		err = forget_some(history,
			used_bytes(history) > (double)retention->max_bytes ? MANY_RUNS : FEW_RUNS);
	return err;
}

int history_bound(struct history *history, const struct retention *retention)
{
	char *sql = mem_printf("PRAGMA max_page_count = %llu",
		(unsigned long long)(retention->max_bytes / PAGE_BYTES));
	int err = 0;

	/* Where only memory was wanting, nothing is damaged. */
	if (db_number(history, sql, -1) < 0) {
		err = db_last_error(history);
		err = err ? err : -EUCLEAN;
	}
	free(sql);
	return err;
}

void history_give_back(struct history *history, const struct retention *retention)
{
	char *sql;

	if (db_number(history, "PRAGMA freelist_count", 0) * PAGE_BYTES <=
		(int64_t)(retention->max_bytes / 8))
		return;
	sql = mem_printf("PRAGMA incremental_vacuum(%d)", BACK_PAGES);
	db_exec(history, sql);
	free(sql);
}

int history_free_room(struct history *history, const struct retention *retention)
{
	int err = db_exec(history, "BEGIN IMMEDIATE");

	if (!err)
		err = prune_make_room(history, retention->max_bytes,
			used_bytes(history) / (double)retention->max_bytes * 0.9);
	if (!err)
		err = db_exec(history, "COMMIT");
	if (err)
		sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}
