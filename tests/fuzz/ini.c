/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any INI file get through that should not, or come out otherwise than it went in?
 *
 * What is accepted is written in the plainest form and read again: it must be the same.
 */
#include "base/banned.h"

#include <stdint.h>

#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"
#include "check/site.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Every message names the file and is one line. */
static void check_messages(const struct str *errors)
{
	const char *at = str_text(errors);

	while (*at) {
		const char *end = strchr(at, '\n');

		require(end && str_starts(at, "x.ini:"));
		at = end + 1;
	}
}

static void check_text(const char *text)
{
	for (; *text; text++)
		require((unsigned char)*text >= ' ' || *text == '\t');
}

static void check_entries(const struct inifile *ini)
{
	const char *section = NULL;
	int line = 0;
	size_t i;

	for (i = 0; i < inifile_count(ini); i++) {
		const struct ini_entry *entry = inifile_entry(ini, i);

		require(entry->line > line);
		line = entry->line;
		if (!*entry->key)
			section = entry->section;
		require(section && *section && !strcmp(section, entry->section));
		check_text(entry->section);
		check_text(entry->key);
		check_text(entry->value);
	}
}

/* The plainest form; false where a line would be too long for it. */
static bool write_plainly(struct str *out, const struct inifile *ini)
{
	size_t i;

	for (i = 0; i < inifile_count(ini); i++) {
		const struct ini_entry *entry = inifile_entry(ini, i);

		if (strlen(entry->key) + strlen(entry->value) + 3 > 199)
			return false;
		if (*entry->key)
			str_addf(out, "%s = %s\n", entry->key, entry->value);
		else
			str_addf(out, "[%s]\n", entry->section);
	}
	return true;
}

static void check_again(const struct inifile *ini)
{
	struct complaints complaints = {0};
	struct str text = STR_INIT;
	struct inifile *again;
	size_t i;

	if (write_plainly(&text, ini)) {
		again = inifile_parse("x.ini", str_text(&text), text.len, &complaints);
		require(again && inifile_count(again) == inifile_count(ini));
		for (i = 0; i < inifile_count(ini); i++) {
			const struct ini_entry *a = inifile_entry(ini, i);
			const struct ini_entry *b = inifile_entry(again, i);

			require(!strcmp(a->section, b->section) && !strcmp(a->key, b->key) &&
				!strcmp(a->value, b->value));
		}
		inifile_free(again);
	}
	str_free(&text);
}

/* As the file of the machine, whatever it says: names are names, and what is wrong is told. */
static void check_site(const char *data, size_t size, bool is_ini)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_@";
	struct str errors = STR_INIT;
	struct site site;
	size_t i;

	require(site_parse(&site, "x.ini", data, size, &errors) == !errors.len);
	require(is_ini || errors.len);
	check_messages(&errors);
	for (i = 0; i < site.checks.n; i++)
		require(strspn(site.checks.list[i], letters) == strlen(site.checks.list[i]));
	for (i = 0; i < site.expected.n; i++)
		require(site_expects_gap(&site, site.expected.list[i]));
	for (i = 0; i < site.options.n; i++)
		require(!strpbrk(site.options.list[i], " \t"));
	site_free(&site);
	str_free(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str errors = STR_INIT;
	struct complaints complaints = {.out = &errors};
	struct inifile *ini = inifile_parse("x.ini", (const char *)data, size, &complaints);

	require(!ini == (complaints.n != 0));
	check_messages(&errors);
	if (ini) {
		check_entries(ini);
		check_again(ini);
	}
	check_site((const char *)data, size, ini != NULL);
	inifile_free(ini);
	str_free(&errors);
	return 0;
}
