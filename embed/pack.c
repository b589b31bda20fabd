/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of a check file is linked into a program? Its keys, taken apart when the program is built:
 * to do it again in every run would cost more than to read the kernel's counters.
 *
 * pack FILE.ini writes them to standard output, as lib/check/packed.h says.
 */
#include "base/banned.h"

#include <stdio.h>

#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"
#include "check/packed.h"

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

int main(int argc, char **argv)
{
	struct str text = STR_INIT, messages = STR_INIT, packed = STR_INIT;
	struct complaints complaints = {.out = &messages};
	struct inifile *ini;
	bool written;

	if (argc != 2 || read_file(argv[1], &text)) {
		fprintf(stderr, "pack: %s cannot be read\n", argc == 2 ? argv[1] : "nothing");
		return 1;
	}
	ini = inifile_parse(argv[1], str_text(&text), text.len, &complaints);
	fputs(str_text(&messages), stderr);
	written = ini && packed_write(&packed, ini);
	if (ini && !written)
		fprintf(stderr,
			"pack: %s: its first section has to be [check], and it may have 65535 "
			"lines\n",
			argv[1]);
	fwrite(packed.text, 1, packed.len, stdout);
	inifile_free(ini);
	str_free(&text);
	str_free(&messages);
	str_free(&packed);
	return !written || fflush(stdout) || ferror(stdout);
}
