/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in lines for a terminal. */
#ifndef TUESDAY_BASE_WRAP_H
#define TUESDAY_BASE_WRAP_H

#include <stddef.h>

struct str;

/*
 * Appends words from column "at" on, wrapped at columns with a hanging indent, and ends the line.
 * A number and its unit stay together. The text is escaped already, so blanks are the only white
 * space in it.
 */
void wrap_text(struct str *out, size_t columns, size_t at, size_t indent, const char *text);

/*
 * The same from column indent on for text of which nothing may be lost: every blank is kept, at the
 * end of a line where it is wrapped there. columns is 0 where there is no terminal: one line.
 */
void wrap_whole(struct str *out, size_t columns, size_t indent, const char *text);

void wrap_blanks(struct str *out, size_t n);

#endif
