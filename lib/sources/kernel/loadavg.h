/* SPDX-License-Identifier: GPL-2.0-only */
/* The load average. */
#ifndef TUESDAY_SOURCES_KERNEL_LOADAVG_H
#define TUESDAY_SOURCES_KERNEL_LOADAVG_H

#include "capture/capture.h"

struct sink;

/* /proc/loadavg */
void parse_loadavg(struct bytes text, struct sink *sink);

#endif
