/* SPDX-License-Identifier: GPL-2.0-only */
/* Values in small files. */
#ifndef TUESDAY_SOURCES_COMMON_VALUE_FILES_H
#define TUESDAY_SOURCES_COMMON_VALUE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"

/*
 * A number of a small file: the word at which (counted from 0), or with a name the last number on
 * the line behind that name. False where there is none: "max", "[always] madvise never", a line cut
 * before its end.
 */
bool parse_value(struct bytes text, uint64_t which, double *out);
bool parse_named_value(struct bytes text, const char *name, double *out);

/* The same of one of several numbers behind that name, counted from 0; false where there are fewer.
 */
bool parse_numbered_value(struct bytes text, const char *name, uint64_t which, double *out);
/*
 * Whether name is the word in [brackets], or any word where none is in brackets. Returns false
 * where that cannot be said: there is no word, the text was cut, or is none.
 */
bool parse_chosen_word(struct bytes text, const char *name, bool *found);

#endif
