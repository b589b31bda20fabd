/* SPDX-License-Identifier: GPL-2.0-only */
/* How many files a process has open, of how many it may. */
#ifndef TUESDAY_SOURCES_TASK_OPEN_FILES_H
#define TUESDAY_SOURCES_TASK_OPEN_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"

struct sink;

/* The soft limit in /proc/PID/limits; and the lines of a blob, see open_files.c. */
bool parse_open_files_limit(struct bytes text, uint64_t *out);
void parse_open_files(struct bytes text, struct sink *sink);

#endif
