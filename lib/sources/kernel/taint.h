/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's taint bits. */
#ifndef TUESDAY_SOURCES_KERNEL_TAINT_H
#define TUESDAY_SOURCES_KERNEL_TAINT_H

#include "capture/capture.h"

struct sink;

/* /proc/sys/kernel/tainted */
void parse_taint(struct bytes text, struct sink *sink);

#endif
