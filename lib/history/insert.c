/* SPDX-License-Identifier: GPL-2.0-only */
/* What is kept of a run? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <zlib.h>

#include "check/trend_rule.h"
#include "history/internal.h"
#include "history/incidents.h"
#include "base/str.h"
#include "output/writer.h"
#include "history/insert.h"
#include "history/limits.h"
#include "history/retention.h"

/* Names of disks, listeners and cgroups come from outside, and there is no end to them. So many
 * series are kept, so many of one check, and where there is no room left for more, each check still
 * has a few of its own. */
#define SERIES_MAX 20000
#define SERIES_OF_CHECK_MAX 2000
#define SERIES_OF_CHECK_LEAST 100
/* Where there is no room: which series no run has a number of any more is asked every so many runs.
 */
#define RUNS_BETWEEN 16
/* The checks of which something was not learned, and as check 0 the run that asked last. A history
 * that an older Tuesday began has no such table until this one finds no room. */
#define AS_TEXT(number) #number
#define NUMBER_TEXT(number) AS_TEXT(number)
#define FULL_TABLE \
	"CREATE TABLE IF NOT EXISTS full_checks(check_id INTEGER PRIMARY KEY, run INTEGER NOT " \
	"NULL)"
/* Of zlib: level 6 takes another 7 % off a report for more than twice the CPU time of this one. */
#define REPORT_LEVEL 4

struct entering {
	struct history *history;
	const struct report *report;
	int64_t run, n_series;
	int64_t n_of_check; /* series of the check that is entered; -1: not counted yet */
	bool is_full;	    /* something of that check is not learned */
	sqlite3_stmt *find_check, *add_check, *add_light;
	sqlite3_stmt *find_series, *add_series, *set_series, *add_number;
};

static int prepare_all(struct entering *entering)
{
	struct history *history = entering->history;

	entering->find_check = db_prepare(history, "SELECT id FROM checks WHERE name = ?");
	entering->add_check = db_prepare(history, "INSERT INTO checks(name) VALUES(?)");
	entering->add_light = db_prepare(history, "INSERT INTO lights VALUES(?, ?, ?)");
	entering->find_series = db_prepare(history,
		"SELECT id, maybe, bad FROM series WHERE check_id = ? AND metric = ? AND "
		"instance = ?");
	entering->add_series = db_prepare(history,
		"INSERT INTO series(check_id, metric, instance, unit, class, accuses, maybe, bad) "
		"VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
	entering->set_series =
		db_prepare(history, "UPDATE series SET maybe = ?, bad = ? WHERE id = ?");
	entering->add_number = db_prepare(history, "INSERT INTO numbers VALUES(?, ?, ?, ?)");
	return entering->find_check && entering->add_check && entering->add_light &&
			entering->find_series && entering->add_series && entering->set_series &&
			entering->add_number
		? 0
		: db_error(sqlite3_errcode(history->db));
}

static void finalize_all(struct entering *entering)
{
	sqlite3_finalize(entering->find_check);
	sqlite3_finalize(entering->add_check);
	sqlite3_finalize(entering->add_light);
	sqlite3_finalize(entering->find_series);
	sqlite3_finalize(entering->add_series);
	sqlite3_finalize(entering->set_series);
	sqlite3_finalize(entering->add_number);
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	if (text && *text)
		sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(statement, at);
}

static void bind_number(sqlite3_stmt *statement, int at, double number)
{
	if (isfinite(number))
		sqlite3_bind_double(statement, at, number);
	else
		sqlite3_bind_null(statement, at);
}

static int insert_run(struct entering *entering, const char *consumer)
{
	const struct report *report = entering->report;
	sqlite3_stmt *add = db_prepare(entering->history,
		"INSERT INTO runs(uuid, time, verdict, boot, version, kernel, consumer, type, "
		"seconds) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
	int err;

	if (!add)
		return db_error(sqlite3_errcode(entering->history->db));
	bind_text(add, 1, report->id);
	sqlite3_bind_int64(add, 2, report->time_start);
	sqlite3_bind_int(add, 3, (int)report->verdict);
	bind_text(add, 4, report->boot_id);
	bind_text(add, 5, report->version);
	bind_text(add, 6, report->kernel);
	bind_text(add, 7, consumer);
	bind_text(add, 8, report->type.name);
	bind_number(add, 9, report->seconds);
	err = db_run(add);
	sqlite3_finalize(add);
	entering->run = sqlite3_last_insert_rowid(entering->history->db);
	return err;
}

/* The number of a check; made where it is new. */
static int find_check(struct entering *entering, const char *name, int64_t *id)
{
	sqlite3_stmt *find = entering->find_check;
	int code, err = 0;

	bind_text(find, 1, name);
	code = sqlite3_step(find);
	if (code == SQLITE_ROW)
		*id = sqlite3_column_int64(find, 0);
	sqlite3_reset(find);
	if (code == SQLITE_ROW)
		return 0;
	if (code != SQLITE_DONE)
		return db_error(code);
	bind_text(entering->add_check, 1, name);
	err = db_run(entering->add_check);
	*id = sqlite3_last_insert_rowid(entering->history->db);
	return err;
}

static bool same_limit(sqlite3_stmt *statement, int column, double number)
{
	if (sqlite3_column_type(statement, column) == SQLITE_NULL)
		return !isfinite(number);
	return isfinite(number) && !(sqlite3_column_double(statement, column) < number) &&
		!(sqlite3_column_double(statement, column) > number);
}

const char *history_instance(const struct metric_result *result)
{
	return result->fleeting ? "" : result->instance;
}

static int64_t insert_number_of(struct history *history, const char *format, int64_t id)
{
	/* No text of ours or of others goes into these: a number does. */
	char *sql = sqlite3_mprintf(format, (long long)id);
	int64_t number = sql ? db_number(history, sql, 0) : 0;

	sqlite3_free(sql);
	return number;
}

static void insert_count_series(struct entering *entering, int64_t check)
{
	struct history *history = entering->history;

	entering->n_series = db_number(history, "SELECT count(*) FROM series", 0);
	entering->n_of_check = insert_number_of(
		history, "SELECT count(*) FROM series WHERE check_id = %lld", check);
}

static bool insert_has_room(const struct entering *entering)
{
	return entering->n_of_check < SERIES_OF_CHECK_LEAST ||
		(entering->n_of_check < SERIES_OF_CHECK_MAX && entering->n_series < SERIES_MAX);
}

/* Notes in full_checks; *is_new: it was not there. */
static int insert_note_full(struct entering *entering, int64_t check, bool *is_new)
{
	struct history *history = entering->history;
	char *sql = sqlite3_mprintf("INSERT OR IGNORE INTO full_checks VALUES(%lld, %lld)",
		(long long)check, (long long)entering->run);
	int err = sql ? db_exec(history, sql) : -ENOMEM;

	*is_new = !err && sqlite3_changes(history->db) > 0;
	sqlite3_free(sql);
	return err;
}

/* What runs had that are gone need no room: disks that were unplugged, containers that ended. */
static int insert_make_room(struct entering *entering, int64_t check)
{
	struct history *history = entering->history;
	bool is_new;
	int err = db_exec(history, FULL_TABLE);

	if (err ||
		db_number(history, "SELECT run FROM full_checks WHERE check_id = 0",
			-RUNS_BETWEEN) > entering->run - RUNS_BETWEEN)
		return err;
	err = history_forget_orphans(history);
	/* Of what there was room for since, it is told again when there is none. */
	if (!err)
		err = db_exec(history,
			"DELETE FROM full_checks WHERE check_id = 0 OR check_id NOT IN (SELECT "
			"check_id FROM series GROUP BY check_id HAVING count(*) >= " NUMBER_TEXT(
				SERIES_OF_CHECK_MAX) ")");
	if (!err)
		err = insert_note_full(entering, 0, &is_new);
	insert_count_series(entering, check);
	return err;
}

static int make_series(
	struct entering *entering, int64_t check, const struct metric_result *result, int64_t *id)
{
	sqlite3_stmt *add = entering->add_series;
	int err = 0;

	if (entering->n_of_check < 0)
		insert_count_series(entering, check);
	if (!insert_has_room(entering))
		err = insert_make_room(entering, check);
	entering->is_full |= !insert_has_room(entering);
	if (err || !insert_has_room(entering))
		return err;
	sqlite3_bind_int64(add, 1, check);
	bind_text(add, 2, result->metric->name);
	sqlite3_bind_text(add, 3, history_instance(result), -1, SQLITE_STATIC);
	sqlite3_bind_int(add, 4, (int)result->metric->unit);
	sqlite3_bind_int(add, 5, (int)result->metric->class);
	sqlite3_bind_int(add, 6, metric_side(result->metric));
	bind_number(add, 7, result->maybe);
	bind_number(add, 8, result->bad);
	err = db_run(add);
	*id = sqlite3_last_insert_rowid(entering->history->db);
	entering->n_series++;
	entering->n_of_check++;
	return err;
}

/* *id stays -1 where there are too many series. */
static int insert_find_series(
	struct entering *entering, int64_t check, const struct metric_result *result, int64_t *id)
{
	sqlite3_stmt *find = entering->find_series, *set = entering->set_series;
	bool same = true;
	int code;

	sqlite3_bind_int64(find, 1, check);
	bind_text(find, 2, result->metric->name);
	sqlite3_bind_text(find, 3, history_instance(result), -1, SQLITE_STATIC);
	code = sqlite3_step(find);
	if (code == SQLITE_ROW) {
		*id = sqlite3_column_int64(find, 0);
		same = same_limit(find, 1, result->maybe) && same_limit(find, 2, result->bad);
	}
	sqlite3_reset(find);
	if (code == SQLITE_DONE)
		return make_series(entering, check, result, id);
	if (code != SQLITE_ROW)
		return db_error(code);
	if (same)
		return 0;
	bind_number(set, 1, result->maybe);
	bind_number(set, 2, result->bad);
	sqlite3_bind_int64(set, 3, *id);
	return db_run(set);
}

/* A number matters that has limits, work to speak of, and a value. */
static bool matters(const struct metric_result *result)
{
	const struct metric *metric = result->metric;

	return isfinite(result->value) && !result->idle &&
		(metric->maybe.plain.set || metric->maybe.n || metric->bad.plain.set ||
			metric->bad.n);
}

static int insert_number(
	struct entering *entering, int64_t check, const struct metric_result *result)
{
	sqlite3_stmt *add = entering->add_number;
	int64_t series = -1;
	int err;

	if (!matters(result))
		return 0;
	err = insert_find_series(entering, check, result, &series);
	if (err || series < 0)
		return err;
	sqlite3_bind_int64(add, 1, entering->run);
	sqlite3_bind_int64(add, 2, series);
	sqlite3_bind_double(add, 3, result->value);
	sqlite3_bind_int(add, 4, (int)result->verdict);
	err = db_run(add);
	return err ? err
		   : limits_note(entering->history, series, result, entering->report->time_start);
}

/* Of the worst instance, and of others that are on their way to their limits. */
static int insert_metric(
	struct entering *entering, int64_t check, const struct metric_result *result)
{
	int err = insert_number(entering, check, result);
	size_t i;

	for (i = 0; !err && i < result->n_near; i++) {
		const struct metric_result near = metric_result_of_near(result, &result->near[i]);

		err = insert_number(entering, check, &near);
	}
	return err;
}

/* Once, and again only when there was room meanwhile. */
static int insert_say_full(struct entering *entering, int64_t check, const char *name)
{
	struct history *history = entering->history;
	bool is_new;
	char *text;
	int err = insert_note_full(entering, check, &is_new);

	if (err || !is_new)
		return err;
	text = mem_printf("%s%s%s", history->unlearned ? history->unlearned : "",
		history->unlearned ? ", " : "", name);
	free(history->unlearned);
	history->unlearned = text;
	return 0;
}

const char *history_unlearned(const struct history *history)
{
	return history->unlearned;
}

static int insert_check(struct entering *entering, const struct check_result *result)
{
	int64_t id = -1;
	size_t i;
	int err = find_check(entering, result->check->name, &id);

	if (err)
		return err;
	sqlite3_bind_int64(entering->add_light, 1, entering->run);
	sqlite3_bind_int64(entering->add_light, 2, id);
	sqlite3_bind_int(entering->add_light, 3, (int)result->verdict);
	err = db_run(entering->add_light);
	entering->n_of_check = -1;
	entering->is_full = false;
	for (i = 0; !err && i < result->n_metrics; i++)
		err = insert_metric(entering, id, &result->metrics[i]);
	if (!err && entering->is_full)
		err = insert_say_full(entering, id, result->check->name);
	return err;
}

static int insert_packed(
	struct entering *entering, size_t len, const unsigned char *bytes, size_t packed)
{
	sqlite3_stmt *add = db_prepare(entering->history, "INSERT INTO reports VALUES(?, ?, ?, ?)");
	int err = 0;

	if (add) {
		sqlite3_bind_int64(add, 1, entering->run);
		sqlite3_bind_int64(add, 2, (sqlite3_int64)len);
		sqlite3_bind_int64(add, 3, (sqlite3_int64)packed);
		sqlite3_bind_blob64(add, 4, bytes, packed, SQLITE_STATIC);
		err = db_run(add);
	}
	sqlite3_finalize(add);
	return err;
}

static int add_report(struct entering *entering, history_write *write)
{
	struct str json = STR_INIT;
	unsigned char *bytes;
	uLongf packed;
	int err = 0;

	write(&json, entering->report);
	packed = compressBound((uLong)json.len);
	bytes = mem_alloc(packed);
	if (compress2(bytes, &packed, (const unsigned char *)str_text(&json), (uLong)json.len,
		    REPORT_LEVEL) == Z_OK)
		err = insert_packed(entering, json.len, bytes, packed);
	free(bytes);
	str_free(&json);
	return err;
}

/* Cron, a person and services that ask for one check each share a history: what one of them saw
 * change, the next run of the others has not told of yet. */
static bool insert_report_differs(struct entering *entering)
{
	bool same;

	return db_kept_report(entering->history, entering->run, &same) < 0 || !same;
}

static int insert_all(struct entering *entering, history_write *write, const char *consumer)
{
	int err = prepare_all(entering);
	size_t i;

	free(entering->history->unlearned);
	entering->history->unlearned = NULL;
	if (!err)
		err = limits_begin(entering->history);
	if (!err)
		err = insert_run(entering, consumer);
	for (i = 0; !err && i < entering->report->n_checks; i++)
		err = insert_check(entering, &entering->report->checks[i]);
	if (!err)
		err = incident_enter(entering->history, entering->run, entering->report);
	if (!err && insert_report_differs(entering))
		err = add_report(entering, write);
	finalize_all(entering);
	return err;
}

static int64_t enter_once(struct history *history, const struct report *report,
	history_write *write, const char *consumer, const struct retention *retention)
{
	struct entering entering = {.history = history, .report = report};
	int err = history_bound(history, retention);

	if (!err)
		err = db_exec(history, "BEGIN IMMEDIATE");
	if (err)
		return err;
	err = history_tidy(history, retention, report->time_start);
	if (!err)
		err = insert_all(&entering, write, consumer);
	if (!err)
		err = db_exec(history, "COMMIT");
	if (err)
		sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
	else
		history_give_back(history, retention);
	return err ? err : entering.run;
}

int64_t history_enter(struct history *history, const struct report *report, history_write *write,
	const char *consumer, const struct retention *retention)
{
	int64_t run = enter_once(history, report, write, consumer, retention);

	if (run == -ENOSPC && !history_free_room(history, retention))
		run = enter_once(history, report, write, consumer, retention);
	if (run == -EUCLEAN)
		db_put_aside(history);
	return run;
}
