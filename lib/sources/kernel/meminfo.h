/* SPDX-License-Identifier: GPL-2.0-only */
/* How memory is used. */
#ifndef TUESDAY_SOURCES_KERNEL_MEMINFO_H
#define TUESDAY_SOURCES_KERNEL_MEMINFO_H

#include "capture/capture.h"

struct sink;

/* /proc/meminfo */
void parse_meminfo(struct bytes text, struct sink *sink);

#endif
