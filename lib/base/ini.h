/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * INI files as check files use them, read with inih.
 *
 * inih as packaged cuts lines at 200 bytes and names at 50, starts a comment at " ;" inside a
 * value, ends a key at ':' as well as '=', is silent about sections without keys, and calls back
 * once more for each continuation line with the same key. This file is the only one that knows:
 * values keep " ;", a continuation line is appended with a blank, a key ends at '=' only, and what
 * inih would cut is an error with its line number.
 *
 * (Not ini.h: that is inih's own name, and so is its ini_parse.)
 */
#ifndef TUESDAY_BASE_INI_H
#define TUESDAY_BASE_INI_H

#include <stddef.h>

struct complaints;

#define INIFILE_MAX_BYTES (1 << 20)

/* One "key = value" line, in file order. The header of a section is an entry too: its key is "".
 * Strings are owned by the inifile, and those of all entries of a section share its name. */
struct ini_entry {
	const char *section; /* "metric runq", blanks folded to one */
	const char *key;
	const char *value;
	int line;
};

struct inifile;

/*
 * Parses text of len bytes. file is for messages. Returns the entries, or NULL with complaints: a
 * key outside a section, a line that is neither, a NUL byte, a control character, a key or section
 * given twice, a key that is indented (it would continue the line above), a line, name or file that
 * is too long. Every line that is wrong has its own message.
 */
struct inifile *inifile_parse(
	const char *file, const char *text, size_t len, struct complaints *complaints);
void inifile_free(struct inifile *ini);

/* Hands over the memory of all strings: entries are valid until the caller frees it. */
char *inifile_take_text(struct inifile *ini);

size_t inifile_count(const struct inifile *ini);
const struct ini_entry *inifile_entry(const struct inifile *ini, size_t i);

#endif
