/* SPDX-License-Identifier: GPL-2.0-only */
/* Which jobs did ninja run in its last build, and when? */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "spans/ninja.h"
#include "spans/spans.h"

#define NINJA_BEGINS "# ninja log v"
#define MS_NS INT64_C(1000000)
#define SECOND_NS INT64_C(1000000000)
#define MS_MAX (UINT64_C(1) << 40)		/* 35 years */
#define MTIME_MAX UINT64_C(4000000000000000000) /* 2096 */
#define SECONDS_MAX UINT64_C(4000000000)	/* a smaller MTIME counts these */
#define ENDING_MAX 16
#define VERSION_OF_STARTS 6 /* from here on MTIME is when the job began */

/* One job: its outputs are in one line each, of which this is the first. */
struct ninja_job {
	uint64_t start_ms, end_ms;
	int64_t mtime_ns;
	const char *output, *hash;
	size_t output_len, hash_len;
};

struct ninja_log {
	struct ninja_job *jobs; /* of the last build */
	size_t n, room;
	uint64_t version;
	uint64_t earlier; /* lines of builds before it */
	uint64_t bad;
};

bool span_ninja_is_log(const char *text, size_t len)
{
	return len > strlen(NINJA_BEGINS) && !memcmp(text, NINJA_BEGINS, strlen(NINJA_BEGINS));
}

/* What is before the next tab, or before the end. */
static bool ninja_column(const char **at, const char *end, const char **column, size_t *len)
{
	const char *tab;

	if (*at >= end)
		return false;
	tab = memchr(*at, '\t', (size_t)(end - *at));
	*column = *at;
	*len = (size_t)((tab ? tab : end) - *at);
	*at = tab ? tab + 1 : end;
	return *len > 0;
}

static bool ninja_number(const char **at, const char *end, uint64_t most, uint64_t *number)
{
	if (num_next(at, end, number) || *number > most || *at == end || **at != '\t')
		return false;
	(*at)++;
	return true;
}

static bool ninja_line(const char *line, size_t len, struct ninja_job *job)
{
	const char *at = line, *end = line + len;
	uint64_t mtime;

	*job = (struct ninja_job){0};
	if (!ninja_number(&at, end, MS_MAX, &job->start_ms) ||
		!ninja_number(&at, end, MS_MAX, &job->end_ms) ||
		!ninja_number(&at, end, MTIME_MAX, &mtime) ||
		!ninja_column(&at, end, &job->output, &job->output_len) ||
		!ninja_column(&at, end, &job->hash, &job->hash_len))
		return false;
	job->mtime_ns = (int64_t)mtime * (mtime < SECONDS_MAX ? SECOND_NS : 1);
	return job->end_ms >= job->start_ms;
}

/* Whether it is one more output of the same job. */
static bool ninja_same_job(const struct ninja_job *a, const struct ninja_job *b)
{
	return a->start_ms == b->start_ms && a->end_ms == b->end_ms && a->hash_len == b->hash_len &&
		!memcmp(a->hash, b->hash, a->hash_len);
}

static void ninja_add(struct ninja_log *log, const struct ninja_job *job)
{
	if (log->n && job->end_ms < log->jobs[log->n - 1].end_ms) {
		log->earlier += log->n;
		log->n = 0;
	}
	if (log->n && ninja_same_job(&log->jobs[log->n - 1], job))
		return;
	ARRAY_GROW(log->jobs, log->n, log->room);
	log->jobs[log->n++] = *job;
}

static void ninja_parse(struct ninja_log *log, const char *text, size_t len)
{
	const char *at = text + strlen(NINJA_BEGINS), *end = text + len;

	if (num_next(&at, end, &log->version))
		log->version = 0;
	while ((at = memchr(at, '\n', (size_t)(end - at))) && ++at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct ninja_job job;

		if (!newline)
			newline = end;
		if (ninja_line(at, (size_t)(newline - at), &job))
			ninja_add(log, &job);
		else if (newline > at && *at != '#')
			log->bad++;
		if (newline == end)
			break;
	}
}

static int ninja_time_order(const void *a, const void *b)
{
	const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

/*
 * When this ninja began, in nanoseconds since 1970: by the output that was changed closest to its
 * job's end, or by the middle one of those that say when their job began. A file whose time was set
 * to what was not yet when the log was written says nothing.
 */
static int64_t ninja_began(const struct ninja_log *log, int64_t changed_ns)
{
	const bool by_start = log->version >= VERSION_OF_STARTS;
	const int64_t last_ms = (int64_t)log->jobs[log->n - 1].end_ms,
		      latest = changed_ns ? changed_ns - last_ms * MS_NS : INT64_MAX;
	int64_t *times = mem_realloc_array(NULL, log->n, sizeof(*times)), began;
	size_t i, n = 0;

	for (i = 0; i < log->n; i++) {
		const struct ninja_job *job = &log->jobs[i];
		const int64_t time =
			job->mtime_ns - (int64_t)(by_start ? job->start_ms : job->end_ms) * MS_NS;

		if (job->mtime_ns && (!changed_ns || time <= latest + SECOND_NS))
			times[n++] = time;
	}
	if (n)
		qsort(times, n, sizeof(*times), ninja_time_order);
	if (n)
		began = by_start ? times[n / 2] : times[n - 1];
	else
		began = changed_ns ? latest : 0;
	free(times);
	return began;
}

/* "*.o" of "src/a.o", "*.so" of "lib/b.so.1.2"; all of what has no ending. */
static char *ninja_name(const struct ninja_job *job)
{
	char *output = mem_strndup(job->output, job->output_len), *dot, *name;
	const char *slash = strrchr(output, '/'), *base = slash && slash[1] ? slash + 1 : output;

	while ((dot = strrchr(base, '.')) && dot > base && dot[1] &&
		strspn(dot + 1, "0123456789") == strlen(dot + 1))
		*dot = 0;
	dot = strrchr(base, '.');
	if (dot && dot > base && dot[1] && strlen(dot) <= ENDING_MAX)
		name = mem_printf("*%s", dot);
	else
		name = mem_strdup(base);
	free(output);
	return name;
}

static int ninja_add_job(
	struct span_table *table, const struct ninja_job *job, struct span *span, int64_t began_ns)
{
	char *output = mem_strndup(job->output, job->output_len),
	     *hash = mem_strndup(job->hash, job->hash_len), *name = ninja_name(job);
	const struct span_field fields[] = {{"output", output, 0}, {"hash", hash, 0}};
	int err;

	span->name = name;
	span->start_ns = began_ns + (int64_t)job->start_ms * MS_NS;
	span->end_ns = began_ns + (int64_t)job->end_ms * MS_NS;
	span->fields = fields;
	span->n_fields = 2;
	err = span_table_add(table, span);
	free(output);
	free(hash);
	free(name);
	return err;
}

static int ninja_add_build(struct span_table *table, const struct ninja_log *log, int64_t began_ns)
{
	char trace[32], id[24];
	struct span root = {.trace = trace, .id = "0", .name = "ninja"},
		    span = {.trace = trace, .id = id, .parent = "0"};
	uint64_t first_ms = UINT64_MAX, last_ms = 0;
	size_t i;
	int err;

	for (i = 0; i < log->n; i++) {
		if (log->jobs[i].start_ms < first_ms)
			first_ms = log->jobs[i].start_ms;
		if (log->jobs[i].end_ms > last_ms)
			last_ms = log->jobs[i].end_ms;
	}
	snprintf(trace, sizeof(trace), "ninja-%" PRId64, began_ns);
	root.start_ns = began_ns + (int64_t)first_ms * MS_NS;
	root.end_ns = began_ns + (int64_t)last_ms * MS_NS;
	err = span_table_add(table, &root);
	for (i = 0; i < log->n && !err; i++) {
		snprintf(id, sizeof(id), "%zu", i + 1);
		err = ninja_add_job(table, &log->jobs[i], &span, began_ns);
	}
	return err;
}

int span_ninja_read(struct span_table *table, const char *text, size_t len, int64_t changed_ns)
{
	struct ninja_log log = {0};
	const uint32_t first = table->n;
	int err = -ENODATA;

	ninja_parse(&log, text, len);
	if (log.n)
		err = ninja_add_build(table, &log, ninja_began(&log, changed_ns));
	if (!err)
		span_table_log(table, &(struct span_log){.first = first, .end = table->n});
	table->bad += log.bad;
	table->earlier += log.earlier;
	table->format = "ninja log";
	free(log.jobs);
	return err;
}
