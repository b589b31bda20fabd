/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the machine is up. */
#ifndef TUESDAY_SOURCES_KERNEL_UPTIME_H
#define TUESDAY_SOURCES_KERNEL_UPTIME_H

#include "capture/capture.h"

struct sink;

/* /proc/uptime */
void parse_uptime(struct bytes text, struct sink *sink);

#endif
