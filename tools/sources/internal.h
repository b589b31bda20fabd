/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways to find a name other than by a part of it. */
#ifndef TUESDAY_TOOLS_SOURCES_INTERNAL_H
#define TUESDAY_TOOLS_SOURCES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct options;

/* Whether a name is meant: it is the pattern, matches it where it is one of the shell's, or has it
 * as a part, whatever its case. NULL means all. */
bool sources_is_pattern(const char *word); /* of the shell: with a star or brackets */
bool sources_match(const char *name, const char *pattern);

/* Prints the names that metrics read which say something of a word in any of their texts: "oom"
 * finds vmstat:oom_kill by the keywords of the check memory. Names that have the word themselves
 * are left out. Returns how many. */
size_t sources_print_meaning(const struct options *options, const char *word);

/* Prints the tracepoints that match, and the fields of a few. Returns how many, or -errno with a
 * message where they cannot be read. */
int sources_print_tracepoints(const char *program, const char *pattern);

#endif
