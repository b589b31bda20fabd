/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans as a table of SQLite, for questions that nobody foresaw. */
#ifndef TUESDAY_TOOLS_SPAN_SQLITE_H
#define TUESDAY_TOOLS_SPAN_SQLITE_H

struct span_analysis;
struct str;

/*
 * Adds a build to a database, which is made where there is none; one of the same build id is
 * replaced. Tables: spans(build_id, trace_id, span_id, parent_id, name, path, start_ns, dur_ns,
 * self_ns, cp_ns, fields), and the view sums by build and name. Returns 0, -ECANCELED, or -errno
 * with a phrase in why; the database is as before then.
 */
int span_to_sqlite(const struct span_analysis *analysis, const char *path, const char *build_id,
	struct str *why);

#endif
