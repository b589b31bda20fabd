/* SPDX-License-Identifier: GPL-2.0-only */
/* Pressure stall information. */
#ifndef TUESDAY_SOURCES_KERNEL_PRESSURE_H
#define TUESDAY_SOURCES_KERNEL_PRESSURE_H

#include "capture/capture.h"

struct sink;

/* A file of /proc/pressure */
void parse_pressure(struct bytes text, struct sink *sink);

#endif
