/* SPDX-License-Identifier: GPL-2.0-only */
/* Which run does a person mean? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "base/escape.h"
#include "history/internal.h"
#include "base/parsetime.h"
#include "base/num.h"
#include "base/str.h"
#include "history/query.h"

#define COLUMNS "SELECT id, uuid, time, verdict FROM runs "

static void query_take_run(sqlite3_stmt *statement, struct history_run *out)
{
	const unsigned char *uuid = sqlite3_column_text(statement, 1);

	*out = (struct history_run){
		.id = sqlite3_column_int64(statement, 0),
		.time = (time_t)sqlite3_column_int64(statement, 2),
		.verdict = db_verdict(statement, 3),
	};
	if (uuid)
		snprintf(out->uuid, sizeof(out->uuid), "%s", (const char *)uuid);
}

static int first_run(sqlite3_stmt *statement, struct history_run *out)
{
	int code = statement ? sqlite3_step(statement) : SQLITE_ERROR;

	if (code == SQLITE_ROW)
		query_take_run(statement, out);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW ? 0 : code == SQLITE_DONE ? -ENOENT : -EIO;
}

static int by_number(struct history *history, uint64_t id, struct history_run *out)
{
	sqlite3_stmt *find = db_prepare(history, COLUMNS "WHERE id = ?");

	if (find)
		sqlite3_bind_int64(find, 1, (sqlite3_int64)id);
	return first_run(find, out);
}

static int by_age(struct history *history, uint64_t ago, struct history_run *out)
{
	sqlite3_stmt *find = db_prepare(history, COLUMNS "ORDER BY id DESC LIMIT 1 OFFSET ?");

	if (find)
		sqlite3_bind_int64(find, 1, (sqlite3_int64)ago);
	return first_run(find, out);
}

static int by_uuid(struct history *history, const char *text, struct history_run *out)
{
	sqlite3_stmt *find = db_prepare(
		history, COLUMNS "WHERE substr(uuid, 1, length(?1)) = ?1 ORDER BY id DESC LIMIT 1");

	if (find)
		sqlite3_bind_text(find, 1, text, -1, SQLITE_STATIC);
	return first_run(find, out);
}

static int by_time(struct history *history, time_t to, struct history_run *out)
{
	sqlite3_stmt *find =
		db_prepare(history, COLUMNS "WHERE time <= ? ORDER BY time DESC, id DESC LIMIT 1");

	if (find)
		sqlite3_bind_int64(find, 1, to);
	return first_run(find, out);
}

static bool is_uuid(const char *text)
{
	size_t len = strlen(text);

	return len >= 6 && len <= 32 && strspn(text, "0123456789abcdef") == len;
}

int history_find(struct history *history, const char *text, time_t now, struct history_run *out,
	struct str *why)
{
	const char *number = *text == '#' ? text + 1 : text;
	char *shown;
	time_t from, to;
	uint64_t n = 0;
	int err = -ENOENT;

	if (!num_u64(number, 0, INT64_MAX, &n))
		err = by_number(history, n, out);
	else if (!strcmp(text, "last"))
		err = by_age(history, 0, out);
	else if (str_starts(text, "last-") && !num_u64(text + 5, 0, INT32_MAX, &n))
		err = by_age(history, n, out);
	else if (!parsetime(text, now, &from, &to))
		err = by_time(history, strchr("smhdn", text[strlen(text) - 1]) ? from : to, out);
	else if (!is_uuid(text))
		err = -EINVAL;
	if (err == -ENOENT && is_uuid(text))
		err = by_uuid(history, text, out);
	shown = escape_word(text);
	if (err == -EINVAL)
		str_addf(why, "'%s' is neither a run's number or id nor a time", shown);
	else if (err == -ENOENT)
		str_addf(why, "there is no run '%s'", shown);
	else if (err)
		str_add(why, "the history cannot be read");
	free(shown);
	return err;
}

int history_each_run(struct history *history, time_t from, time_t to,
	int (*each)(void *arg, const struct history_run *run), void *arg)
{
	sqlite3_stmt *all = db_prepare(history, COLUMNS "WHERE time BETWEEN ? AND ? ORDER BY id");
	struct history_run run;
	int code = SQLITE_ERROR;

	if (all) {
		sqlite3_bind_int64(all, 1, from);
		sqlite3_bind_int64(all, 2, to);
		while ((code = sqlite3_step(all)) == SQLITE_ROW) {
			query_take_run(all, &run);
			if (each(arg, &run)) {
				code = SQLITE_DONE;
				break;
			}
		}
	}
	sqlite3_finalize(all);
	return code == SQLITE_DONE ? 0 : -EIO;
}
