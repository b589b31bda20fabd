/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is traced by whom. */
#ifndef TUESDAY_SOURCES_TASK_TRACED_H
#define TUESDAY_SOURCES_TASK_TRACED_H

#include <stdint.h>

#include "capture/capture.h"

struct sink;

/* The lines of a blob, see traced.c. */
void parse_traced(struct bytes text, struct sink *sink);

/* The process behind "TracerPid:" of /proc/PID/status, 0 for none. */
uint32_t parse_status_tracer(struct bytes text);

#endif
