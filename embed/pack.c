/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of a check file is linked into a program? Its keys, taken apart when the program is built:
 * to do it again in every run would cost more than to read the kernel's counters.
 *
 * pack FILE.ini writes them to standard output, each as three strings: line, key and value. The
 * header of a section has an empty key, and its name is the value. See settings_from_packed.
 */
#include "base/banned.h"

#include <stdio.h>

#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"

static int read_file(const char *path, struct str *text)
{
	FILE *file = fopen(path, "re");
	char buf[16384];
	size_t n;
	int err;

	if (!file)
		return -1;
	while ((n = fread(buf, 1, sizeof(buf), file)) > 0)
		str_addn(text, buf, n);
	err = ferror(file);
	fclose(file);
	return err ? -1 : 0;
}

static void put(const char *text)
{
	fwrite(text, 1, strlen(text) + 1, stdout);
}

static void put_entry(const struct ini_entry *entry)
{
	printf("%d%c", entry->line, 0);
	put(entry->key);
	put(*entry->key ? entry->value : entry->section);
}

int main(int argc, char **argv)
{
	struct str text = STR_INIT, messages = STR_INIT;
	struct complaints complaints = {.out = &messages};
	struct inifile *ini;
	size_t i;

	if (argc != 2 || read_file(argv[1], &text)) {
		fprintf(stderr, "pack: %s cannot be read\n", argc == 2 ? argv[1] : "nothing");
		return 1;
	}
	ini = inifile_parse(argv[1], str_text(&text), text.len, &complaints);
	fputs(str_text(&messages), stderr);
	for (i = 0; ini && i < inifile_count(ini); i++)
		put_entry(inifile_entry(ini, i));
	inifile_free(ini);
	str_free(&text);
	str_free(&messages);
	return !ini || fflush(stdout) || ferror(stdout);
}
