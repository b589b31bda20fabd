/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time, and the kernel's totals. */
#ifndef TUESDAY_SOURCES_KERNEL_STAT_H
#define TUESDAY_SOURCES_KERNEL_STAT_H

#include "capture/capture.h"

struct sink;

/* /proc/stat */
void parse_stat(struct bytes text, struct sink *sink);

#endif
