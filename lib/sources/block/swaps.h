/* SPDX-License-Identifier: GPL-2.0-only */
/* Swap devices. */
#ifndef TUESDAY_SOURCES_BLOCK_SWAPS_H
#define TUESDAY_SOURCES_BLOCK_SWAPS_H

#include "capture/capture.h"

struct sink;

/* /proc/swaps */
void parse_swaps(struct bytes text, struct sink *sink);

#endif
