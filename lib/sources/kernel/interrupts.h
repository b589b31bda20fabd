/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts and soft interrupts. */
#ifndef TUESDAY_SOURCES_KERNEL_INTERRUPTS_H
#define TUESDAY_SOURCES_KERNEL_INTERRUPTS_H

#include "capture/capture.h"

struct sink;

/* /proc/interrupts */
void parse_interrupts(struct bytes text, struct sink *sink);

/* /proc/softirqs */
void parse_softirqs(struct bytes text, struct sink *sink);

#endif
