/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that somebody else chose, in commands that a person copies into a shell. */
#ifndef TUESDAY_BASE_SHELLQUOTE_H
#define TUESDAY_BASE_SHELLQUOTE_H

#include <stdbool.h>

struct str;

/*
 * Appends name as (a part of) one word of a POSIX shell: as it is where that is the same, else
 * quoted. Every writer shows it as it is here. False, and nothing appended, for what a person must
 * not paste: what a terminal would not show as it is (control characters, a backslash, invalid
 * UTF-8, what hides or reorders text), what a command takes for an option ("-rf"), a path with
 * "..", and nothing at all.
 */
bool shellquote_add(struct str *out, const char *name);

#endif
