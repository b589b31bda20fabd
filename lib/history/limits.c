/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the limit still the one that earlier runs had? */
#include "base/banned.h"

#include <math.h>

#include "history/internal.h"
#include "history/limits.h"
#include "report/report.h"

/* A history that an older Tuesday began has no such table until this one enters a run. */
#define TABLE \
	"CREATE TABLE IF NOT EXISTS limits(series INTEGER PRIMARY KEY, whole REAL NOT NULL," \
	" since INTEGER NOT NULL)"
/* What changes by less moves no share by more: memory that is free, and such. */
#define SAME 0.01

int limits_begin(struct history *history)
{
	return db_exec(history, TABLE);
}

static bool limits_has(const struct metric_result *result)
{
	return isfinite(result->whole) && result->whole > 0;
}

static bool limits_is_same(double a, double b)
{
	return fabs(a - b) <= SAME * fabs(b);
}

/* 1 and what was kept, 0 for nothing, or -errno. */
static int limits_find(struct history *history, int64_t series, double *whole, int64_t *since)
{
	sqlite3_stmt *find =
		db_prepare(history, "SELECT whole, since FROM limits WHERE series = ?");
	int status;

	if (!find)
		return db_error(sqlite3_errcode(history->db));
	sqlite3_bind_int64(find, 1, series);
	status = sqlite3_step(find);
	if (status == SQLITE_ROW) {
		*whole = sqlite3_column_double(find, 0);
		*since = sqlite3_column_int64(find, 1);
	}
	sqlite3_finalize(find);
	if (status == SQLITE_ROW)
		return 1;
	return status == SQLITE_DONE ? 0 : db_error(status);
}

int limits_note(
	struct history *history, int64_t series, const struct metric_result *result, time_t time)
{
	sqlite3_stmt *set;
	int64_t since = 0;
	int known, err;
	double whole;

	if (!limits_has(result))
		return 0;
	known = limits_find(history, series, &whole, &since);
	if (known < 0 || (known && limits_is_same(result->whole, whole)))
		return known < 0 ? known : 0;
	set = db_prepare(history, "INSERT OR REPLACE INTO limits VALUES(?, ?, ?)");
	if (!set)
		return db_error(sqlite3_errcode(history->db));
	sqlite3_bind_int64(set, 1, series);
	sqlite3_bind_double(set, 2, result->whole);
	/* That there was another one before is only known where one was kept. */
	sqlite3_bind_int64(set, 3, known ? (int64_t)time : 0);
	err = db_run(set);
	sqlite3_finalize(set);
	return err;
}

int64_t limits_since(struct history *history, int64_t series, const struct metric_result *result)
{
	int64_t since = 0;
	double whole;

	if (!limits_has(result) || limits_find(history, series, &whole, &since) <= 0)
		return 0;
	return limits_is_same(result->whole, whole) ? since : INT64_MAX;
}
