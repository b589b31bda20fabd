/* SPDX-License-Identifier: GPL-2.0-only */
/* Zones of memory, and how fragmented they are. */
#ifndef TUESDAY_SOURCES_KERNEL_ZONEINFO_H
#define TUESDAY_SOURCES_KERNEL_ZONEINFO_H

#include "capture/capture.h"

struct sink;

/* /proc/buddyinfo */
void parse_buddyinfo(struct bytes text, struct sink *sink);

/* /proc/zoneinfo */
void parse_zoneinfo(struct bytes text, struct sink *sink);

#endif
