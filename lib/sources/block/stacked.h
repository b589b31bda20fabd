/* SPDX-License-Identifier: GPL-2.0-only */
/* Disks that are made of other disks. */
#ifndef TUESDAY_SOURCES_BLOCK_STACKED_H
#define TUESDAY_SOURCES_BLOCK_STACKED_H

#include <stdbool.h>

#include "capture/capture.h"

struct sink;

/*
 * /proc/diskstats. beneath says of a device whether it is made of others, and gives the names of
 * those, separated by blanks; they stay valid for the length of the call. A device below that has
 * no row counts as 0.
 */
void parse_stacked(struct bytes text, struct sink *sink,
	bool (*beneath)(void *arg, const char *device, struct bytes *names), void *arg);

#endif
