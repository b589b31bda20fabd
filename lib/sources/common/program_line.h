/* SPDX-License-Identifier: GPL-2.0-only */
/* Which program is it that a command line or a title names, and of which version? */
#ifndef TUESDAY_SOURCES_COMMON_PROGRAM_LINE_H
#define TUESDAY_SOURCES_COMMON_PROGRAM_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define PROGRAM_VERSION_BYTES 32

/* Whether a command line, its words ended by 0, is of that program: among the first three words is
 * its name, a path to it, or a title that begins with it ("puma: cluster worker"). */
bool programline_is(const char *line, size_t len, const char *program);

/* Whether it is a title of one of several processes of a program: "puma: cluster worker 0". */
bool programline_is_worker(const char *line, size_t len, const char *program);

/*
 * The version that a title has behind the program's name and a blank: "puma 7.1.0 (tcp://…". It
 * begins with a digit and has no other character than letters, digits and + . ~ _ -. Returns
 * whether there is one. Anybody may give his process any title.
 */
bool programline_version(
	const char *line, size_t len, const char *program, char version[PROGRAM_VERSION_BYTES]);

/* The same of what stands behind "NAME-" in a path: "…/gems/puma-7.1.0/lib/…". */
bool programline_path_version(
	const char *path, size_t len, const char *program, char version[PROGRAM_VERSION_BYTES]);

/* "7.1.0" as 7.001, so that an expression can compare it; NAN where text is no version. */
double programline_number(const char *version);

#endif
