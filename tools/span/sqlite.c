/* SPDX-License-Identifier: GPL-2.0-only */
/* How do spans get into SQLite? */
#include "base/banned.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "spans/line.h"
#include "tools/span/rewrite.h"
#include "tools/span/sqlite.h"

#define LOOK_TRACES 16
#define TEXT_MOST ((size_t)1 << 20)
#define PATH_MOST 2000 /* bytes of the names on the way to a span */

static const char sqlite_layout[] =
	"CREATE TABLE IF NOT EXISTS spans(build_id TEXT NOT NULL, trace_id TEXT, span_id TEXT,"
	" parent_id TEXT, name TEXT NOT NULL, path TEXT, start_ns INTEGER NOT NULL,"
	" dur_ns INTEGER NOT NULL, self_ns INTEGER, cp_ns INTEGER, fields TEXT);"
	"CREATE INDEX IF NOT EXISTS spans_build ON spans(build_id, name);"
	"CREATE VIEW IF NOT EXISTS sums AS SELECT build_id, name, count(*) AS spans,"
	" sum(dur_ns) AS sum_ns, sum(self_ns) AS self_ns, sum(cp_ns) AS cp_ns,"
	" max(dur_ns) AS longest_ns FROM spans GROUP BY build_id, name;";

struct sqlite_export {
	const struct span_analysis *analysis;
	sqlite3 *db;
	sqlite3_stmt *insert;
	const char *build_id;
	struct span_tree tree;
	uint64_t *path_ns; /* of each node, on the critical path of its root */
	uint32_t path_room;
};

static void sqlite_add_piece(
	void *arg, const struct span_tree *tree, uint32_t node, int64_t from_ns, int64_t to_ns)
{
	struct sqlite_export *export = arg;

	(void)tree;
	export->path_ns[node] += (uint64_t)(to_ns - from_ns);
}

/* "llamacc/llama.Invoke/exec", from the root down. */
static void sqlite_add_path(struct str *out, const struct span_tree *tree, uint32_t node)
{
	const struct span_table *table = tree->table;
	uint32_t up[64];
	size_t n = 0;

	for (; node != SPAN_NONE && n < ARRAY_SIZE(up); node = tree->parent[node])
		up[n++] = node;
	while (n-- && out->len < PATH_MOST) {
		if (out->len)
			str_addc(out, '/');
		str_add(out, table->names[table->name[tree->row[up[n]]]].text);
	}
}

static void sqlite_bind(sqlite3_stmt *insert, int column, const char *text, size_t len)
{
	if (text)
		sqlite3_bind_text(insert, column, text, (int)len, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(insert, column);
}

static enum span_form sqlite_form(const struct span_table *table)
{
	return table->format && !strcmp(table->format, "Jaeger") ? SPAN_FORM_JAEGER
								 : SPAN_FORM_LINES;
}

/* One row. Returns a code of SQLite. */
static int sqlite_add_span(struct sqlite_export *export, uint32_t node)
{
	const struct span_tree *tree = &export->tree;
	const struct span_table *table = tree->table;
	const uint32_t row = tree->row[node];
	const struct span_text *name = &table->names[table->name[row]],
			       *trace = &table->traces[table->trace[row]];
	struct str text = STR_INIT, path = STR_INIT, fields = STR_INIT;
	struct span_line line = {0};
	int code;

	if (!span_table_text(table, row, TEXT_MOST, &text)) {
		span_rewrite_fields(&fields, str_text(&text), text.len);
		if (!span_line_read_as(sqlite_form(table), str_text(&text), text.len, &line))
			line = (struct span_line){0};
	}
	sqlite_add_path(&path, tree, node);
	sqlite_bind(export->insert, 1, export->build_id, strlen(export->build_id));
	sqlite_bind(export->insert, 2, trace->text, trace->len);
	sqlite_bind(export->insert, 3, line.id.at, line.id.len);
	sqlite_bind(export->insert, 4, line.parent.len ? line.parent.at : NULL, line.parent.len);
	sqlite_bind(export->insert, 5, name->text, name->len);
	sqlite_bind(export->insert, 6, str_text(&path), path.len);
	sqlite3_bind_int64(export->insert, 7, table->start_ns[row]);
	sqlite3_bind_int64(export->insert, 8, (int64_t)table->duration_ns[row]);
	sqlite3_bind_int64(export->insert, 9, span_tree_self(tree, node));
	sqlite3_bind_int64(export->insert, 10, (int64_t) export->path_ns[node]);
	sqlite_bind(export->insert, 11, str_text(&fields), fields.len);
	code = sqlite3_step(export->insert);
	sqlite3_reset(export->insert);
	str_free(&text);
	str_free(&path);
	str_free(&fields);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int sqlite_add_trace(struct sqlite_export *export, uint32_t trace)
{
	struct span_tree *tree = &export->tree;
	int code = SQLITE_OK;
	uint32_t i;

	span_analysis_tree(export->analysis, trace, tree);
	if (tree->n > export->path_room) {
		export->path_room = tree->n;
		export->path_ns = mem_realloc_array(
			export->path_ns, export->path_room, sizeof(*export->path_ns));
	}
	memset(export->path_ns, 0, tree->n * sizeof(*export->path_ns));
	for (i = tree->first[tree->n]; i < tree->first[tree->n + 1]; i++)
		span_tree_path(tree, tree->child[i], sqlite_add_piece, export);
	for (i = 0; i < tree->n && code == SQLITE_OK; i++)
		code = sqlite_add_span(export, tree->order[i]);
	return code;
}

/* Forgets an earlier build of the same id. */
static int sqlite_forget(struct sqlite_export *export)
{
	sqlite3_stmt *statement;
	int code = sqlite3_prepare_v2(
		export->db, "DELETE FROM spans WHERE build_id = ?", -1, &statement, NULL);

	if (code != SQLITE_OK)
		return code;
	sqlite_bind(statement, 1, export->build_id, strlen(export->build_id));
	code = sqlite3_step(statement);
	sqlite3_finalize(statement);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int sqlite_add_all(struct sqlite_export *export, bool *told)
{
	const uint32_t n = export->analysis->table->n_traces;
	int code = sqlite3_exec(export->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	uint32_t i;

	if (code == SQLITE_OK)
		code = sqlite3_exec(export->db, sqlite_layout, NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite_forget(export);
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(export->db,
			"INSERT INTO spans VALUES(?,?,?,?,?,?,?,?,?,?,?)", -1, &export->insert,
			NULL);
	for (i = 0; i < n && code == SQLITE_OK; i++) {
		code = sqlite_add_trace(export, i);
		if (i % LOOK_TRACES)
			continue;
		progress_show("writing spans:", (double)i / n);
		*told = progress_interrupted();
		if (*told)
			code = SQLITE_INTERRUPT;
	}
	progress_end();
	if (code == SQLITE_OK)
		code = sqlite3_exec(export->db, "COMMIT", NULL, NULL, NULL);
	return code;
}

int span_to_sqlite(const struct span_analysis *analysis, const char *path, const char *build_id,
	struct str *why)
{
	struct sqlite_export export = {.analysis = analysis, .build_id = build_id};
	bool told = false;
	int code = sqlite3_open_v2(path, &export.db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, NULL);

	if (code == SQLITE_OK)
		code = sqlite_add_all(&export, &told);
	if (code != SQLITE_OK)
		str_add(why, export.db ? sqlite3_errmsg(export.db) : sqlite3_errstr(code));
	sqlite3_finalize(export.insert);
	sqlite3_close(export.db);
	free(export.path_ns);
	span_tree_free(&export.tree);
	return code == SQLITE_OK ? 0 : told ? -ECANCELED : -EIO;
}
