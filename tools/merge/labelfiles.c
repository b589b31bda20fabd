/* SPDX-License-Identifier: GPL-2.0-only */
/* Which hosts have which label, as people have written it down? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/opener.h"
#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"
#include "sys/read_write.h"
#include "tools/merge/fleet.h"
#include "tools/merge/labelfiles.h"

#define FILE_BYTES_MAX ((size_t)64 << 20)
#define COLUMNS_MAX 64

static int read_fd(int fd, struct str *text)
{
	int err;

	str_add(text, "");
	err = read_all(fd, FILE_BYTES_MAX, text);
	if (err)
		return err;
	return strlen(text->text) == text->len ? 0 : -EINVAL; /* no zero byte in it */
}

static int labels_read_file(const char *path, struct str *text)
{
	int fd = opener_open(AT_FDCWD, path, O_RDONLY | O_NOCTTY), err;

	if (fd < 0)
		return fd;
	err = read_fd(fd, text);
	close(fd);
	return err;
}

/* A host and its namesakes; pattern may have wildcards. Returns how many. */
static int labels_set_pattern(
	struct fleet *fleet, const char *pattern, const char *name, const char *value)
{
	uint32_t label = fleet_label(fleet, name), word = words_add(&fleet->words, value);
	struct host *host;
	int n = 0;
	size_t i;

	if (!strpbrk(pattern, "*?[")) {
		for (host = fleet_find(fleet, pattern); host; host = fleet_namesake(fleet, host)) {
			fleet_set_label(fleet, host, label, word);
			n++;
		}
		return n;
	}
	for (i = 0; i < fleet->n_hosts; i++) {
		if (fnmatch(pattern, fleet_text(fleet, fleet->hosts[i].name), 0))
			continue;
		fleet_set_label(fleet, &fleet->hosts[i], label, word);
		n++;
	}
	return n;
}

int labels_from_text(struct fleet *fleet, const char *text)
{
	const char *equals = strchr(text, '='), *colon = strrchr(text, ':');
	char *name, *value, *hosts, *at, *host;
	int n = 0;

	if (!equals || !colon || equals == text || colon <= equals + 1 || !colon[1])
		return -EINVAL;
	name = mem_strndup(text, (size_t)(equals - text));
	value = mem_strndup(equals + 1, (size_t)(colon - equals - 1));
	hosts = at = mem_strdup(colon + 1);
	while ((host = strsep(&at, ",")))
		if (*host)
			n += labels_set_pattern(fleet, host, name, value);
	free(name);
	free(value);
	free(hosts);
	return n;
}

/* The next field of a line, quotes undone (RFC 4180); *at is moved behind it, to NULL at the end of
 * the line. Works in place. */
static char *labels_next_field(char **at)
{
	char *field = *at, *from = field, *to = field;

	if (*from == '"') {
		for (from++; *from && (*from != '"' || from[1] == '"'); *to++ = *from++)
			from += *from == '"';
		from += *from == '"';
	}
	while (*from && *from != ',')
		*to++ = *from++;
	*at = *from ? from + 1 : NULL;
	*to = 0;
	return field;
}

/* Without blanks around it. */
static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	for (len = strlen(text); len && strchr(" \t\r", text[len - 1]); len--)
		;
	text[len] = 0;
	return text;
}

static size_t labels_split(char *line, char **fields)
{
	char *at = line;
	size_t n = 0;

	while (at && n < COLUMNS_MAX)
		fields[n++] = trim(labels_next_field(&at));
	return n;
}

void labels_from_csv(struct fleet *fleet, const char *text)
{
	char *copy = mem_strdup(text), *at = copy, *line, *names[COLUMNS_MAX], *fields[COLUMNS_MAX];
	size_t n_names = 0, n, i;

	/* Spreadsheets begin a file with a byte order mark. */
	if (!strncmp(at, "\xef\xbb\xbf", 3))
		at += 3;
	while ((line = strsep(&at, "\n"))) {
		if (!*trim(line) || *line == '#')
			continue;
		if (!n_names) {
			n_names = labels_split(line, names);
			continue;
		}
		n = labels_split(line, fields);
		for (i = 1; i < n && i < n_names; i++)
			if (*fields[0] && *fields[i] && *names[i])
				labels_set_pattern(fleet, fields[0], names[i], fields[i]);
	}
	free(copy);
}

static int labels_from_ini(
	struct fleet *fleet, const char *path, const struct str *text, struct str *why)
{
	struct complaints complaints = {.out = why};
	struct inifile *ini = inifile_parse(path, text->text, text->len, &complaints);
	size_t i;

	if (!ini)
		return -EINVAL;
	for (i = 0; i < inifile_count(ini); i++) {
		const struct ini_entry *entry = inifile_entry(ini, i);

		if (*entry->key && *entry->value)
			labels_set_pattern(fleet, entry->section, entry->key, entry->value);
	}
	inifile_free(ini);
	return 0;
}

/* An INI file's first line that says something is a section. */
static bool labels_is_ini(const char *text)
{
	while (*text) {
		text += strspn(text, " \t\r\n");
		if (*text != ';' && *text != '#')
			return *text == '[';
		text += strcspn(text, "\n");
	}
	return false;
}

int labels_from_file(struct fleet *fleet, const char *path, struct str *why)
{
	struct str text = STR_INIT;
	int err = labels_read_file(path, &text);

	if (!err && labels_is_ini(text.text))
		err = labels_from_ini(fleet, path, &text, why);
	else if (!err)
		labels_from_csv(fleet, text.text);
	str_free(&text);
	return err;
}

void expected_from_text(struct fleet *fleet, const char *text)
{
	size_t room = fleet->n_expected;

	fleet->has_expected = true;
	while (*text) {
		size_t len;
		char *name;

		text += strspn(text, ", \t\r\n");
		len = strcspn(text, ", \t\r\n");
		if (*text == '#') {
			text += strcspn(text, "\n");
			continue;
		}
		if (!len)
			continue;
		name = mem_strndup(text, len);
		ARRAY_GROW(fleet->expected, fleet->n_expected, room);
		fleet->expected[fleet->n_expected++] = words_add(&fleet->words, name);
		free(name);
		text += len;
	}
}

int expected_from_file(struct fleet *fleet, const char *path)
{
	struct str text = STR_INIT;
	int err = labels_read_file(path, &text);

	if (!err)
		expected_from_text(fleet, text.text);
	str_free(&text);
	return err;
}
