/* SPDX-License-Identifier: GPL-2.0-only */
/* What does servers.ini know about a server? */
#include "base/banned.h"

#include <fnmatch.h>
#include <ctype.h>

#include "base/diag.h"
#include "base/ini.h"
#include "base/num.h"
#include "tools/keepalive/server.h"

extern const char keepalive_servers_ini[], keepalive_servers_ini_end[];

int server_compare_versions(const char *a, const char *b)
{
	const char *const a_end = a + strlen(a), *const b_end = b + strlen(b);

	for (;;) {
		uint64_t x = 0, y = 0;
		const bool more_a = *a && !num_next(&a, a_end, &x);
		const bool more_b = *b && !num_next(&b, b_end, &y);

		if (x != y)
			return x < y ? -1 : 1;
		if (!more_a && !more_b)
			return 0;
		a += *a == '.';
		b += *b == '.';
	}
}

static const char *server_value_of(
	const struct server *server, const char *section, const char *key)
{
	size_t i;

	for (i = 0; i < inifile_count(server->ini); i++) {
		const struct ini_entry *entry = inifile_entry(server->ini, i);

		if (!strcmp(entry->section, section) && !strcmp(entry->key, key))
			return entry->value;
	}
	return NULL;
}

/* Patterns are separated by blanks only where a pattern ends in '*', since titles have blanks. */
static bool matches(const char *patterns, const char *text)
{
	while (patterns && *patterns) {
		const char *end = strstr(patterns, "* ");
		char *one = mem_strndup(
			patterns, end ? (size_t)(end - patterns) + 1 : strlen(patterns));
		const bool found = !fnmatch(one, text, 0);

		free(one);
		if (found)
			return true;
		patterns = end ? end + 2 : NULL;
	}
	return false;
}

static const char *server_find_section(
	const struct server *server, const char *title, const char *header)
{
	size_t i;

	for (i = 0; i < inifile_count(server->ini); i++) {
		const struct ini_entry *entry = inifile_entry(server->ini, i);

		if (title && !strcmp(entry->key, "title") && matches(entry->value, title))
			return entry->section;
		if (!title && *header && !strcmp(entry->key, "header") &&
			matches(entry->value, header))
			return entry->section;
	}
	return "server *";
}

/* The word of digits and dots behind the place that the file names. */
static void server_find_version(struct server *server, const char *section, const char *title)
{
	const char *behind = server_value_of(server, section, "version_behind");
	const char *at = behind && title ? strstr(title, behind) : NULL;
	size_t n;

	if (!at)
		return;
	at += strlen(behind);
	at += strspn(at, " ");
	n = strspn(at, "0123456789.");
	if (n && n < sizeof(server->version) && isdigit((unsigned char)*at)) {
		memcpy(server->version, at, n);
		server->version[n] = 0;
	}
}

/* "key=value" among "key=value key=value ": 1 is not 10. */
static bool has_setting(const char *settings, const char *wanted)
{
	const size_t len = wanted ? strlen(wanted) : 0;
	const char *at;

	for (at = settings; len && (at = strstr(at, wanted)); at++)
		if ((at == settings || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* Which of the settings that cure it is set, with this mark behind it: NULL for none. */
static char *find_cure(
	const struct server *server, const char *section, const char *settings, const char *mark)
{
	const char *cures = server_value_of(server, section, "cured_by");
	size_t n;

	for (; cures && *cures; cures += n + strspn(cures + n, " ")) {
		char *one, *marked;
		bool has;

		n = strcspn(cures, " ");
		one = mem_strndup(cures, n);
		marked = mem_printf("%s%s", one, mark);
		has = has_setting(settings, marked);
		free(marked);
		if (has)
			return one;
		free(one);
	}
	return NULL;
}

static void decide(struct server *server, const char *section, const char *settings)
{
	const char *suffers = server_value_of(server, section, "suffers");
	const char *below = server_value_of(server, section, "suffers_below");
	char *cure = find_cure(server, section, settings, "");
	char *perhaps = find_cure(server, section, settings, SERVER_PERHAPS);

	if (cure) {
		server->suffers = SUFFERS_NO;
		str_addf(&server->why, "its configuration says %s", cure);
	} else if (!strcmp(suffers, "some") && *server->version) {
		const bool old = server_compare_versions(server->version, below) < 0;

		server->suffers = old ? SUFFERS_YES : SUFFERS_NO;
		str_addf(&server->why,
			old ? "versions below %s do" : "from version %s on it is fair", below);
	} else if (!strcmp(suffers, "some")) {
		str_addf(&server->why, "versions below %s do, and this one's version is not known",
			below);
	} else if (!strcmp(suffers, "yes")) {
		server->suffers = SUFFERS_YES;
		str_add(&server->why, "with fewer workers than connections");
	} else if (!strcmp(suffers, "no")) {
		server->suffers = SUFFERS_NO;
		str_add(&server->why, "it was fair in all tests");
	}
	if (perhaps && server->suffers != SUFFERS_NO) {
		server->suffers = SUFFERS_UNKNOWN;
		str_addf(&server->why,
			", unless %s is in force, which its configuration leaves open", perhaps);
	}
	free(cure);
	free(perhaps);
}

static bool applies(
	const struct server *server, const char *section, const char *name, const char *settings)
{
	char *from = mem_printf("from.%s", name), *below = mem_printf("below.%s", name);
	char *unless = mem_printf("unless.%s", name);
	const char *done = server_value_of(server, section, unless);
	const char *first = server_value_of(server, section, from);
	const char *end = server_value_of(server, section, below);
	const bool is = !has_setting(settings, done) &&
		(!*server->version ||
			((!first || server_compare_versions(server->version, first) >= 0) &&
				(!end || server_compare_versions(server->version, end) < 0)));

	free(from);
	free(below);
	free(unless);
	return is;
}

static void find_remedies(struct server *server, const char *section, const char *settings)
{
	size_t i;

	for (i = 0; i < inifile_count(server->ini); i++) {
		const struct ini_entry *entry = inifile_entry(server->ini, i);
		char *price;

		if (strcmp(entry->section, section) != 0 || !str_starts(entry->key, "remedy.") ||
			server->n_remedies == SERVER_REMEDIES_MAX)
			continue;
		if (!applies(server, section, entry->key + strlen("remedy."), settings))
			continue;
		price = mem_printf("price.%s", entry->key + strlen("remedy."));
		server->remedies[server->n_remedies++] =
			(struct remedy){entry->value, server_value_of(server, section, price)};
		free(price);
	}
}

void server_know(struct server *server, const char *title, const char *header, const char *settings)
{
	struct complaints none = {0};
	const char *section, *proxy;

	if (!server->ini)
		server->ini = inifile_parse("servers.ini", keepalive_servers_ini,
			(size_t)(keepalive_servers_ini_end - keepalive_servers_ini), &none);
	if (!server->ini)
		return;
	str_clear(&server->why);
	server->n_remedies = 0;
	server->suffers = SUFFERS_UNKNOWN;
	section = server_find_section(server, title, header);
	server->name = section + strlen("server ");
	server->known = strcmp(server->name, "*") != 0;
	proxy = server_value_of(server, section, "proxy");
	server->proxy = proxy && !strcmp(proxy, "yes");
	server_find_version(server, section, title);
	decide(server, section, settings);
	server->mechanism = server_value_of(server, section, "mechanism");
	find_remedies(server, section, settings);
	if (!server->mechanism && server->known)
		server->mechanism = server_value_of(server, "server *", "mechanism");
	if (!server->n_remedies)
		find_remedies(server, "server *", settings);
}

static size_t word_length(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return (size_t)(at - text);
}

/* One line: "threads 5, 5" or "threads(5)". What is computed there is not known here, nor whether
 * the block is run that an indented line stands in. */
static void read_setting(
	struct str *out, const char *names, bool perhaps, const char *line, const char *end)
{
	const bool in_doubt = perhaps || (line < end && isblank((unsigned char)*line));
	const char *value, *const mark = in_doubt ? SERVER_PERHAPS : "";
	char *name;
	size_t n;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	n = word_length(line, end);
	name = mem_strndup(line, n);
	value = line + n;
	while (value < end && strchr(" \t(", *value))
		value++;
	if (n && value > line + n && str_matches(name, names)) {
		const size_t value_len = word_length(value, end);
		const char *rest = value + value_len;

		while (rest < end && strchr(" \t),0123456789\r", *rest))
			rest++;
		if (value_len && value_len < 16 && (rest == end || *rest == '#'))
			str_addf(out, "%s=%.*s%s ", name, (int)value_len, value, mark);
	}
	free(name);
}

void server_read_settings(
	struct str *out, const char *names, bool perhaps, const char *text, size_t len)
{
	const char *const end = text + len;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		read_setting(out, names, perhaps, text, stop);
		text = stop + (stop < end);
	}
}

/* A word that may be part of a file's name. */
static bool is_word(const char *text)
{
	const size_t len = strlen(text);

	return len && len < SERVER_WORD_MAX &&
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		len;
}

char *server_read_environment(const char *names, const char *block, size_t len)
{
	const char *const end = block + len;
	char *found = NULL;

	while (block < end) {
		const char *stop = memchr(block, 0, (size_t)(end - block));
		const char *equals = stop ? memchr(block, '=', (size_t)(stop - block)) : NULL;
		char *name;
		bool asked;

		/* A title that was too long has been written over it. */
		if (!equals)
			break;
		name = mem_strndup(block, (size_t)(equals - block));
		asked = *name && str_matches(name, names);
		free(name);
		if (asked && (!is_word(equals + 1) || (found && strcmp(found, equals + 1) != 0)))
			break;
		if (asked && !found)
			found = mem_strdup(equals + 1);
		block = stop + 1;
	}
	if (block < end) {
		free(found);
		return NULL;
	}
	return found;
}

void server_free(struct server *server)
{
	inifile_free(server->ini);
	str_free(&server->why);
	str_free(&server->settings);
	*server = (struct server){0};
}
