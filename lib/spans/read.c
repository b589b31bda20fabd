/* SPDX-License-Identifier: GPL-2.0-only */
/* Which form has a file of spans? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "spans/internal.h"
#include "spans/ninja.h"

#define HEAD_BYTES ((size_t)256 << 10) /* of a file that are looked at */
#define LINES_TRIED 1000
#define NINJA_BYTES ((off_t)256 << 20) /* some millions of jobs */
#define NS_PER_SECOND 1000000000

enum read_form { READ_AS_NOTHING, READ_AS_LINES, READ_AS_DOCUMENT, READ_AS_NINJA };

/* Whether the first object has a list that documents have. */
static bool read_is_document(const char *text, size_t len)
{
	static const char *const lists[] = {
		"resourceSpans", "data", "spans", "traceEvents", "scopeSpans"};
	struct json_scan scan;
	struct json_text key;
	size_t i;

	json_begin(&scan, text, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &key)) {
		for (i = 0; i < ARRAY_SIZE(lists); i++)
			if (json_is(&key, lists[i]) && json_kind(&scan) == '[')
				return true;
		json_skip(&scan);
	}
	return false;
}

/* Whether what begins here, be it cut, has keys of a span. */
static bool read_is_begun_span(const char *text, size_t len)
{
	struct json_scan scan;
	struct json_text key;
	unsigned int seen = 0;
	int64_t unit_ns;

	json_begin(&scan, text, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &key)) {
		seen |= 1u << span_key_of(key.at, key.len, &unit_ns);
		json_skip(&scan);
	}
	return __builtin_popcount(seen & ~1u) >= 3;
}

/* Whether one of the first lines is a span: others may be damaged. */
static bool read_is_lines(const char *text, size_t len)
{
	size_t done = 0, i;

	for (i = 0; i < LINES_TRIED && done < len; i++) {
		const char *line = text + done, *newline = memchr(line, '\n', len - done);
		const size_t line_len = newline ? (size_t)(newline - line) : len - done;
		struct span_line span;

		if (span_line_read(line, line_len, &span) || read_is_begun_span(line, line_len))
			return true;
		done += line_len + 1;
	}
	return false;
}

static enum read_form read_form_of(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	if (at == len)
		return len ? READ_AS_NOTHING : READ_AS_LINES;
	if (span_ninja_is_log(text, len))
		return READ_AS_NINJA;
	if (text[at] == '[' || read_is_document(text + at, len - at))
		return READ_AS_DOCUMENT;
	return read_is_lines(text + at, len - at) ? READ_AS_LINES : READ_AS_NOTHING;
}

/* A file without a size, as a pipe, becomes one in memory. */
static int read_into_memory(int fd, span_progress *progress, void *arg)
{
	const int copy = memfd_create("spans", MFD_CLOEXEC);
	char *buffer = mem_alloc(HEAD_BYTES);
	ssize_t got = 0;
	int err = copy < 0 ? -errno : 0;

	while (!err && (got = read(fd, buffer, HEAD_BYTES)) > 0) {
		if (write(copy, buffer, (size_t)got) != got)
			err = -errno;
		else if (progress && !progress(arg, 0))
			err = -ECANCELED;
	}
	if (!err && got < 0)
		err = -errno;
	free(buffer);
	if (!err)
		return copy;
	if (copy >= 0)
		close(copy);
	return err;
}

static int read_ninja(struct span_table *table, int fd, const struct stat *st)
{
	char *text;
	size_t done = 0;
	ssize_t got = 1;
	int err;

	if (st->st_size > NINJA_BYTES)
		return -EFBIG;
	text = mem_alloc((size_t)st->st_size + 1);
	while (done < (size_t)st->st_size && got > 0) {
		got = pread(fd, text + done, (size_t)st->st_size - done, (off_t)done);
		done += got > 0 ? (size_t)got : 0;
	}
	err = got < 0 ? -errno
		      : span_ninja_read(table, text, done,
				(int64_t)st->st_mtim.tv_sec * NS_PER_SECOND + st->st_mtim.tv_nsec);
	free(text);
	return err;
}

static int read_file(
	struct span_table *table, uint32_t origin, int fd, span_progress *progress, void *arg)
{
	char *head = mem_alloc(HEAD_BYTES);
	const ssize_t got = pread(fd, head, HEAD_BYTES, 0);
	enum read_form form = got > 0 ? read_form_of(head, (size_t)got) : READ_AS_NOTHING;
	struct stat st;
	int err = got < 0 || fstat(fd, &st) ? -errno : 0;

	free(head);
	if (err)
		return err;
	table->bytes += (uint64_t)st.st_size;
	if (form == READ_AS_DOCUMENT)
		return span_document_read(table, origin,
			&(struct span_document_from){fd, (uint64_t)st.st_size, progress, arg});
	if (form == READ_AS_NINJA)
		return read_ninja(table, fd, &st);
	if (form == READ_AS_NOTHING)
		return got ? -ENOEXEC : -ENODATA;
	table->format = "NDJSON";
	return span_lines_read(table, origin, fd, (uint64_t)st.st_size, progress, arg);
}

int spans_read(
	struct span_table *table, const char *path, int fd, span_progress *progress, void *arg)
{
	struct stat st;
	uint32_t origin;
	int copy;

	if (fstat(fd, &st)) {
		const int err = -errno;

		close(fd);
		return err;
	}
	if (!S_ISREG(st.st_mode)) {
		copy = S_ISDIR(st.st_mode) ? -EISDIR : read_into_memory(fd, progress, arg);
		close(fd);
		if (copy < 0)
			return copy;
		fd = copy;
	}
	origin = span_table_origin(table, path, fd);
	if (origin == SPAN_NONE) {
		close(fd);
		return -E2BIG;
	}
	return read_file(table, origin, fd, progress, arg);
}

int spans_read_text(struct span_table *table, const char *text, size_t len)
{
	const int fd = memfd_create("spans", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < len) {
		const ssize_t put = write(fd, text + done, len - done);

		if (put <= 0)
			break;
		done += (size_t)put;
	}
	if (fd < 0 || done < len) {
		const int err = -errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	return spans_read(table, "text", fd, NULL, NULL);
}
