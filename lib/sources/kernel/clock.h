/* SPDX-License-Identifier: GPL-2.0-only */
/* How the clock is kept. */
#ifndef TUESDAY_SOURCES_KERNEL_CLOCK_H
#define TUESDAY_SOURCES_KERNEL_CLOCK_H

#include "capture/capture.h"

struct sink;

/* Lines "status N", "offset N" and so on, as adjtimex has them. */
void parse_adjtimex(struct bytes text, struct sink *sink);

#endif
