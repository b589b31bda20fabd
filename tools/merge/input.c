/* SPDX-License-Identifier: GPL-2.0-only */
/* Which reports are in these files and folders? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "sys/opener.h"
#include "output/read_json.h"
#include "base/str.h"
#include "tools/merge/input.h"

#define BUFFER_FIRST ((size_t)256 << 10)
#define CHUNK ((size_t)64 << 10)
#define DEPTH_MAX 8
#define GZIP_OF_ANY_WINDOW (15 + 16)

/* What a file may cost. */
#define REPORTS_MAX 100000
#define UNPACKED_MAX ((size_t)1 << 30)
#define UNPACKED_TIMES 100 /* reports pack to a tenth; as much as one report is always unpacked */
#define VAIN_MAX ((size_t)256 << 20) /* bytes that were read and were no report */

struct inputs {
	const struct input *input;
	struct report_reader *reader;
	char *buffer; /* what is read of the present file, from "from" on */
	size_t from, len, size;
	size_t next; /* where in it a line begins with a report; len: nowhere; 0: not sought yet */
	/* The present file. */
	const char *name;
	int fd; /* or -1: from memory */
	const char *memory;
	size_t memory_left;
	const char *folder; /* in which it was found, or NULL */
	size_t reports;
	size_t told, untold;	 /* refusals */
	size_t packed, unpacked; /* bytes */
	size_t vain;		 /* bytes that were read for what was refused then */
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

/* What is refused of a file as a whole is always told. */
static void inputs_refuse(struct inputs *inputs, size_t number, const char *why)
{
	if (number && inputs->told == REFUSALS_TOLD) {
		inputs->untold++;
		return;
	}
	inputs->told += number > 0;
	inputs->input->refuse(inputs->input->arg, inputs->name, number, why);
}

static bool inputs_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void refuse_file(struct inputs *inputs, const char *why)
{
	inputs_refuse(inputs, 0, why);
	inputs->over = inputs->failed = true;
}

/* The same, with what was read already. */
static void inputs_give_up(struct inputs *inputs, const char *why)
{
	refuse_file(inputs, why);
	inputs->from = inputs->len;
}

/* Raw bytes of the file. Returns how many, 0 at its end. */
static size_t read_raw(struct inputs *inputs, void *to, size_t room)
{
	ssize_t n;

	if (inputs->fd < 0) {
		n = (ssize_t)(inputs->memory_left < room ? inputs->memory_left : room);
		if (n)
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

/* A small file that unpacks to gigabytes is no report, whatever it is. */
static void inputs_bound_unpacked(struct inputs *inputs)
{
	size_t used = inputs->packed - inputs->stream.avail_in;

	if (inputs->failed)
		return;
	if (inputs->unpacked > UNPACKED_MAX)
		refuse_file(inputs,
			"it is larger than 1 GiB when unpacked, and the rest is not read: unpack "
			"or split it");
	else if (inputs->unpacked > REPORT_BYTES_MAX && inputs->unpacked / UNPACKED_TIMES > used)
		refuse_file(inputs,
			"it unpacks to more than 100 times its size, and the rest is "
			"not read: unpack it first");
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
			inputs->packed += stream->avail_in;
		}
		if (!stream->avail_in) {
			if (stream->total_in && !inputs->failed)
				refuse_file(inputs, "the compressed file is cut off");
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
	inputs->unpacked += room - stream->avail_out;
	inputs_bound_unpacked(inputs);
	return room - stream->avail_out;
}

static size_t inputs_read_some(struct inputs *inputs)
{
	char *to = inputs->buffer + inputs->len;
	size_t room = inputs->size - inputs->len;

	return inputs->gzip ? read_gzip(inputs, to, room) : read_raw(inputs, to, room);
}

/* Makes room and reads on until it is full: a report that comes in drops would be parsed anew at
 * each. What was used up makes room first. */
static void inputs_fill(struct inputs *inputs)
{
	size_t n;

	inputs->next = 0;
	if (inputs->from) {
		inputs->len -= inputs->from;
		memmove(inputs->buffer, inputs->buffer + inputs->from, inputs->len);
		inputs->from = 0;
	}
	if (inputs->len == inputs->size) {
		inputs->size *= 2;
		inputs->buffer = mem_realloc_array(inputs->buffer, inputs->size, 1);
	}
	while (inputs->len < inputs->size && !inputs->over) {
		n = inputs_read_some(inputs);
		inputs->len += n;
		inputs->over |= !n;
	}
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
	inputs->from += inputs->from < inputs->len;
	find_next(inputs);
	while (is_lost(inputs) && !inputs->over) {
		inputs_fill(inputs);
		find_next(inputs);
	}
}

/* What began here is no report, as was found after so many bytes. */
static void inputs_refuse_one(struct inputs *inputs, size_t bytes, const char *why)
{
	inputs_refuse(inputs, ++inputs->reports, why);
	inputs->vain += bytes;
	if (inputs->vain > VAIN_MAX)
		inputs_give_up(inputs, "too much of it is not a report, and the rest is not read");
	else
		lose(inputs);
}

/* The text ends inside a report. */
static void inputs_read_on(struct inputs *inputs)
{
	size_t len = inputs->len - inputs->from;

	if (len >= REPORT_BYTES_MAX) {
		inputs_refuse_one(inputs, len, "it is longer than 16 MiB");
		return;
	}
	inputs_fill(inputs);
	if (inputs->len - inputs->from > len)
		return;
	if (!inputs->failed)
		inputs_refuse(inputs, ++inputs->reports, report_reader_wrong(inputs->reader));
	inputs->from = inputs->len;
}

/*
 * How far the report that begins here can reach at most: to the next line that begins as
 * -o json does, so that one which breaks off takes none of the others with it. False: as far as is
 * read.
 */
static bool inputs_ends(struct inputs *inputs, size_t *len)
{
	static const char beginning[] = "{\"schema\"";
	const char *end = inputs->buffer + inputs->len, *at = inputs->buffer + inputs->from;

	if (inputs->next <= inputs->from) {
		inputs->next = inputs->len;
		while ((at = memchr(at, '\n', (size_t)(end - at))) &&
			(size_t)(end - ++at) >= strlen(beginning))
			if (!memcmp(at, beginning, strlen(beginning))) {
				inputs->next = (size_t)(at - inputs->buffer);
				break;
			}
	}
	*len = inputs->next - inputs->from;
	return inputs->next < inputs->len;
}

static void inputs_take(struct inputs *inputs, const struct report *report)
{
	const struct input *input = inputs->input;
	const char *why = input->report(input->arg, inputs->name, inputs->folder, report);

	inputs->reports++;
	if (why)
		inputs_refuse(inputs, inputs->reports, why);
}

/* One step: a report, something else, or more to read. */
static void inputs_step(struct inputs *inputs)
{
	const struct report *report = NULL;
	size_t used, len;
	bool ends;
	int err;

	while (inputs->from < inputs->len && inputs_is_blank(inputs->buffer[inputs->from]))
		inputs->from++;
	if (inputs->from == inputs->len) {
		inputs_fill(inputs);
		return;
	}
	if (inputs->reports == REPORTS_MAX) {
		inputs_give_up(
			inputs, "it has more than 100,000 reports, and the rest is not read");
		return;
	}
	ends = inputs_ends(inputs, &len);
	err = report_read(inputs->reader, inputs->buffer + inputs->from, len, &used, &report);
	if (!err) {
		inputs_take(inputs, report);
		inputs->from += used;
	} else if (err == -EAGAIN && ends) {
		inputs_refuse(inputs, ++inputs->reports, report_reader_wrong(inputs->reader));
		inputs->from += len;
	} else if (err == -EAGAIN) {
		inputs_read_on(inputs);
	} else {
		inputs_refuse_one(inputs, used, report_reader_wrong(inputs->reader));
	}
}

static void inputs_read_all(struct inputs *inputs)
{
	const struct input *input = inputs->input;

	inputs->from = inputs->len = inputs->reports = inputs->vain = 0;
	inputs->unpacked = inputs->next = 0;
	inputs->gzip = inputs->over = inputs->failed = false;
	inputs_fill(inputs);
	if (inputs->len >= 2 && !memcmp(inputs->buffer, "\x1f\x8b", 2)) {
		inputs->gzip = true;
		inputs->stream = (z_stream){0};
		if (inflateInit2(&inputs->stream, GZIP_OF_ANY_WINDOW) != Z_OK) {
			refuse_file(inputs, "zlib cannot be started");
			return;
		}
		inputs->over = inputs->failed;
		if (inputs->len > CHUNK)
			inputs->chunk = mem_realloc_array(inputs->chunk, inputs->len, 1);
		memcpy(inputs->chunk, inputs->buffer, inputs->len);
		inputs->stream.next_in = inputs->chunk;
		inputs->stream.avail_in = (uInt)inputs->len;
		inputs->packed = inputs->len;
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

static void inputs_begin(struct inputs *inputs, const char *name)
{
	inputs->name = name;
	inputs->told = inputs->untold = 0;
}

/* Behind a file, or what could not be opened as one. */
static void inputs_end(struct inputs *inputs)
{
	if (inputs->untold)
		inputs->input->refuse_more(inputs->input->arg, inputs->name, inputs->untold);
}

void inputs_read_text(struct inputs *inputs, const char *name, const char *text, size_t len)
{
	inputs_begin(inputs, name);
	inputs->fd = -1;
	inputs->memory = text;
	inputs->memory_left = len;
	inputs_read_all(inputs);
	inputs_end(inputs);
}

/* Whoever runs this as root wants also to read what its user's cron job has written. */
static int open_any(int at, const char *path, int flags)
{
	return opener_open(at, path, O_RDONLY | O_NOCTTY | flags);
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
	inputs_begin(inputs, full);
	if (fd < 0) {
		inputs_refuse(inputs, 0, fd == -ELOOP ? "it is a symbolic link" : strerror(-fd));
	} else if (fstat(fd, &st) || S_ISDIR(st.st_mode)) {
		read_folder(inputs, fd, full, depth + 1);
		fd = -1; /* closed with the folder */
	} else if (!S_ISREG(st.st_mode)) {
		inputs_refuse(inputs, 0, "it is not a regular file");
	} else {
		inputs->fd = fd;
		inputs_read_all(inputs);
		inputs_end(inputs);
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

	inputs_begin(inputs, path);
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

	inputs_begin(inputs, standard ? "standard input" : path);
	inputs->folder = NULL;
	if (fd < 0) {
		inputs_refuse(inputs, 0, strerror(-fd));
		return;
	}
	if (!standard && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		inputs->folder = path;
		read_folder(inputs, fd, path, 0);
		return;
	}
	inputs->fd = fd;
	inputs_read_all(inputs);
	inputs_end(inputs);
	if (!standard)
		close(fd);
}
