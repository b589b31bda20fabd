/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time, and the kernel's totals. */
#ifndef TUESDAY_SOURCES_KERNEL_STAT_H
#define TUESDAY_SOURCES_KERNEL_STAT_H

#include <stdbool.h>

#include "capture/capture.h"

struct sink;

/* The times of a CPU behind its name, in seconds since boot: how long it was busy, steal included,
 * and all of them. False where some are missing. */
bool parse_busy_time(struct bytes words, double *busy, double *total);

/* /proc/stat */
void parse_stat(struct bytes text, struct sink *sink);

#endif
