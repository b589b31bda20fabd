/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that file systems are mounted with. */
#ifndef TUESDAY_SOURCES_BLOCK_MOUNT_OPTIONS_H
#define TUESDAY_SOURCES_BLOCK_MOUNT_OPTIONS_H

struct mount_line;

/* The options of a mount that a struct sink wants, as fields of its mount point. */
void put_mount_options(void *sink, const struct mount_line *mount);

#endif
