/* SPDX-License-Identifier: GPL-2.0-only */
/* What did people say about the types of runs? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/json_read.h"
#include "sys/file_trust.h"
#include "sys/statedir.h"
#include "sys/statefile.h"
#include "base/str.h"
#include "report/incident.h"
#include "history/retypes.h"
#include "report/incident_key.h"

#define FILE_NAME "types.jsonl"

static void free_word(struct retype_entry *word)
{
	free(word->run);
	free(word->key);
	free(word->by);
	free(word->reason);
	free(word->ref);
}

void retypes_free(struct retypes *log)
{
	size_t i;

	for (i = 0; i < log->n; i++)
		free_word(&log->list[i]);
	free(log->list);
	*log = (struct retypes){0};
}

/* Reading. */

static void retypes_take_text(struct json_scan *scan, char **to, size_t max)
{
	struct json_text text;
	struct str out = STR_INIT;

	if (!json_text(scan, &text))
		return;
	json_add_text(&out, &text, max);
	free(*to);
	*to = str_take(&out);
}

static const char *take_type(struct json_scan *scan)
{
	const char *type;
	char *text = NULL;

	retypes_take_text(scan, &text, 32);
	type = text ? incident_type_find(text) : NULL;
	free(text);
	return type;
}

static time_t retypes_take_time(struct json_scan *scan)
{
	struct tm utc = {0};
	char *text = NULL;
	const char *end;
	time_t time = 0;

	retypes_take_text(scan, &text, 32);
	end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc) : NULL;
	if (end && !*end && utc.tm_year >= 70 && utc.tm_year < 1100)
		time = timegm(&utc);
	free(text);
	return time;
}

static void take_member(
	struct retype_entry *word, struct json_scan *scan, const struct json_text *key)
{
	double number;

	if (json_is(key, "run"))
		retypes_take_text(scan, &word->run, 32);
	else if (json_is(key, "key"))
		retypes_take_text(scan, &word->key, INCIDENT_KEY_SIZE - 1);
	else if (json_is(key, "derived"))
		word->derived = take_type(scan);
	else if (json_is(key, "type"))
		word->type = take_type(scan);
	else if (json_is(key, "by"))
		retypes_take_text(scan, &word->by, 400);
	else if (json_is(key, "reason"))
		retypes_take_text(scan, &word->reason, 3 * RETYPES_REASON_MAX);
	else if (json_is(key, "ref"))
		retypes_take_text(scan, &word->ref, 3 * RETYPES_REF_MAX);
	else if (json_is(key, "at"))
		word->time = retypes_take_time(scan);
	else if (json_is(key, "number") && json_number(scan, &number))
		word->number = number >= 0 && number < 1e15 ? (uint64_t)number : 0;
	else if (!json_is(key, "number"))
		json_skip(scan);
}

static bool retype_is_whole(const struct retype_entry *word)
{
	return word->run && *word->run && word->key && word->type && word->by && word->reason &&
		word->time;
}

static bool retypes_take_line(struct retypes *log, const char *line, size_t len)
{
	struct retype_entry word = {0};
	struct json_scan scan;
	struct json_text key;

	if (len > RETYPES_LINE_MAX)
		return false;
	json_begin(&scan, line, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &key))
		take_member(&word, &scan, &key);
	if (scan.err || scan.at != scan.end || !retype_is_whole(&word)) {
		free_word(&word);
		return false;
	}
	ARRAY_GROW(log->list, log->n, log->room);
	log->list[log->n++] = word;
	return true;
}

void retypes_parse(struct retypes *out, const char *text, size_t len)
{
	const char *end = text + len;

	*out = (struct retypes){0};
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		/* The last line without its end was not finished, be it whole or not. */
		if (stop > text &&
			(!newline || !retypes_take_line(out, text, (size_t)(stop - text))))
			out->damaged++;
		text = newline ? newline + 1 : end;
	}
}

int retypes_load(struct retypes *out, const char *dir)
{
	struct str text = STR_INIT;
	int err = statefile_read(dir, FILE_NAME, &text);

	*out = (struct retypes){0};
	if (!err)
		retypes_parse(out, str_text(&text), text.len);
	str_free(&text);
	return err == -ENOENT ? 0 : err;
}

/* Writing. */

static void retypes_add_word(struct str *line, const struct retype_entry *word)
{
	struct json_writer json;

	json_start(&json, line);
	json_write_text(&json, "run", word->run);
	json_write_count(&json, "number", word->number);
	/* Empty where nothing is accused, which is a condition too. */
	json_write_string(&json, "key", word->key);
	json_write_text(&json, "derived", word->derived);
	json_write_text(&json, "type", word->type);
	json_write_text(&json, "by", word->by);
	json_write_time(&json, "at", word->time);
	json_write_text(&json, "reason", word->reason);
	json_write_text(&json, "ref", word->ref);
	json_finish(&json);
}

/* Another user's file would be a place where we write what they like to whom they like. */
static int open_log(const char *given)
{
	char *path = statedir_itself(given);
	int dir = directory_open(path, 0755, true), fd, err = 0;
	struct stat st;

	free(path);
	if (dir < 0)
		return dir == -ENOTDIR || dir == -ELOOP ? -EPERM : dir;
	fd = openat(dir, FILE_NAME,
		O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	err = fd < 0 ? (errno == ELOOP ? -EPERM : -errno) : 0;
	if (!err)
		err = trusted_open(fd, &st);
	/* Its name is to outlast a power cut too. */
	if (!err && !st.st_size && fsync(dir))
		err = -errno;
	close(dir);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

static int retypes_wait_for_turn(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	while (fcntl(fd, F_OFD_SETLKW, &lock))
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* The lock is ours, so size is what the file has. A line that was not finished is ended. */
static int retypes_append_line(int fd, off_t size, const struct retype_entry *word)
{
	struct str text = STR_INIT;
	char last = '\n';
	ssize_t n;
	int err = 0;

	if (size && pread(fd, &last, 1, size - 1) != 1)
		return -EIO;
	str_add(&text, last == '\n' ? "" : "\n");
	retypes_add_word(&text, word);
	if (size + (off_t)text.len > RETYPES_MAX_BYTES)
		err = -EFBIG;
	if (!err) {
		n = write(fd, text.text, text.len);
		err = n < 0 ? -errno : (size_t)n < text.len ? -ENOSPC : fsync(fd) ? -errno : 0;
		/* Half a line says nothing; what was there before stays. */
		if (err && n > 0 && ftruncate(fd, size))
			err = -EIO;
	}
	str_free(&text);
	return err;
}

int retypes_add(const char *dir, const struct retype_entry *word)
{
	int fd = open_log(dir), err;
	struct stat st;

	if (fd < 0)
		return fd;
	err = retypes_wait_for_turn(fd);
	if (!err && fstat(fd, &st))
		err = -errno;
	if (!err)
		err = retypes_append_line(fd, st.st_size, word);
	close(fd);
	return err;
}
