/* SPDX-License-Identifier: GPL-2.0-only */
/* Which job of the build was it that this compiler has written about? */
#include "base/banned.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "spans/fields.h"
#include "spans/join.h"
#include "spans/spans.h"

#define STEM_KEY (UINT64_C(1) << 63) /* of a name; pids are below it */
#define SLACK_NS 10000000	     /* ninja counts in milliseconds, file systems in ticks */

/* One run of the compiler. */
struct join_compiler {
	const struct span_log *log;
	int64_t start_ns, end_ns;
	uint32_t job; /* row, or SPAN_NONE */
};

/* A span that may be the job of one. */
struct join_job {
	uint64_t key; /* its pid, or the hash of its output's name without folders and ending */
	uint32_t row;
	char *stem; /* its output without ending; NULL of a process */
};

struct join {
	struct span_table *table;
	struct join_compiler *compilers; /* by their start */
	size_t n_compilers, compilers_room;
	struct join_job *jobs; /* by key */
	size_t n_jobs, jobs_room;
};

static int64_t join_row_end(const struct span_table *table, uint32_t row)
{
	return table->start_ns[row] + (int64_t)table->duration_ns[row];
}

static void join_add_compiler(struct join *join, const struct span_log *log)
{
	const struct span_table *table = join->table;
	struct join_compiler compiler = {
		.log = log, .start_ns = INT64_MAX, .end_ns = INT64_MIN, .job = SPAN_NONE};
	uint32_t row;

	for (row = log->first; row < log->end; row++) {
		const int64_t end_ns = join_row_end(table, row);

		if (table->start_ns[row] < compiler.start_ns)
			compiler.start_ns = table->start_ns[row];
		if (end_ns > compiler.end_ns)
			compiler.end_ns = end_ns;
	}
	ARRAY_GROW(join->compilers, join->n_compilers, join->compilers_room);
	join->compilers[join->n_compilers++] = compiler;
}

static int join_start_order(const void *a, const void *b)
{
	const struct join_compiler *left = a, *right = b;

	if (left->start_ns != right->start_ns)
		return left->start_ns < right->start_ns ? -1 : 1;
	return left->log < right->log ? -1 : left->log > right->log;
}

static int join_key_order(const void *a, const void *b)
{
	const struct join_job *left = a, *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

/* Whether a compiler began while this ran. */
static bool join_is_around_one(const struct join *join, uint32_t row)
{
	const int64_t start_ns = join->table->start_ns[row],
		      end_ns = join_row_end(join->table, row);
	size_t low = 0, high = join->n_compilers;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (join->compilers[middle].start_ns < start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < join->n_compilers && join->compilers[low].start_ns <= end_ns;
}

/* A path without its ending, and the key of its last part. */
static char *join_stem(const char *path, uint64_t *key)
{
	char *stem = mem_strdup(path), *slash = strrchr(stem, '/'),
	     *base = slash ? slash + 1 : stem, *dot = strrchr(base, '.');

	if (dot && dot > base)
		*dot = 0;
	*key = span_hash(0, base, strlen(base)) | STEM_KEY;
	return stem;
}

static void join_add_job(struct join *join, uint32_t row, bool is_ninja)
{
	struct join_job job = {.row = row};
	struct str value = STR_INIT;
	const bool has = !span_field_text(join->table, row, is_ninja ? "output" : "pid", &value) &&
		value.len;

	if (has && is_ninja)
		job.stem = join_stem(str_text(&value), &job.key);
	if (has && (is_ninja || !num_u64(str_text(&value), 1, UINT32_MAX, &job.key))) {
		ARRAY_GROW(join->jobs, join->n_jobs, join->jobs_room);
		join->jobs[join->n_jobs++] = job;
	}
	str_free(&value);
}

/* The log that a row is of, going on from the last one; logs are in the order of their rows. */
static const struct span_log *join_log_of(const struct span_table *table, size_t *at, uint32_t row)
{
	while (*at < table->n_logs && table->logs[*at].end <= row)
		++*at;
	return *at < table->n_logs && table->logs[*at].first <= row ? &table->logs[*at] : NULL;
}

static void join_collect(struct join *join)
{
	const struct span_table *table = join->table;
	size_t at = 0, i;
	uint32_t row;

	for (i = 0; i < table->n_logs; i++)
		if (table->logs[i].is_compiler)
			join_add_compiler(join, &table->logs[i]);
	if (!join->n_compilers)
		return;
	qsort(join->compilers, join->n_compilers, sizeof(*join->compilers), join_start_order);
	for (row = 0; row < table->n; row++) {
		const struct span_log *log = join_log_of(table, &at, row);

		if (log ? !log->is_compiler : join_is_around_one(join, row))
			join_add_job(join, row, log != NULL);
	}
	if (join->n_jobs)
		qsort(join->jobs, join->n_jobs, sizeof(*join->jobs), join_key_order);
}

/* The first of a key, or the end. */
static size_t join_find(const struct join *join, uint64_t key)
{
	size_t low = 0, high = join->n_jobs;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (join->jobs[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The process with its number that ran all the time that the compiler did. */
static uint32_t join_process(const struct join *join, const struct join_compiler *compiler)
{
	const struct span_table *table = join->table;
	size_t i;

	if (!compiler->log->pid)
		return SPAN_NONE;
	for (i = join_find(join, compiler->log->pid);
		i < join->n_jobs && join->jobs[i].key == compiler->log->pid; i++) {
		const uint32_t row = join->jobs[i].row;

		if (table->start_ns[row] <= compiler->start_ns + SLACK_NS &&
			join_row_end(table, row) >= compiler->end_ns - SLACK_NS)
			return row;
	}
	return SPAN_NONE;
}

/* Whether a path ends with all parts of the other one. */
static bool join_path_ends(const char *path, const char *end)
{
	const size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && !strcmp(path + len - end_len, end) &&
		(len == end_len || path[len - end_len - 1] == '/');
}

/* The job whose output is beside the file: the one that has most of the path. */
static uint32_t join_output(const struct join *join, const struct join_compiler *compiler)
{
	const char *path = join->table->origins[compiler->log->origin].path;
	uint32_t found = SPAN_NONE;
	size_t found_len = 0, i;
	uint64_t key;
	char *stem;

	if (!path)
		return SPAN_NONE;
	stem = join_stem(path, &key);
	for (i = join_find(join, key); i < join->n_jobs && join->jobs[i].key == key; i++) {
		const char *output = join->jobs[i].stem;
		size_t len = strlen(output);

		/* A path from a folder within the build's is the shorter one. */
		if (len > found_len &&
			(join_path_ends(stem, output) || join_path_ends(output, stem))) {
			found = join->jobs[i].row;
			found_len = len;
		}
	}
	free(stem);
	return found;
}

/*
 * By how much a build of ninja is moved: each job began before its compiler, and ended after it, to
 * the millisecond. Where no time is right for all of them it is the middle of what they ask for.
 */
static int64_t join_shift(const struct join *join, const struct span_log *ninja)
{
	const struct span_table *table = join->table;
	int64_t least = INT64_MIN, most = INT64_MAX;
	size_t i;

	for (i = 0; i < join->n_compilers; i++) {
		const struct join_compiler *compiler = &join->compilers[i];
		const uint32_t job = compiler->job;
		int64_t low, high;

		if (job < ninja->first || job >= ninja->end)
			continue;
		low = compiler->end_ns - join_row_end(table, job);
		high = compiler->start_ns - table->start_ns[job];
		least = low > least ? low : least;
		most = high < most ? high : most;
	}
	if (least > most)
		return least / 2 + most / 2;
	return least > 0 ? least : most < 0 ? most : 0;
}

static void join_move(struct span_table *table, const struct span_log *log, int64_t by_ns)
{
	uint32_t row;

	for (row = log->first; row < log->end; row++) {
		const int64_t start_ns = table->start_ns[row] + by_ns;

		if (start_ns <= SPAN_TIME_MAX - (int64_t)table->duration_ns[row] &&
			start_ns >= -SPAN_TIME_MAX)
			table->start_ns[row] = start_ns;
	}
}

/* What is left of ninja's rounding is taken from the compiler's times. */
static void join_fit(struct span_table *table, const struct join_compiler *compiler)
{
	const int64_t before = table->start_ns[compiler->job] - compiler->start_ns,
		      behind = compiler->end_ns - join_row_end(table, compiler->job);

	if (before > 0 && before < SLACK_NS)
		join_move(table, compiler->log, before);
	else if (behind > 0 && behind < SLACK_NS)
		join_move(table, compiler->log, -behind);
}

static void join_adopt(struct span_table *table, const struct join_compiler *compiler)
{
	uint32_t row;

	for (row = compiler->log->first; row < compiler->log->end; row++) {
		table->trace[row] = table->trace[compiler->job];
		if (!table->parent[row])
			table->parent[row] = table->id[compiler->job];
	}
	table->joined++;
}

void span_join(struct span_table *table)
{
	struct join join = {.table = table};
	size_t i;

	join_collect(&join);
	for (i = 0; i < join.n_compilers; i++) {
		join.compilers[i].job = join_process(&join, &join.compilers[i]);
		if (join.compilers[i].job == SPAN_NONE)
			join.compilers[i].job = join_output(&join, &join.compilers[i]);
	}
	for (i = 0; i < table->n_logs && join.n_compilers; i++)
		if (!table->logs[i].is_compiler)
			join_move(table, &table->logs[i], join_shift(&join, &table->logs[i]));
	for (i = 0; i < join.n_compilers; i++)
		if (join.compilers[i].job != SPAN_NONE) {
			join_fit(table, &join.compilers[i]);
			join_adopt(table, &join.compilers[i]);
		}
	for (i = 0; i < join.n_jobs; i++)
		free(join.jobs[i].stem);
	free(join.jobs);
	free(join.compilers);
}
