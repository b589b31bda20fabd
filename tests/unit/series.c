/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the history go on learning when it once had as many series as it keeps? */
#include "base/banned.h"

#include <math.h>
#include <sqlite3.h>

#include "history/history.h"
#include "history/insert.h"
#include "history/retention.h"
#include "base/str.h"
#include "check/check.h"
#include "report/report.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"

#define NOW 1795258800

static struct metric full = {.name = "full_ratio",
	.unit = UNIT_RATIO,
	.class = CLASS_LIMIT,
	.maybe = {.plain = {.set = true, .op = OP_GT}}};

static void series_write_empty(struct str *json, const struct report *report)
{
	(void)report;
	str_add(json, "{}");
}

/* A run of one check about one instance, which is new if no other had its name. */
static void enter(struct history *history, const char *check_name, const char *instance)
{
	static int seconds;
	struct retention retention = retention_default();
	struct metric_result metric = {.metric = &full,
		.instance = (char *)instance,
		.label = (char *)"",
		.value = 0.5,
		.maybe = 0.8,
		.bad = NAN,
		.instances = 1};
	struct check check = {.name = (char *)check_name};
	struct check_result result = {.check = &check, .metrics = &metric, .n_metrics = 1};
	struct report report = {.time_start = NOW + seconds, .checks = &result, .n_checks = 1};

	seconds += 300;
	ok(history_enter(history, &report, series_write_empty, NULL, &retention) > 0,
		"a run of %s, %s", check_name, instance);
}

/* Says SQL to the database behind its back; returns the first number that comes. */
static long long tell(const struct history *history, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	long long number = -1;
	sqlite3 *db = NULL;

	if (!sqlite3_open(history_path(history), &db) &&
		!sqlite3_prepare_v2(db, sql, -1, &statement, NULL) &&
		sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

/* n series of a check, "1000" and on, each with a number of run 1 if live. */
static void fill(const struct history *history, const char *check, int n, bool live)
{
	char *sql = mem_printf(
		"INSERT INTO series(check_id, metric, instance) WITH RECURSIVE n(i) AS (SELECT "
		"1000 "
		"UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT (SELECT id FROM checks WHERE "
		"name = '%s'), 'full_ratio', i FROM n",
		999 + n, check);

	tell(history, sql);
	if (live)
		tell(history,
			"INSERT OR IGNORE INTO numbers SELECT 1, id, 0.5, 0 FROM series WHERE "
			"instance >= '1000'");
	free(sql);
}

static bool has_learned(const struct history *history, const char *instance)
{
	char *sql = mem_printf("SELECT count(*) FROM numbers JOIN series ON series = id WHERE "
			       "instance = '%s'",
		instance);
	long long n = tell(history, sql);

	free(sql);
	return n > 0;
}

static bool tells(const struct history *history, const char *checks)
{
	const char *told = history_unlearned(history);

	return checks ? told && !strcmp(told, checks) : !told;
}

/* Containers that came and went: nothing has a number of them any more. */
static void test_orphans(struct history *history)
{
	enter(history, "listen", "first");
	fill(history, "listen", 20000, false);
	enter(history, "listen", "second");
	ok(has_learned(history, "second"), "where 20000 series are nobody's, new ones are learned");
	ok(tells(history, NULL), "and nothing is said");
	ok(tell(history, "SELECT count(*) FROM series") == 2,
		"what nobody has a number of is gone");
}

/* Somebody makes names as fast as he can. */
static void test_quota(struct history *history)
{
	fill(history, "listen", 2000, true);
	enter(history, "listen", "third");
	ok(!has_learned(history, "third") && tells(history, "listen"),
		"a check has 2000 at most, and that is said");
	enter(history, "listen", "third");
	ok(!has_learned(history, "third") && tells(history, NULL), "once");
	enter(history, "disk", "sda");
	ok(has_learned(history, "sda"), "which is nothing to other checks");
	fill(history, "disk", 18500, true);
	enter(history, "cpu", "cpu0");
	ok(has_learned(history, "cpu0"), "each has a few of its own, however many all have");
}

/* The runs of those names are forgotten. */
static void test_room(struct history *history)
{
	int i;

	tell(history,
		"DELETE FROM numbers WHERE series IN (SELECT id FROM series WHERE instance "
		"BETWEEN '1000' AND '2999')");
	for (i = 0; i < 17; i++)
		enter(history, "listen", "third");
	ok(has_learned(history, "third"), "when old ones are gone, it learns again");
	fill(history, "listen", 2000, true);
	for (i = 0; i < 17; i++)
		enter(history, "listen", "fourth");
	ok(!has_learned(history, "fourth"), "until there is no room once more");
}

int main(void)
{
	struct tree tree = tree_new();
	struct history *history = NULL;

	ok(!history_open(&history, tree.dir, HISTORY_MAKE), "a history");
	if (history) {
		test_orphans(history);
		test_quota(history);
		test_room(history);
	}
	history_close(history);
	tree_free(&tree);
	return tap_done();
}
