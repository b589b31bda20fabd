/* SPDX-License-Identifier: GPL-2.0-only */
/* Journals of ext4. */
#ifndef TUESDAY_SOURCES_BLOCK_JBD2_H
#define TUESDAY_SOURCES_BLOCK_JBD2_H

#include "capture/capture.h"

struct sink;

/* /proc/fs/jbd2/DEVICE-INODE/info */
void parse_jbd2(struct bytes text, struct sink *sink, const char *instance);

#endif
