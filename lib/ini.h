/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * INI files as check files use them, read with inih.
 *
 * inih as packaged cuts lines at 200 bytes, starts a comment at " ;" inside a value, ends a key at
 * ':' as well as '=', and calls back once more for each continuation line with the same key. This
 * file is the only one that knows: values keep " ;", a continuation line is appended with a blank,
 * a key ends at '=' only, and a line too long is an error with its line number.
 */
#ifndef TUESDAY_INI_H
#define TUESDAY_INI_H

#include <stddef.h>

struct str;

/* One "key = value" line, in file order. Strings are owned by the ini. */
struct ini_entry {
	const char *section; /* "metric runq", blanks folded to one */
	const char *key;
	const char *value;
	int line;
};

struct ini;

/*
 * Parses text of len bytes. name is for messages. Returns the entries, or NULL with a message
 * "NAME:LINE: what is wrong" in error: a key outside a section, a line that is neither, a NUL byte,
 * a control character, a key given twice in a section, a file over 1 MiB.
 */
struct ini *ini_parse(const char *name, const char *text, size_t len, struct str *error);
void ini_free(struct ini *ini);

size_t ini_count(const struct ini *ini);
const struct ini_entry *ini_entry(const struct ini *ini, size_t i);

#endif
