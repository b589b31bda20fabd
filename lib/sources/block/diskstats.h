/* SPDX-License-Identifier: GPL-2.0-only */
/* Disks and what they do. */
#ifndef TUESDAY_SOURCES_BLOCK_DISKSTATS_H
#define TUESDAY_SOURCES_BLOCK_DISKSTATS_H

#include <stdbool.h>

#include "capture/capture.h"

struct sink;

/* /proc/diskstats. A device for which whole says no is left out; NULL takes all. */
void parse_diskstats(struct bytes text, struct sink *sink,
	bool (*whole)(void *arg, const char *device), void *arg);

#endif
