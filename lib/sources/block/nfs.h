/* SPDX-License-Identifier: GPL-2.0-only */
/* NFS mounts. */
#ifndef TUESDAY_SOURCES_BLOCK_NFS_H
#define TUESDAY_SOURCES_BLOCK_NFS_H

#include "capture/capture.h"

struct sink;

/* /proc/self/mountstats */
void parse_mountstats(struct bytes text, struct sink *sink);

#endif
