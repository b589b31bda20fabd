/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that file systems are mounted with. */
#ifndef TUESDAY_SOURCES_BLOCK_MOUNT_OPTIONS_H
#define TUESDAY_SOURCES_BLOCK_MOUNT_OPTIONS_H

#include "capture/capture.h"

struct sink;

/* Options as fields of the mount points. */
void parse_mount_options(struct bytes text, struct sink *sink);

#endif
