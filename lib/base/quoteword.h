/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of words for files of our own, in which no name can forge a line: a byte up to blank, '%'
 * and DEL is %XX, an empty word is "-", and a "-" itself is %2D.
 */
#ifndef TUESDAY_BASE_QUOTEWORD_H
#define TUESDAY_BASE_QUOTEWORD_H

#include <stdbool.h>
#include <stddef.h>

struct str;

/* Appends a blank and the word, as it may stand in a line. */
void quoteword_add(struct str *out, const char *word);

/* Splits a line at single blanks, in place. Returns the number of words, or max + 1 for more. */
size_t quoteword_split(char *line, char **words, size_t max);

/* Undoes quoteword_add, in place. False where it is not as quoteword_add writes it. */
bool quoteword_undo(char *word);

#endif
