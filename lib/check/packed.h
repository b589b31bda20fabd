/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A check file as bytes in the program: its keys, taken apart and unwrapped when the program is
 * built (embed/pack.c), in a form that is the same for every machine.
 *
 * The number of entries, and of those in the first section: two bytes each. Then, for each entry,
 * its line (two bytes), the lengths of its key (one byte) and of its value (two bytes), key and
 * value, each with a 0 behind it. The lower byte comes first. The header of a section has an empty
 * key, and its name is the value.
 */
#ifndef TUESDAY_CHECK_PACKED_H
#define TUESDAY_CHECK_PACKED_H

#include <stdbool.h>
#include <stddef.h>

struct inifile;
struct settings;
struct str;

/* Appends the entries of a file. False where the first section, which is read apart, is not
 * [check], or the last line is beyond 65535. */
bool packed_write(struct str *out, const struct inifile *ini);

/* The entries as settings that are empty so far: all, or those of [check]. file and packed stay the
 * caller's, and are not copied. */
void settings_from_packed(
	struct settings *settings, const char *packed, const char *file, bool whole);

#endif
