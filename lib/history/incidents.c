/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what is wrong now what somebody has given a type already? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "history/internal.h"
#include "history/incidents.h"
#include "history/retention.h"
#include "base/str.h"
#include "history/retypes.h"
#include "report/incident_key.h"

/* A history that an older Tuesday began has no such table until this one enters a run. */
#define TABLE \
	"CREATE TABLE IF NOT EXISTS conditions(run INTEGER PRIMARY KEY, key TEXT NOT NULL," \
	" derived TEXT NOT NULL, checks TEXT NOT NULL)"

int incident_enter(struct history *history, int64_t run, const struct report *report)
{
	char key[INCIDENT_KEY_SIZE] = "";
	struct str checks = STR_INIT;
	sqlite3_stmt *add;
	int err = db_exec(history, TABLE);

	if (err || !report->type.derived)
		return err;
	if (incident_key(report, key))
		incident_key_checks(report, &checks);
	add = db_prepare(history, "INSERT INTO conditions VALUES(?, ?, ?, ?)");
	if (!add)
		err = db_error(sqlite3_errcode(history->db));
	if (!err) {
		sqlite3_bind_int64(add, 1, run);
		sqlite3_bind_text(add, 2, key, -1, SQLITE_STATIC);
		sqlite3_bind_text(add, 3, report->type.derived, -1, SQLITE_STATIC);
		sqlite3_bind_text(add, 4, str_text(&checks), -1, SQLITE_STATIC);
		err = db_run(add);
	}
	sqlite3_finalize(add);
	str_free(&checks);
	return err;
}

static bool has_table(struct history *history)
{
	return db_number(history, "SELECT count(*) FROM sqlite_schema WHERE name = 'conditions'",
		       0) > 0;
}

int incident_forget(struct history *history, int64_t run)
{
	char *sql = mem_printf("DELETE FROM conditions WHERE run <= %lld", (long long)run);
	int err = has_table(history) ? db_exec(history, sql) : 0;

	free(sql);
	return err;
}

/* Without the table (which a reader cannot make) derived is what was in force. */
static sqlite3_stmt *incidents_prepare(struct history *history, const char *where)
{
	bool has = has_table(history);
	char *sql = mem_printf("SELECT r.id, r.uuid, r.time, r.type, %s FROM runs r %s WHERE %s",
		has ? "c.key, coalesce(c.derived, r.type)" : "'', r.type",
		has ? "LEFT JOIN conditions c ON c.run = r.id" : "", where);
	sqlite3_stmt *statement = db_prepare(history, sql);

	free(sql);
	return statement;
}

static const char *type_at(sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? incident_type_find((const char *)text) : NULL;
}

static void take_row(sqlite3_stmt *row, struct incident *out)
{
	const unsigned char *uuid = sqlite3_column_text(row, 1), *key = sqlite3_column_text(row, 4);

	*out = (struct incident){
		.run = sqlite3_column_int64(row, 0),
		.time = (time_t)sqlite3_column_int64(row, 2),
		.type = type_at(row, 3),
		.derived = type_at(row, 5),
	};
	snprintf(out->uuid, sizeof(out->uuid), "%s", uuid ? (const char *)uuid : "");
	snprintf(out->key, sizeof(out->key), "%s", key ? (const char *)key : "");
}

int incident_of(struct history *history, int64_t run, struct incident *out)
{
	sqlite3_stmt *find = incidents_prepare(history, "r.id = ?");
	int code = SQLITE_ERROR;

	if (find) {
		sqlite3_bind_int64(find, 1, run);
		code = sqlite3_step(find);
	}
	if (code == SQLITE_ROW)
		take_row(find, out);
	sqlite3_finalize(find);
	return code == SQLITE_ROW ? 0 : code == SQLITE_DONE ? -ENOENT : -EIO;
}

struct incidents {
	int (*each)(void *arg, const struct incident *incident);
	void *arg;
};

static int take_incident(void *arg, sqlite3_stmt *row)
{
	const struct incidents *incidents = arg;
	struct incident incident;

	take_row(row, &incident);
	return incidents->each(incidents->arg, &incident);
}

int incident_each(struct history *history, time_t from, time_t to,
	int (*each)(void *arg, const struct incident *incident), void *arg)
{
	sqlite3_stmt *rows = incidents_prepare(
		history, "r.type IS NOT NULL AND r.time BETWEEN ?1 AND ?2 ORDER BY r.id");
	struct incidents incidents = {each, arg};

	if (rows) {
		sqlite3_bind_int64(rows, 1, from);
		sqlite3_bind_int64(rows, 2, to);
	}
	return db_each_row(rows, take_incident, &incidents);
}

/* The lights of some checks in later runs: one row a run, how many of them are good or do not
 * apply, and how many are not. */
#define LIGHTS_SINCE \
	"SELECT sum(l.verdict IN (0, 4)), sum(l.verdict NOT IN (0, 4)) FROM lights l" \
	" JOIN checks k ON k.id = l.check_id" \
	" WHERE l.run > ?1 AND instr(' ' || ?2 || ' ', ' ' || k.name || ' ') > 0" \
	" GROUP BY l.run ORDER BY l.run"

/*
 * The number of the run that a word was about. One that the history has let go of was before all
 * that it has; one that it should have and has not is of another history, of which nobody knows
 * what came after: -1.
 */
static int64_t run_of(struct history *history, const struct retype_entry *word)
{
	sqlite3_stmt *find = db_prepare(history, "SELECT max(id) FROM runs WHERE uuid = ?");
	int64_t run = -1;

	if (find)
		sqlite3_bind_text(find, 1, word->run, -1, SQLITE_STATIC);
	if (find && sqlite3_step(find) == SQLITE_ROW &&
		sqlite3_column_type(find, 0) == SQLITE_INTEGER)
		run = sqlite3_column_int64(find, 0);
	sqlite3_finalize(find);
	if (run < 0 && (int64_t)word->number < db_number(history, "SELECT min(id) FROM runs", 0))
		run = (int64_t)word->number;
	return run;
}

/* Whether it has cleared since a run. checks: their names, separated by blanks. */
static bool has_cleared(
	struct history *history, const char *checks, int64_t since, unsigned int runs)
{
	sqlite3_stmt *rows = db_prepare(history, LIGHTS_SINCE);
	unsigned int in_a_row = 0;

	if (!rows || since < 0) {
		sqlite3_finalize(rows);
		return true;
	}
	sqlite3_bind_int64(rows, 1, since);
	sqlite3_bind_text(rows, 2, checks, -1, SQLITE_STATIC);
	while (in_a_row < runs && sqlite3_step(rows) == SQLITE_ROW)
		in_a_row = sqlite3_column_int(rows, 1) ? 0 : in_a_row + 1;
	sqlite3_finalize(rows);
	return in_a_row >= runs;
}

void incident_add_change(struct incident_type *type, const struct retype_entry *word)
{
	type->changes =
		mem_realloc_array(type->changes, type->n_changes + 1, sizeof(*type->changes));
	type->changes[type->n_changes++] = (struct type_change){
		.type = word->type,
		.by = mem_strdup(word->by),
		.reason = mem_strdup(word->reason),
		.ref = word->ref ? mem_strdup(word->ref) : NULL,
		.time = word->time,
	};
	type->name = word->type;
}

static void inherit(
	struct history *history, const struct retypes *log, const char *key, struct report *report)
{
	const struct retention retention = retention_load();
	struct str checks = STR_INIT;
	size_t i;

	incident_key_checks(report, &checks);
	for (i = 0; i < log->n; i++) {
		const struct retype_entry *word = &log->list[i];

		if (strcmp(word->key, key) != 0)
			continue;
		if (!has_cleared(history, str_text(&checks), run_of(history, word),
			    retention.damping.fall_n))
			incident_add_change(&report->type, word);
	}
	str_free(&checks);
}

void incident_inherit(struct history *history, const char *state, struct report *report)
{
	char key[INCIDENT_KEY_SIZE];
	struct retypes log;
	int err;

	if (!report->type.derived || !incident_key(report, key))
		return;
	err = retypes_load(&log, state);
	if (err)
		fprintf(stderr, "tuesday: what people said about types cannot be read: %s\n",
			err == -EPERM ? "the file is not this user's own, or others may write to it"
				      : strerror(-err));
	else if (log.n)
		inherit(history, &log, key, report);
	retypes_free(&log);
}
