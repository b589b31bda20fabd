/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of spans and maps of stages, as a command line names them. */
#ifndef TUESDAY_TOOLS_SPAN_FILES_H
#define TUESDAY_TOOLS_SPAN_FILES_H

#include <stddef.h>

struct span_stages;
struct span_table;

/* Gives up all rights but those to read files. Returns 0, or -errno after a message. */
int span_files_confine(const char *program);

/* Reads files into one table; "-" is standard input. A message says what cannot be read. Returns 0,
 * or -errno. */
int span_files_read(struct span_table *table, const char *program, char *const *paths, size_t n);

/* The map of stages in a file, or where that is NULL the built-in one. 0 or -errno after a message.
 */
int span_files_stages(struct span_stages *stages, const char *program, const char *path);

#endif
