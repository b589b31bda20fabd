/* SPDX-License-Identifier: GPL-2.0-only */
/* Check files that are written by a program, for people to go on with. */
#ifndef TUESDAY_CHECK_SCAFFOLD_H
#define TUESDAY_CHECK_SCAFFOLD_H

#include <stdbool.h>
#include <stddef.h>

struct str;

/* Appends "key      = value", with continuation lines that are joined by one blank when they are
 * read. Every word of value must fit into a line (base/ini.h); control characters are the caller's
 * matter. */
void ini_add_key(struct str *out, const char *key, const char *value);
void ini_add_comment(struct str *out, const char *text);

/* Whether the text would be a check of this name without faults, those that lint finds included; if
 * not, says which on standard error. */
bool ini_is_check(const char *program, const char *name, const struct str *text);

/* Writes a file that is not there yet; with force, one that may be there. "-" is standard output.
 * Returns 0, or -errno with a message on standard error. */
int ini_write(const char *program, const char *file, const struct str *text, bool force);

#endif
