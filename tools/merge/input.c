/* SPDX-License-Identifier: GPL-2.0-only */
/* Which reports are in these files and folders? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "sys/caps.h"
#include "output/read_json.h"
#include "base/str.h"
#include "tools/merge/input.h"

#define BUFFER_FIRST ((size_t)256 << 10)
#define CHUNK ((size_t)64 << 10)
#define DEPTH_MAX 8
#define GZIP_OF_ANY_WINDOW (15 + 16)

struct inputs {
	const struct input *input;
	struct report_reader *reader;
	char *buffer; /* what is read of the present file, from "from" on */
	size_t from, len, size;
	/* The present file. */
	const char *name;
	int fd; /* or -1: from memory */
	const char *memory;
	size_t memory_left;
	size_t reports;
	bool gzip, over, failed;
	z_stream stream;
	unsigned char *chunk; /* compressed bytes */
};

struct inputs *inputs_new(const struct input *input)
{
	struct inputs *inputs = mem_zalloc(sizeof(*inputs));

	inputs->input = input;
	inputs->reader = report_reader_new(true);
	inputs->size = BUFFER_FIRST;
	inputs->buffer = mem_alloc(inputs->size);
	inputs->chunk = mem_alloc(CHUNK);
	return inputs;
}

void inputs_free(struct inputs *inputs)
{
	report_reader_free(inputs->reader);
	free(inputs->buffer);
	free(inputs->chunk);
	free(inputs);
}

static void inputs_refuse(struct inputs *inputs, size_t number, const char *why)
{
	inputs->input->refuse(inputs->input->arg, inputs->name, number, why);
}

static void refuse_file(struct inputs *inputs, const char *why)
{
	inputs_refuse(inputs, 0, why);
	inputs->over = inputs->failed = true;
}

/* Raw bytes of the file. Returns how many, 0 at its end. */
static size_t read_raw(struct inputs *inputs, void *to, size_t room)
{
	ssize_t n;

	if (inputs->fd < 0) {
		n = (ssize_t)(inputs->memory_left < room ? inputs->memory_left : room);
		memcpy(to, inputs->memory, (size_t)n);
		inputs->memory += n;
		inputs->memory_left -= (size_t)n;
		return (size_t)n;
	}
	do
		n = read(inputs->fd, to, room);
	while (n < 0 && errno == EINTR && !inputs->input->stop(inputs->input->arg));
	if (n < 0 && errno != EINTR)
		refuse_file(inputs, strerror(errno));
	return n > 0 ? (size_t)n : 0;
}

/* Several gzip files one behind the other are one. */
static size_t read_gzip(struct inputs *inputs, char *to, size_t room)
{
	z_stream *stream = &inputs->stream;
	int err;

	stream->next_out = (unsigned char *)to;
	stream->avail_out = (uInt)room;
	while (stream->avail_out == room) {
		if (!stream->avail_in) {
			stream->next_in = inputs->chunk;
			stream->avail_in = (uInt)read_raw(inputs, inputs->chunk, CHUNK);
		}
		if (!stream->avail_in) {
			if (stream->total_in && !inputs->failed)
				refuse_file(inputs, "the compressed file breaks off");
			break;
		}
		err = inflate(stream, Z_NO_FLUSH);
		if (err == Z_STREAM_END) {
			inflateReset(stream);
		} else if (err != Z_OK) {
			refuse_file(inputs, "the compressed file is damaged");
			break;
		}
	}
	return room - stream->avail_out;
}

/* Makes room and reads on. What was used up makes room first. */
static void inputs_fill(struct inputs *inputs)
{
	size_t n;

	if (inputs->from) {
		inputs->len -= inputs->from;
		memmove(inputs->buffer, inputs->buffer + inputs->from, inputs->len);
		inputs->from = 0;
	}
	if (inputs->len == inputs->size) {
		inputs->size *= 2;
		inputs->buffer = mem_realloc_array(inputs->buffer, inputs->size, 1);
	}
	n = inputs->gzip
		? read_gzip(inputs, inputs->buffer + inputs->len, inputs->size - inputs->len)
		: read_raw(inputs, inputs->buffer + inputs->len, inputs->size - inputs->len);
	inputs->len += n;
	inputs->over |= !n;
}

/* After what is no report: to the next line that begins with one. What comes before is dropped. */
static void find_next(struct inputs *inputs)
{
	const char *at = inputs->buffer + inputs->from, *end = inputs->buffer + inputs->len, *found;

	for (; at < end && (found = memchr(at, '\n', (size_t)(end - at))); at = found + 1)
		if (found + 1 < end && found[1] == '{') {
			inputs->from = (size_t)(found + 1 - inputs->buffer);
			return;
		}
	/* A line break at the very end may stand before the next one. */
	inputs->from = inputs->len - (inputs->len && end[-1] == '\n');
}

/* Whether find_next has to go on in what is read next. */
static bool is_lost(const struct inputs *inputs)
{
	return inputs->from == inputs->len || inputs->buffer[inputs->from] != '{';
}

static void lose(struct inputs *inputs)
{
	/* Past its own beginning. */
	while (inputs->from < inputs->len && strchr(" \t\r\n", inputs->buffer[inputs->from]))
		inputs->from++;
	inputs->from += inputs->from < inputs->len;
	find_next(inputs);
	while (is_lost(inputs) && !inputs->over) {
		inputs_fill(inputs);
		find_next(inputs);
	}
}

/* The text ends inside a report. */
static void inputs_read_on(struct inputs *inputs)
{
	size_t len = inputs->len - inputs->from;

	if (len >= REPORT_BYTES_MAX) {
		inputs_refuse(inputs, inputs->reports + 1, "it is longer than 16 MiB");
		inputs->reports++;
		lose(inputs);
		return;
	}
	inputs_fill(inputs);
	if (!inputs->over)
		return;
	if (!inputs->failed)
		inputs_refuse(inputs, ++inputs->reports, report_reader_wrong(inputs->reader));
	inputs->from = inputs->len;
}

/* One step: a report, something else, or more to read. */
static void inputs_step(struct inputs *inputs)
{
	const struct report *report = NULL;
	size_t used;
	int err = report_read(inputs->reader, inputs->buffer + inputs->from,
		inputs->len - inputs->from, &used, &report);

	if (!err) {
		inputs->reports++;
		inputs->input->report(inputs->input->arg, report);
		inputs->from += used;
	} else if (err == -ENODATA) {
		inputs->from = inputs->len;
		inputs_fill(inputs);
	} else if (err == -EAGAIN) {
		inputs_read_on(inputs);
	} else {
		inputs_refuse(inputs, ++inputs->reports, report_reader_wrong(inputs->reader));
		lose(inputs);
	}
}

static void inputs_read_all(struct inputs *inputs)
{
	const struct input *input = inputs->input;

	inputs->from = inputs->len = inputs->reports = 0;
	inputs->gzip = inputs->over = inputs->failed = false;
	inputs_fill(inputs);
	if (inputs->len >= 2 && !memcmp(inputs->buffer, "\x1f\x8b", 2)) {
		inputs->gzip = true;
		inputs->stream = (z_stream){0};
		if (inflateInit2(&inputs->stream, GZIP_OF_ANY_WINDOW) != Z_OK) {
			refuse_file(inputs, "zlib does not start");
			return;
		}
		if (inputs->len > CHUNK)
			inputs->chunk = mem_realloc_array(inputs->chunk, inputs->len, 1);
		memcpy(inputs->chunk, inputs->buffer, inputs->len);
		inputs->stream.next_in = inputs->chunk;
		inputs->stream.avail_in = (uInt)inputs->len;
		inputs->len = 0;
		inputs_fill(inputs);
	}
	while (!input->stop(input->arg) && (inputs->from < inputs->len || !inputs->over))
		inputs_step(inputs);
	if (!inputs->reports && !inputs->failed && !input->stop(input->arg))
		inputs_refuse(inputs, 0, "it is empty");
	if (inputs->gzip)
		inflateEnd(&inputs->stream);
}

void inputs_read_text(struct inputs *inputs, const char *name, const char *text, size_t len)
{
	inputs->name = name;
	inputs->fd = -1;
	inputs->memory = text;
	inputs->memory_left = len;
	inputs_read_all(inputs);
}

/* Whoever runs this as root wants also to read what its user's cron job has written. */
static int open_any(int at, const char *path, int flags)
{
	int fd;

	caps_raise(CAPS_READ);
	fd = openat(at, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	if (fd < 0)
		fd = -errno;
	caps_lower(CAPS_READ);
	return fd;
}

static bool is_report_name(const char *name)
{
	static const char *const ends[] = {
		".json", ".ndjson", ".jsonl", ".json.gz", ".ndjson.gz", ".jsonl.gz"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (*name != '.' && str_ends(name, ends[i]))
			return true;
	return false;
}

static void read_folder(struct inputs *inputs, int fd, const char *path, int depth);

/* One that a folder names: a pipe there would be waited for, so only files and folders count. */
static void inputs_read_entry(
	struct inputs *inputs, int folder, const char *path, const char *name, int depth)
{
	char *full;
	struct stat st;
	int fd;

	if (*name == '.' || inputs->input->stop(inputs->input->arg))
		return;
	if (!is_report_name(name) &&
		(fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode)))
		return;
	full = mem_printf("%s/%s", path, name);
	fd = open_any(folder, name, O_NONBLOCK | O_NOFOLLOW);
	inputs->name = full;
	if (fd < 0) {
		inputs_refuse(inputs, 0, fd == -ELOOP ? "it is a symbolic link" : strerror(-fd));
	} else if (fstat(fd, &st) || S_ISDIR(st.st_mode)) {
		read_folder(inputs, fd, full, depth + 1);
		fd = -1; /* closed with the folder */
	} else if (!S_ISREG(st.st_mode)) {
		inputs_refuse(inputs, 0, "it is no regular file");
	} else {
		inputs->fd = fd;
		inputs_read_all(inputs);
	}
	if (fd >= 0)
		close(fd);
	free(full);
}

static int inputs_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of names, so that the same folder gives the same report. Closes fd. */
static void read_folder(struct inputs *inputs, int fd, const char *path, int depth)
{
	DIR *folder = depth <= DEPTH_MAX ? fdopendir(fd) : NULL;
	size_t n = 0, room = 0, i;
	const struct dirent *entry;
	char **names = NULL;

	inputs->name = path;
	if (!folder) {
		inputs_refuse(inputs, 0,
			depth > DEPTH_MAX ? "folders are nested too deep" : strerror(errno));
		close(fd);
		return;
	}
	while ((entry = readdir(folder))) {
		ARRAY_GROW(names, n, room);
		names[n++] = mem_strdup(entry->d_name);
	}
	if (n)
		qsort(names, n, sizeof(*names), inputs_compare_names);
	for (i = 0; i < n; i++) {
		inputs_read_entry(inputs, dirfd(folder), path, names[i], depth);
		free(names[i]);
	}
	free(names);
	closedir(folder);
}

void inputs_read(struct inputs *inputs, const char *path)
{
	bool standard = !strcmp(path, "-");
	struct stat st;
	int fd = standard ? STDIN_FILENO : open_any(AT_FDCWD, path, 0);

	inputs->name = standard ? "standard input" : path;
	if (fd < 0) {
		inputs_refuse(inputs, 0, strerror(-fd));
		return;
	}
	if (!standard && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		read_folder(inputs, fd, path, 0);
		return;
	}
	inputs->fd = fd;
	inputs_read_all(inputs);
	if (!standard)
		close(fd);
}
