/* SPDX-License-Identifier: GPL-2.0-only */
/* Since when is a limit what it is, and what is said of a history that cannot tell? */
#include "base/banned.h"

#include <sqlite3.h>
#include <stdint.h>

#include "base/str.h"
#include "history/history.h"
#include "history/limits.h"
#include "report/report.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"

#define SERIES 7

static struct metric_result limit_of(double whole)
{
	return (struct metric_result){.whole = whole};
}

static int note(struct history *history, double whole, time_t time)
{
	struct metric_result result = limit_of(whole);

	return limits_note(history, SERIES, &result, time);
}

static int64_t since(struct history *history, double whole)
{
	struct metric_result result = limit_of(whole);

	return limits_since(history, SERIES, &result);
}

/* As somebody else, or a disk, would damage it. */
static bool damage(const struct tree *tree, const char *sql)
{
	sqlite3 *db = NULL;
	bool done = !sqlite3_open(tree_path(tree, "history.db"), &db) &&
		!sqlite3_exec(db, sql, NULL, NULL, NULL);

	sqlite3_close(db);
	return done;
}

static void test_changes(struct history *history)
{
	ok(!limits_begin(history) && !since(history, 1024), "of no earlier run nothing is known");
	ok(!note(history, 1024, 100) && !since(history, 1024), "the first is of always");
	ok(!note(history, 1025, 200) && !since(history, 1025), "a little more is the same");
	ok(!note(history, 4096, 300) && since(history, 4096) == 300, "another is from then on");
	ok(since(history, 1024) == INT64_MAX, "and the first is no more");
}

static void test_damage(struct history *history, const struct tree *tree)
{
	ok(damage(tree, "DROP TABLE limits; CREATE TABLE limits(series INTEGER PRIMARY KEY)"),
		"a table loses its columns");
	ok(note(history, 8192, 400) < 0, "what cannot be looked up is not kept");
	ok(!since(history, 8192), "and nothing is said of it");
	ok(damage(tree, "DROP TABLE limits"), "a table is gone");
	ok(note(history, 8192, 400) < 0 && !since(history, 8192), "that is no answer either");
}

int main(void)
{
	struct tree tree = tree_new();
	struct history *history = NULL;

	if (history_open(&history, tree.dir, HISTORY_MAKE))
		exit(1);
	test_changes(history);
	test_damage(history, &tree);
	history_close(history);
	tree_free(&tree);
	return tap_done();
}
