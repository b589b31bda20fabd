/* SPDX-License-Identifier: GPL-2.0-only */
/* The parser of /proc/PID/io. */
#ifndef TUESDAY_SOURCES_TASK_READING_H
#define TUESDAY_SOURCES_TASK_READING_H

#include <stdbool.h>

#include "capture/capture.h"

/* What a process has read, in bytes. */
struct reading {
	double by_calls;  /* read() and its like gave it, from wherever */
	double from_disk; /* it made the kernel fetch from block devices: read-ahead counts */
};

/* False where one of both is not there. */
bool parse_process_io(struct bytes text, struct reading *out);

#endif
