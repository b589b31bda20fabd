/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does the next line of a file end? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/line_reader.h"
#include "base/progress.h"
#include "base/str.h"

enum { BLOCK = 256 << 10, SHOWN_MS = 200 };

static void line_reader_line(struct line_reader *reader, char *line, size_t len)
{
	if (len && line[len - 1] == '\r')
		len--;
	line[len] = 0;
	reader->lines++;
	if (!reader->is_over && !reader->each(reader->arg, line, len))
		reader->is_over = true;
}

/* Adds a piece of a line to what is there of it; one that gets too long is left out. */
static void line_reader_add(struct line_reader *reader, const char *bytes, size_t len)
{
	if (reader->skips)
		return;
	if (!reader->bytes)
		reader->bytes = mem_alloc(LINE_READER_MAX + 1);
	if (len > LINE_READER_MAX - reader->len) {
		reader->skips = true;
		reader->too_long++;
		reader->len = 0;
		return;
	}
	memcpy(reader->bytes + reader->len, bytes, len);
	reader->len += len;
}

void line_reader_take(struct line_reader *reader, const char *bytes, size_t len)
{
	const char *end = bytes + len, *newline;

	for (; bytes < end && !reader->is_over; bytes = newline + 1) {
		newline = memchr(bytes, '\n', (size_t)(end - bytes));
		line_reader_add(reader, bytes, (size_t)((newline ? newline : end) - bytes));
		if (!newline)
			return;
		if (!reader->skips)
			line_reader_line(reader, reader->bytes, reader->len);
		reader->skips = false;
		reader->len = 0;
	}
}

void line_reader_end(struct line_reader *reader)
{
	if (reader->len && !reader->skips)
		line_reader_line(reader, reader->bytes, reader->len);
	free(reader->bytes);
	reader->bytes = NULL;
	reader->len = 0;
}

static void line_reader_show(const char *doing, uint64_t done, uint64_t all, int64_t *shown_ms)
{
	const int64_t now = monotonic_ms();

	if (!doing || !all || now < *shown_ms + SHOWN_MS)
		return;
	*shown_ms = now;
	progress_show(doing, done < all ? (double)done / (double)all : 1);
}

int line_reader_read(struct line_reader *reader, int fd, const char *doing)
{
	char *block = mem_alloc(BLOCK);
	int64_t shown_ms = monotonic_ms();
	struct stat info = {0};
	uint64_t done = 0;
	ssize_t n = 1;
	int err = 0;

	if (fstat(fd, &info) || !S_ISREG(info.st_mode))
		info.st_size = 0;
	while (n && !err && !reader->is_over) {
		n = read(fd, block, BLOCK);
		if (progress_told_to_stop())
			err = -EINTR;
		else if (n < 0 && errno != EINTR)
			err = -errno;
		if (n <= 0)
			continue;
		line_reader_take(reader, block, (size_t)n);
		done += (uint64_t)n;
		line_reader_show(doing, done, (uint64_t)info.st_size, &shown_ms);
	}
	line_reader_end(reader);
	progress_end();
	free(block);
	return err;
}
