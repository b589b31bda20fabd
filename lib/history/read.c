/* SPDX-License-Identifier: GPL-2.0-only */
/* What did earlier runs find? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <zlib.h>

#include "history/internal.h"
#include "base/str.h"
#include "base/unit.h"
#include "history/read.h"

/* A report is some hundred kilobytes; more than this would be no report of ours. */
#define REPORT_MAX (256 << 20)

static int unpack(sqlite3_stmt *row, struct str *json)
{
	sqlite3_int64 bytes = sqlite3_column_int64(row, 0);
	const void *packed = sqlite3_column_blob(row, 1);
	int len = sqlite3_column_bytes(row, 1);
	unsigned char *text;
	uLongf size;
	int err = -EIO;

	if (bytes <= 0 || bytes > REPORT_MAX || !packed || len <= 0)
		return err;
	size = (uLongf)bytes;
	text = mem_alloc(size);
	if (uncompress(text, &size, packed, (uLong)len) == Z_OK && size == (uLongf)bytes) {
		str_addn(json, text, size);
		err = 0;
	}
	free(text);
	return err;
}

int history_report(struct history *history, int64_t run, struct str *json)
{
	sqlite3_stmt *find = db_prepare(history, "SELECT bytes, json FROM reports WHERE run = ?");
	int code, err;

	if (!find)
		return -EIO;
	sqlite3_bind_int64(find, 1, run);
	code = sqlite3_step(find);
	err = code == SQLITE_ROW ? unpack(find, json) : code == SQLITE_DONE ? -ENOENT : -EIO;
	sqlite3_finalize(find);
	return err;
}

#define OF_THE_SAME_CHECKS \
	"SELECT r.run FROM reports r WHERE r.run <= %1$lld AND" \
	" (SELECT count(*) FROM lights WHERE run = r.run) =" \
	" (SELECT count(*) FROM lights WHERE run = %1$lld) AND" \
	" NOT EXISTS (SELECT 1 FROM lights a WHERE a.run = %1$lld AND NOT EXISTS" \
	"  (SELECT 1 FROM lights b WHERE b.run = r.run AND b.check_id = a.check_id))" \
	" ORDER BY r.run DESC LIMIT 1"

#define OTHER_LIGHTS \
	"SELECT count(*) FROM lights a JOIN lights b ON b.run = %lld AND" \
	" b.check_id = a.check_id WHERE a.run = %lld AND a.verdict != b.verdict"

int64_t db_kept_report(struct history *history, int64_t run, bool *same)
{
	char *sql = mem_printf(OF_THE_SAME_CHECKS, (long long)run);
	int64_t of = db_number(history, sql, -1);

	free(sql);
	sql = mem_printf(OTHER_LIGHTS, (long long)of, (long long)run);
	*same = of >= 0 && db_number(history, sql, 1) == 0;
	free(sql);
	return of;
}

int history_report_like(struct history *history, int64_t run, int64_t *of, struct str *json)
{
	bool same;

	*of = db_kept_report(history, run, &same);
	return same ? history_report(history, *of, json) : -ENOENT;
}

static const char *row_text(sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? (const char *)text : "";
}

/* The rows of a time and, where check is not NULL, of that check. */
static sqlite3_stmt *rows_between(
	struct history *history, const char *sql, time_t from, time_t to, const char *check)
{
	sqlite3_stmt *rows = db_prepare(history, sql);

	if (!rows)
		return NULL;
	sqlite3_bind_int64(rows, 1, from);
	sqlite3_bind_int64(rows, 2, to);
	if (check)
		sqlite3_bind_text(rows, 3, check, -1, SQLITE_STATIC);
	return rows;
}

static sqlite3_stmt *rows_of_run(struct history *history, const char *sql, int64_t run)
{
	sqlite3_stmt *rows = db_prepare(history, sql);

	if (rows)
		sqlite3_bind_int64(rows, 1, run);
	return rows;
}

struct verdicts {
	int (*each)(void *arg, const struct history_verdict *light);
	void *arg;
};

static int take_verdict_row(void *arg, sqlite3_stmt *row)
{
	const struct verdicts *lights = arg;
	const struct history_verdict light = {
		.run = sqlite3_column_int64(row, 0),
		.time = (time_t)sqlite3_column_int64(row, 1),
		.check = row_text(row, 2),
		.verdict = db_verdict(row, 3),
	};

	return lights->each(lights->arg, &light);
}

#define LIGHTS \
	"SELECT r.id, r.time, c.name, l.verdict FROM runs r JOIN lights l ON l.run = r.id " \
	"JOIN checks c ON c.id = l.check_id "

int history_each_verdict(struct history *history, const char *check, time_t from, time_t to,
	int (*each)(void *arg, const struct history_verdict *light), void *arg)
{
	sqlite3_stmt *rows = rows_between(history,
		LIGHTS "WHERE r.time BETWEEN ? AND ? AND (?3 IS NULL OR c.name = ?3) "
		       "ORDER BY r.id, c.name",
		from, to, check);
	struct verdicts lights = {each, arg};

	return db_each_row(rows, take_verdict_row, &lights);
}

int history_verdicts_of(struct history *history, int64_t run,
	int (*each)(void *arg, const struct history_verdict *light), void *arg)
{
	sqlite3_stmt *rows = rows_of_run(history, LIGHTS "WHERE r.id = ? ORDER BY c.name", run);
	struct verdicts lights = {each, arg};

	return db_each_row(rows, take_verdict_row, &lights);
}

struct values {
	int (*each)(void *arg, const struct history_value *value);
	void *arg;
};

static int take_value_row(void *arg, sqlite3_stmt *row)
{
	const struct values *values = arg;
	const struct history_value value = {
		.run = sqlite3_column_int64(row, 0),
		.time = (time_t)sqlite3_column_int64(row, 1),
		.series = sqlite3_column_int64(row, 2),
		.value = sqlite3_column_double(row, 3),
		.verdict = db_verdict(row, 4),
	};

	return values->each(values->arg, &value);
}

#define VALUES \
	"SELECT r.id, r.time, n.series, n.value, n.verdict FROM runs r " \
	"JOIN numbers n ON n.run = r.id "

int history_each_value(struct history *history, const char *check, time_t from, time_t to,
	int (*each)(void *arg, const struct history_value *value), void *arg)
{
	sqlite3_stmt *rows = rows_between(history,
		VALUES "WHERE r.time BETWEEN ? AND ? AND (?3 IS NULL OR n.series IN (SELECT s.id "
		       "FROM series s JOIN checks c ON c.id = s.check_id WHERE c.name = ?3)) "
		       "ORDER BY r.id, n.series",
		from, to, check);
	struct values values = {each, arg};

	return db_each_row(rows, take_value_row, &values);
}

struct stepwise {
	sqlite3_stmt *find;
	const int64_t *series;
	int64_t *steps; /* the last that was found, by series */
	size_t n;
	int seconds;
	char boot_id[64]; /* of the run before */
	unsigned int boot;
	struct values values;
};

static void history_note_boot(struct stepwise *stepwise, const char *boot_id)
{
	/* One that is not known is no other one. */
	if (!*boot_id || !strcmp(boot_id, stepwise->boot_id))
		return;
	stepwise->boot += *stepwise->boot_id != 0;
	snprintf(stepwise->boot_id, sizeof(stepwise->boot_id), "%s", boot_id);
}

/* What a run says of the series that nobody has told of in its hour: after the first run of an hour
 * few are left. */
static int history_take_step(void *arg, sqlite3_stmt *run)
{
	struct stepwise *stepwise = arg;
	struct history_value value = {
		.run = sqlite3_column_int64(run, 0), .time = (time_t)sqlite3_column_int64(run, 1)};
	int64_t step = value.time / stepwise->seconds;
	int end = 0;
	size_t i;

	history_note_boot(stepwise, row_text(run, 2));
	value.boot = stepwise->boot;
	for (i = 0; !end && i < stepwise->n; i++) {
		if (step <= stepwise->steps[i])
			continue;
		sqlite3_bind_int64(stepwise->find, 1, value.run);
		sqlite3_bind_int64(stepwise->find, 2, stepwise->series[i]);
		if (sqlite3_step(stepwise->find) == SQLITE_ROW) {
			stepwise->steps[i] = step;
			value.series = stepwise->series[i];
			value.value = sqlite3_column_double(stepwise->find, 0);
			value.verdict = db_verdict(stepwise->find, 1);
			end = stepwise->values.each(stepwise->values.arg, &value);
		}
		sqlite3_reset(stepwise->find);
	}
	return end;
}

int history_each_step(struct history *history, const int64_t *series, size_t n, int seconds,
	time_t from, time_t to, int (*each)(void *arg, const struct history_value *value),
	void *arg)
{
	struct stepwise stepwise = {
		.find = db_prepare(
			history, "SELECT value, verdict FROM numbers WHERE run = ? AND series = ?"),
		.series = series,
		.steps = mem_realloc_array(NULL, n + 1, sizeof(*stepwise.steps)),
		.n = n,
		.seconds = seconds,
		.values = {each, arg},
	};
	sqlite3_stmt *runs = rows_between(history,
		"SELECT id, time, boot FROM runs WHERE time BETWEEN ? AND ? ORDER BY id", from, to,
		NULL);
	int err = -EIO;
	size_t i;

	for (i = 0; i < n; i++)
		stepwise.steps[i] = INT64_MIN;
	if (stepwise.find)
		err = db_each_row(runs, history_take_step, &stepwise);
	else
		sqlite3_finalize(runs);
	sqlite3_finalize(stepwise.find);
	free(stepwise.steps);
	return err;
}

int history_values_of(struct history *history, int64_t run,
	int (*each)(void *arg, const struct history_value *value), void *arg)
{
	sqlite3_stmt *rows = rows_of_run(history, VALUES "WHERE r.id = ? ORDER BY n.series", run);
	struct values values = {each, arg};

	return db_each_row(rows, take_value_row, &values);
}

static double row_number(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? (double)NAN
							       : sqlite3_column_double(row, column);
}

struct all_series {
	int (*each)(void *arg, const struct history_series *series);
	void *arg;
};

static int take_series_row(void *arg, sqlite3_stmt *row)
{
	const struct all_series *all = arg;
	int unit = sqlite3_column_int(row, 4), class = sqlite3_column_int(row, 5);
	const struct history_series series = {
		.id = sqlite3_column_int64(row, 0),
		.check = row_text(row, 1),
		.metric = row_text(row, 2),
		.instance = row_text(row, 3),
		.unit = unit >= 0 && unit <= UNIT_BYTES_PER_SECOND ? (enum unit)unit : UNIT_COUNT,
		.class = class >= 0 && class <= CLASS_CAUSE ? (enum metric_class) class
							    : CLASS_CAUSE,
		.accuses = sqlite3_column_int(row, 6),
		.maybe = row_number(row, 7),
		.bad = row_number(row, 8),
	};

	return all->each(all->arg, &series);
}

int history_each_series(struct history *history, const char *check,
	int (*each)(void *arg, const struct history_series *series), void *arg)
{
	sqlite3_stmt *rows = db_prepare(history,
		"SELECT s.id, c.name, s.metric, s.instance, s.unit, s.class, s.accuses, s.maybe, "
		"s.bad FROM series s JOIN checks c ON c.id = s.check_id "
		"WHERE ?1 IS NULL OR c.name = ?1 ORDER BY c.name, s.id");
	struct all_series all = {each, arg};

	if (!rows)
		return -EIO;
	if (check)
		sqlite3_bind_text(rows, 1, check, -1, SQLITE_STATIC);
	return db_each_row(rows, take_series_row, &all);
}
