/* SPDX-License-Identifier: GPL-2.0-only */
/* Disks that are kept on two machines. */
#ifndef TUESDAY_SOURCES_BLOCK_DRBD_H
#define TUESDAY_SOURCES_BLOCK_DRBD_H

#include "capture/capture.h"

struct sink;

/* /proc/drbd. False where no device is set up. */
bool parse_drbd(struct bytes text, struct sink *sink);

#endif
