/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking a disk how it is. The calls may hang for as long as the disk does, so a child makes them.
 * They raise the capabilities that a command needs for the length of the call.
 */
#ifndef TUESDAY_SOURCES_BLOCK_DISK_IOCTL_H
#define TUESDAY_SOURCES_BLOCK_DISK_IOCTL_H

#include <stdbool.h>
#include <stddef.h>

struct str;

/* All append what disk_log.h makes of the answers and return 0, or -errno where there are none. fd
 * is of the controller's character device, or of the disk. */
int disk_ask_nvme(int fd, size_t number, struct str *out);
int disk_ask_amazon(int fd, size_t number, struct str *out);

/* "NUMBER asleep 1" for a disk that does not turn: it is asked nothing else then. */
int disk_ask_ata(int fd, bool rotates, size_t number, struct str *out);

#endif
