/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is a disk to ZFS? The first of the four labels that ZFS keeps on each disk (vdev_label.c)
 * begins 16 KiB into it and says whether it is of a pool, a cache (L2ARC) or a spare.
 */
#ifndef TUESDAY_SOURCES_BLOCK_ZFS_LABEL_H
#define TUESDAY_SOURCES_BLOCK_ZFS_LABEL_H

#include <stddef.h>

#define ZFS_LABEL_AT 16384
#define ZFS_LABEL_BYTES 4096 /* its beginning, in which the state stands */

enum zfs_role { ZFS_NONE, ZFS_POOL, ZFS_CACHE, ZFS_OTHER };

/* From the bytes at ZFS_LABEL_AT, which may be anybody's: a list of names and values in XDR.
 * ZFS_POOL is a disk of a pool that is or was in use, ZFS_OTHER what is not (a spare, one that was
 * exported), ZFS_NONE what is no label. */
enum zfs_role zfs_label_role(const void *label, size_t len);

#endif
