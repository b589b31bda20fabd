/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of memory management. */
#ifndef TUESDAY_SOURCES_KERNEL_VMSTAT_H
#define TUESDAY_SOURCES_KERNEL_VMSTAT_H

#include "capture/capture.h"

struct sink;

/* /proc/vmstat */
void parse_vmstat(struct bytes text, struct sink *sink);

#endif
