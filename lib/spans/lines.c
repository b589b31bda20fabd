/* SPDX-License-Identifier: GPL-2.0-only */
/* How are the lines of a large file read, by two threads, in little memory? */
#include "base/banned.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "spans/internal.h"

#define BLOCK_BYTES ((size_t)256 << 10) /* that are read at a time: they stay in a CPU's cache */
#define ALONE_BYTES ((uint64_t)4 << 20) /* a smaller file is not worth a second thread */
#define LINE_LEAST 40			/* bytes of a line that is a span */

/* A part of a file: the lines that begin in it. */
struct span_part {
	struct span_filler filler;
	struct span_table own; /* of the second part */
	uint32_t origin;
	int fd;
	uint64_t from, to;
	char *buffer;
	size_t room, len;
	bool skipping; /* the rest of a line that is too long */
	atomic_bool *stop;
	span_progress *progress;
	void *arg;
	int err;
};

int span_fill(struct span_filler *filler, const struct span_line *line, uint64_t at)
{
	struct span_table *table = filler->table;
	const struct json_text *trace = &line->trace;
	const uint32_t row = table->n;

	if (row == table->room && span_table_reserve(table, row ? 2 * (size_t)row : 1024))
		return -ENOMEM;
	if (!filler->trace_hash || trace->len != filler->last.len ||
		memcmp(trace->at ? trace->at : "", filler->last_text, trace->len) != 0) {
		const char *text = trace->at ? trace->at : "";

		filler->trace = span_table_trace(table, text, trace->len);
		filler->trace_hash = span_hash(0, text, trace->len);
		/* A long one is no text that is foretold. */
		filler->last.len = trace->len <= SPAN_NAME_MAX ? trace->len : SIZE_MAX;
		if (trace->len <= SPAN_NAME_MAX)
			memcpy(filler->last_text, text, trace->len);
	}
	table->id[row] =
		line->id.len ? span_hash(filler->trace_hash, line->id.at, line->id.len) : 0;
	table->parent[row] = line->parent.len
		? span_hash(filler->trace_hash, line->parent.at, line->parent.len)
		: 0;
	table->start_ns[row] = line->start_ns;
	table->duration_ns[row] = line->duration_ns;
	table->at[row] = at;
	table->trace[row] = filler->trace;
	if (line->name.escaped) {
		struct str name = STR_INIT;

		json_add_text(&name, &line->name, SPAN_NAME_MAX);
		table->name[row] = span_table_name(table, str_text(&name), name.len);
		str_free(&name);
	} else {
		table->name[row] = span_table_name(table, line->name.at, line->name.len);
	}
	table->n++;
	return 0;
}

static bool span_lines_blank(const char *text, size_t len)
{
	while (len && (*text == ' ' || *text == '\t' || *text == '\r'))
		text++, len--;
	return !len;
}

size_t span_lines_scan(
	struct span_filler *filler, const char *text, size_t len, uint64_t at, bool last, int *err)
{
	struct span_table *table = filler->table;
	size_t done = 0;

	while (done < len && !*err) {
		const char *line = text + done, *newline = memchr(line, '\n', len - done);
		const size_t line_len = newline ? (size_t)(newline - line) : len - done;
		struct span_line span;

		if (!newline && !last)
			break;
		if (span_line_scan(&filler->reader, line, line_len, &span))
			*err = span_fill(filler, &span, at + done);
		else if (!newline)
			table->cut_off = true;
		else if (!span_lines_blank(line, line_len))
			table->bad++;
		done += line_len + (newline != NULL);
	}
	return done;
}

/* Goes on behind the next newline of a line that is left out. */
static void span_part_skip(struct span_part *part)
{
	const char *newline = memchr(part->buffer, '\n', part->len);

	if (!newline) {
		part->from += part->len;
		part->len = 0;
		return;
	}
	part->len -= (size_t)(newline + 1 - part->buffer);
	part->from += (uint64_t)(newline + 1 - part->buffer);
	memmove(part->buffer, newline + 1, part->len);
	part->skipping = false;
}

/* A line that does not fit gets more room, up to the longest that is read. */
static void span_part_grow(struct span_part *part)
{
	if (part->room < SPAN_LINE_MAX) {
		part->room *= 2;
		part->buffer = mem_realloc_array(part->buffer, part->room + SPAN_LINE_PAD, 1);
		return;
	}
	part->filler.table->bad++;
	part->skipping = true;
}

/* One block. part->from is where the buffer begins in the file. Returns whether there is more. */
static bool span_part_step(struct span_part *part)
{
	const ssize_t got = pread(part->fd, part->buffer + part->len, part->room - part->len,
		(off_t)(part->from + part->len));
	size_t usable, done;
	const char *newline;

	if (got < 0) {
		part->err = -errno;
		return false;
	}
	part->len += (size_t)got;
	if (part->skipping) {
		span_part_skip(part);
		return got > 0 && part->from < part->to;
	}
	/* The last line that begins in this part may end in the next one. */
	usable = part->len;
	if (part->from + part->len > part->to) {
		newline = memchr(part->buffer + (part->to - part->from) - 1, '\n',
			part->len - (size_t)(part->to - part->from) + 1);
		usable = newline ? (size_t)(newline + 1 - part->buffer) : part->len;
	}
	memset(part->buffer + part->len, 0, SPAN_LINE_PAD);
	done = span_lines_scan(&part->filler, part->buffer, usable,
		(uint64_t)part->origin << SPAN_AT_BITS | part->from, !got, &part->err);
	part->from += done;
	part->len -= done;
	memmove(part->buffer, part->buffer + done, part->len);
	if (!got || part->err || part->from >= part->to)
		return false;
	if (part->len == part->room)
		span_part_grow(part);
	return true;
}

/* A part that begins within a line begins behind it, where the part before it ends. */
static void span_part_start(struct span_part *part)
{
	part->room = BLOCK_BYTES;
	part->buffer = mem_alloc(part->room + SPAN_LINE_PAD);
	part->skipping = part->from > 0;
	part->from -= part->skipping;
}

static void *span_part_run(void *arg)
{
	struct span_part *part = arg;
	const uint64_t from = part->from;
	bool more = true;

	span_part_start(part);
	while (more && !atomic_load_explicit(part->stop, memory_order_relaxed)) {
		more = span_part_step(part);
		if (part->progress &&
			!part->progress(part->arg,
				(double)(part->from - from) / (double)(part->to - from + 1)))
			atomic_store(part->stop, true);
	}
	if (part->err)
		atomic_store(part->stop, true);
	free(part->buffer);
	return NULL;
}

/* Numbers of another table's names or traces as those of this one. */
static uint32_t *span_join_list(struct span_table *table, const struct span_text *list, uint32_t n,
	uint32_t (*add)(struct span_table *, const char *, size_t))
{
	uint32_t *numbers = mem_realloc_array(NULL, (size_t)n + 1, sizeof(*numbers)), i;

	for (i = 0; i < n; i++)
		numbers[i] = add(table, list[i].text, list[i].len);
	return numbers;
}

/* A column is given back as soon as it was copied. */
static void span_join_column(void *to, void *from, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
			first = ((uintptr_t)from + page - 1) & ~(page - 1),
			end = ((uintptr_t)from + bytes) & ~(page - 1);

	memcpy(to, from, bytes);
	if (end > first)
		madvise((char *)from + (first - (uintptr_t)from), end - first, MADV_DONTNEED);
}

/* Appends the second part, and frees it. */
static int span_table_join(struct span_table *table, struct span_table *part)
{
	const uint32_t n = table->n, more = part->n;
	uint32_t *names, *traces, i;

	if (span_table_reserve(table, (size_t)n + more))
		return -ENOMEM;
	names = span_join_list(table, part->names, part->n_names, span_table_name);
	traces = span_join_list(table, part->traces, part->n_traces, span_table_trace);
	for (i = 0; i < more; i++) {
		table->name[n + i] = names[part->name[i]];
		table->trace[n + i] = traces[part->trace[i]];
	}
	free(names);
	free(traces);
	span_join_column(table->id + n, part->id, more * sizeof(*table->id));
	span_join_column(table->parent + n, part->parent, more * sizeof(*table->parent));
	span_join_column(table->start_ns + n, part->start_ns, more * sizeof(*table->start_ns));
	span_join_column(
		table->duration_ns + n, part->duration_ns, more * sizeof(*table->duration_ns));
	span_join_column(table->at + n, part->at, more * sizeof(*table->at));
	table->n += more;
	table->bad += part->bad;
	table->cut += part->cut;
	table->cut_off |= part->cut_off;
	span_table_free(part);
	return 0;
}

static bool span_lines_has_second_cpu(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 1;
}

int span_lines_read(struct span_table *table, uint32_t origin, int fd, uint64_t size,
	span_progress *progress, void *arg)
{
	atomic_bool stop = false;
	struct span_part first = {.origin = origin, .fd = fd, .to = size, .stop = &stop},
			 second = first;
	pthread_t thread;
	bool two = size > ALONE_BYTES && span_lines_has_second_cpu();
	int err;

	first.progress = progress;
	first.arg = arg;
	first.filler.table = table;
	if (span_table_reserve(table, table->n + size / LINE_LEAST + 1))
		return -ENOMEM;
	if (two) {
		first.to = second.from = size / 2;
		second.filler.table = &second.own;
		two = !span_table_reserve(&second.own, size / 2 / LINE_LEAST + 1) &&
			!pthread_create(&thread, NULL, span_part_run, &second);
	}
	if (!two)
		first.to = size;
	span_part_run(&first);
	if (two)
		pthread_join(thread, NULL);
	err = first.err ? first.err : two ? second.err : 0;
	if (!err && atomic_load(&stop))
		err = -ECANCELED;
	if (two && !err)
		err = span_table_join(table, &second.own);
	if (two && err)
		span_table_free(&second.own);
	return err;
}
