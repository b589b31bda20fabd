/* SPDX-License-Identifier: GPL-2.0-only */
/* Is there a history, is it ours, and is it whole? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "history/internal.h"
#include "sys/statedir.h"
#include "base/str.h"
#include "sys/file_trust.h"

#define APPLICATION 0x54554553 /* "TUES" */
#define LAYOUT 1
#define BUSY_MS 5000
#define FILE_NAME "history.db"

/* Rows are ordered by run, so that adding a run writes a page or two, and letting the oldest go
 * frees whole pages. checks.last is not used: an older Tuesday that adds to the file asks for it.
 */
static const char layout[] =
	"CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT, time INTEGER NOT NULL,"
	" verdict INTEGER NOT NULL, boot TEXT, version TEXT, kernel TEXT, consumer TEXT, type TEXT,"
	" seconds REAL);"
	"CREATE INDEX runs_time ON runs(time);"
	"CREATE TABLE checks(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER);"
	"CREATE TABLE series(id INTEGER PRIMARY KEY, check_id INTEGER NOT NULL,"
	" metric TEXT NOT NULL, instance TEXT NOT NULL, unit INTEGER, class INTEGER,"
	" accuses INTEGER, maybe REAL, bad REAL, UNIQUE(check_id, metric, instance));"
	"CREATE TABLE lights(run INTEGER, check_id INTEGER, verdict INTEGER NOT NULL,"
	" PRIMARY KEY(run, check_id)) WITHOUT ROWID;"
	"CREATE TABLE numbers(run INTEGER, series INTEGER, value REAL NOT NULL,"
	" verdict INTEGER NOT NULL, PRIMARY KEY(run, series)) WITHOUT ROWID;"
	"CREATE TABLE reports(run INTEGER PRIMARY KEY, bytes INTEGER NOT NULL,"
	" packed INTEGER NOT NULL, json BLOB NOT NULL);"
	"CREATE INDEX reports_packed ON reports(run, packed);";

int db_error(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return -EUCLEAN;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		return -EACCES;
	case SQLITE_NOMEM:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

/* The same of what was done last: why a file could not be opened, SQLite says apart. */
static int db_failure(sqlite3 *db, int code)
{
	int why = (code & 0xff) == SQLITE_CANTOPEN ? sqlite3_system_errno(db) : 0;

	return why ? -why : db_error(code);
}

int db_last_error(struct history *history)
{
	return db_failure(history->db, sqlite3_errcode(history->db));
}

int db_exec(struct history *history, const char *sql)
{
	return db_failure(history->db, sqlite3_exec(history->db, sql, NULL, NULL, NULL));
}

sqlite3_stmt *db_prepare(struct history *history, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL) != SQLITE_OK)
		return NULL;
	return statement;
}

int db_run(sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);

	sqlite3_reset(statement);
	return code == SQLITE_DONE   ? 0
		: code == SQLITE_ROW ? -EIO
				     : db_failure(sqlite3_db_handle(statement), code);
}

int db_each_row(sqlite3_stmt *rows, int (*take)(void *arg, sqlite3_stmt *row), void *arg)
{
	int code = SQLITE_ERROR;

	while (rows && (code = sqlite3_step(rows)) == SQLITE_ROW)
		if (take(arg, rows)) {
			code = SQLITE_DONE;
			break;
		}
	sqlite3_finalize(rows);
	return code == SQLITE_DONE ? 0 : -EIO;
}

enum verdict db_verdict(sqlite3_stmt *row, int column)
{
	int verdict = sqlite3_column_int(row, column);

	return verdict >= 0 && verdict <= VERDICT_SKIP ? (enum verdict)verdict : VERDICT_UNKNOWN;
}

int64_t db_number(struct history *history, const char *sql, int64_t otherwise)
{
	sqlite3_stmt *statement = db_prepare(history, sql);
	int64_t number = otherwise;

	if (statement && sqlite3_step(statement) == SQLITE_ROW &&
		sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

const char *history_path(const struct history *history)
{
	return history->path;
}

void history_close(struct history *history)
{
	if (!history)
		return;
	sqlite3_close(history->db);
	free(history->path);
	free(history->unlearned);
	free(history);
}

void db_put_aside(const struct history *history)
{
	char *aside = mem_printf("%s.damaged", history->path);
	char *journal = mem_printf("%s-journal", history->path);
	char *shown = escape_path(aside);
	struct stat st;

	/* Of two that find it damaged at once the second finds a new one in its place. */
	if (!stat(history->path, &st) && st.st_dev == history->device &&
		st.st_ino == history->inode) {
		if (rename(history->path, aside))
			fprintf(stderr,
				"tuesday: the history is damaged and cannot be put aside: "
				"%s\n",
				strerror(errno));
		else
			fprintf(stderr,
				"tuesday: the history was damaged; it is put aside as %s and a "
				"new one begun\n",
				shown);
		unlink(journal);
	}
	free(shown);
	free(journal);
	free(aside);
}

/* A file that others may write to would make us say, and perhaps do, what they want. */
static int check_file(struct history *history, enum history_mode mode)
{
	int flags =
		(mode == HISTORY_READ ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	int fd = open(history->path, flags | (mode == HISTORY_MAKE ? O_CREAT : 0), 0640), err = 0;
	struct stat st;

	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	err = trusted_open(fd, &st);
	if (!err) {
		history->device = st.st_dev;
		history->inode = st.st_ino;
	}
	close(fd);
	return err;
}

static int history_make_layout(struct history *history)
{
	char *sql;
	int err = db_exec(history, "PRAGMA auto_vacuum = INCREMENTAL; BEGIN IMMEDIATE");

	/* Another one may have begun it while we waited. */
	if (!err && db_number(history, "PRAGMA user_version", 0) == 0) {
		err = db_exec(history, layout);
		sql = mem_printf("PRAGMA application_id = %d; PRAGMA user_version = %d",
			APPLICATION, LAYOUT);
		if (!err)
			err = db_exec(history, sql);
		free(sql);
	}
	if (!err)
		err = db_exec(history, "COMMIT");
	if (err)
		sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

/* Whether it is ours, and if it is empty, begins it. */
static int check_layout(struct history *history, enum history_mode mode)
{
	sqlite3_stmt *statement = db_prepare(history, "SELECT count(*) FROM sqlite_master");
	int64_t application, version, tables = -1;
	int code = statement ? sqlite3_step(statement) : sqlite3_errcode(history->db);

	if (code == SQLITE_ROW)
		tables = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	if (code != SQLITE_ROW)
		return db_failure(history->db, code) ? db_failure(history->db, code) : -EIO;
	application = db_number(history, "PRAGMA application_id", -1);
	version = db_number(history, "PRAGMA user_version", -1);
	if (application < 0 || version < 0)
		return db_last_error(history) ? db_last_error(history) : -EIO;
	if (!tables && !application)
		return mode == HISTORY_READ ? -ENOENT : history_make_layout(history);
	return application == APPLICATION && version == LAYOUT ? 0 : -EPROTO;
}

static int history_open_file(struct history *history, enum history_mode mode)
{
	int err = check_file(history, mode), flags, code;

	if (err)
		return err;
	/* A reader that may write is needed to undo what a run that was killed had begun. */
	history->writable = mode != HISTORY_READ || !access(history->path, W_OK);
	flags = history->writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	code = sqlite3_open_v2(history->path, &history->db, flags | SQLITE_OPEN_NOFOLLOW, NULL);
	if (code != SQLITE_OK)
		return db_failure(history->db, code);
	sqlite3_busy_timeout(history->db, BUSY_MS);
	sqlite3_db_config(history->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(history->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* A rollback journal: whoever may only read needs no shared memory for it, and one run in
	 * minutes has nobody to wait for. It is cut and not removed, to save the directory. */
	if (history->writable)
		sqlite3_exec(history->db,
			"PRAGMA journal_mode = TRUNCATE; PRAGMA cell_size_check = ON", NULL, NULL,
			NULL);
	return check_layout(history, mode);
}

static void start_over(struct history *history)
{
	sqlite3_close(history->db);
	history->db = NULL;
}

int history_open(struct history **out, const char *dir, enum history_mode mode)
{
	struct history *history = mem_zalloc(sizeof(*history));
	char *state = statedir_itself(dir);
	int fd = directory_open(state, 0755, mode == HISTORY_MAKE), err = fd < 0 ? fd : 0;

	if (fd >= 0)
		close(fd);
	history->path = mem_printf("%s%s" FILE_NAME, state, str_ends(state, "/") ? "" : "/");
	free(state);
	if (!err)
		err = history_open_file(history, mode);
	if (err == -EUCLEAN && history->writable) {
		start_over(history);
		db_put_aside(history);
		err = history_open_file(history, mode == HISTORY_READ ? mode : HISTORY_MAKE);
	}
	if (!err) {
		*out = history;
		return 0;
	}
	history_close(history);
	*out = NULL;
	return err;
}
