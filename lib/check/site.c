/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds for all runs on this machine? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/ini.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/site.h"
#include "sys/caller_env.h"
#include "sys/file_trust.h"

#define FILE_BYTES 65536
#define WORDS_MAX 256

static void site_free_words(struct site_words *words)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		free(words->list[i]);
	free(words->list);
	*words = (struct site_words){0};
}

void site_free(struct site *site)
{
	site_free_words(&site->checks);
	site_free_words(&site->options);
	site_free_words(&site->expected);
	site_free_words(&site->services);
	free(site->file);
	*site = (struct site){0};
}

/* Words between blanks; in lists of names a comma is one. Returns what is wrong, or NULL. */
static const char *site_split(struct site_words *words, const char *value, const char *between)
{
	while (*(value += strspn(value, between))) {
		size_t len = strcspn(value, between);

		if (words->n == WORDS_MAX) {
			site_free_words(words);
			return "more than 256 words";
		}
		words->list = mem_realloc_array(words->list, words->n + 2, sizeof(*words->list));
		words->list[words->n++] = mem_strndup(value, len);
		words->list[words->n] = NULL;
		value += len;
	}
	return NULL;
}

/* Each taker returns what is wrong with the value, or NULL. */
static const char *site_take_options(struct site *site, const char *value)
{
	return site_split(&site->options, value, " \t");
}

static const char *site_take_names(struct site_words *words, const char *value, bool areas)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	const char *why = site_split(words, value, " \t,");
	size_t i;

	for (i = 0; !why && i < words->n; i++) {
		const char *name = words->list[i] + (areas && *words->list[i] == '@');

		if (!*name || *name == '-' || name[strspn(name, letters)])
			why = areas ? "a word is no name of a check, nor @AREA"
				    : "a word is no name of a check";
	}
	if (why)
		site_free_words(words);
	return why;
}

static const char *site_take_checks(struct site *site, const char *value)
{
	return site_take_names(&site->checks, value, true);
}

static const char *site_take_expected(struct site *site, const char *value)
{
	return site_take_names(&site->expected, value, false);
}

static const char *site_take_services(struct site *site, const char *value)
{
	return site_take_names(&site->services, value, false);
}

static const char *site_take_honour(struct site *site, const char *value)
{
	site->honours_mutes = !strcmp(value, "yes");
	return site->honours_mutes || !strcmp(value, "no") ? NULL : "it is yes or no";
}

/* Keys of labels are whatever people call them: host_facts reads them. */
static const struct {
	const char *section, *key;
	const char *(*take)(struct site *site, const char *value);
} site_keys[] = {
	{"run", "checks", site_take_checks},
	{"run", "options", site_take_options},
	{"gaps", "expected_unknown", site_take_expected},
	{"mutes", "honour", site_take_honour},
	{"checkmk", "services", site_take_services},
	{"labels", NULL, NULL},
	/* Those two are history/retention's. */
	{"history", NULL, NULL},
	{"cron", NULL, NULL},
};

static void site_refuse(const struct ini_entry *entry, const char *file, bool section,
	struct complaints *complaints)
{
	const char *names[ARRAY_SIZE(site_keys)], *near;
	size_t n = 0, i;

	for (i = 0; i < ARRAY_SIZE(site_keys); i++)
		if (!section)
			names[n++] = site_keys[i].section;
		else if (!strcmp(site_keys[i].section, entry->section))
			names[n++] = site_keys[i].key;
	near = suggest(section ? entry->key : entry->section, names, n);
	if (section)
		complain(complaints, file, entry->line, "[%s] has no key '%s'%s%s%s",
			entry->section, entry->key, near ? "; did you mean '" : "",
			near ? near : "", near ? "'?" : "");
	else
		complain(complaints, file, entry->line,
			"there is no section [%s]; known are [run], [gaps], [mutes], "
			"[checkmk], [labels], [history] and [cron]",
			entry->section);
}

static void site_note_line(struct site *site, const struct ini_entry *entry)
{
	if (!strcmp(entry->key, "options"))
		site->options.line = entry->line;
	else if (!strcmp(entry->key, "checks"))
		site->checks.line = entry->line;
	else if (!strcmp(entry->key, "expected_unknown"))
		site->expected.line = entry->line;
	else if (!strcmp(entry->key, "services"))
		site->services.line = entry->line;
}

static void site_take_entry(
	struct site *site, const struct ini_entry *entry, struct complaints *complaints)
{
	bool section = false;
	const char *why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(site_keys); i++) {
		if (strcmp(site_keys[i].section, entry->section) != 0)
			continue;
		section = true;
		if (!*entry->key || !site_keys[i].key)
			return;
		if (strcmp(site_keys[i].key, entry->key) != 0)
			continue;
		why = site_keys[i].take(site, entry->value);
		site_note_line(site, entry);
		if (why)
			complain(complaints, site->file, entry->line, "%s: '%s': %s", entry->key,
				entry->value, why);
		return;
	}
	if (section || !*entry->key)
		site_refuse(entry, site->file, section, complaints);
}

bool site_parse(
	struct site *site, const char *file, const char *text, size_t len, struct str *errors)
{
	struct complaints complaints = {.out = errors};
	struct inifile *ini = inifile_parse(file, text, len, &complaints);
	size_t i;

	*site = (struct site){.file = mem_strdup(file)};
	for (i = 0; ini && i < inifile_count(ini); i++)
		site_take_entry(site, inifile_entry(ini, i), &complaints);
	inifile_free(ini);
	return !complaints.n;
}

/* What it says decides what people are told. */
static bool site_is_obeyed(const char *path)
{
	struct str why = STR_INIT, message = STR_INIT;
	struct complaints complaints = {.out = &message};
	bool obeyed = obeyed_file(path, &why);

	if (!obeyed)
		complain(&complaints, path, 0, "not obeyed: %s", str_text(&why));
	fputs(str_text(&message), stderr);
	str_free(&message);
	str_free(&why);
	return obeyed;
}

int site_read(const char *path, struct str *text)
{
	FILE *file = fopen(path, "re");
	char buf[4096];
	size_t len;
	int err = 0;

	if (!file)
		return -errno;
	errno = 0;
	while (text->len <= FILE_BYTES && (len = fread(buf, 1, sizeof(buf), file)))
		str_addn(text, buf, len);
	if (ferror(file))
		err = errno ? -errno : -EIO;
	else if (text->len > FILE_BYTES)
		err = -EFBIG;
	fclose(file);
	errno = -err;
	return err;
}

void site_load(struct site *site)
{
	const char *path = caller_env("TUESDAY_INI");
	struct str text = STR_INIT, errors = STR_INIT;
	char *shown;
	int err;

	*site = (struct site){0};
	path = path && *path ? path : SITE_FILE;
	if (!site_is_obeyed(path))
		return;
	err = site_read(path, &text);
	if (!err) {
		site_parse(site, path, str_text(&text), text.len, &errors);
		fputs(str_text(&errors), stderr);
	} else if (err != -ENOENT && err != -ENOTDIR && err != -EACCES) {
		shown = escape_path(path);
		fprintf(stderr, "tuesday: %s: %s\n", shown, strerror(-err));
		free(shown);
	}
	str_free(&text);
	str_free(&errors);
}

bool site_expects_gap(const struct site *site, const char *check)
{
	size_t i;

	for (i = 0; i < site->expected.n; i++)
		if (!strcmp(site->expected.list[i], check))
			return true;
	return false;
}
