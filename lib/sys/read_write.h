/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All of what a descriptor has, and all of what it is to take: read(2) and write(2) may do less,
 * and a signal may come in between.
 */
#ifndef TUESDAY_SYS_READ_WRITE_H
#define TUESDAY_SYS_READ_WRITE_H

#include <stddef.h>

struct str;

/*
 * Appends to out what comes until the end. Returns 0, -EFBIG where out would get longer than max
 * bytes, or -errno; what came before is in out then.
 */
int read_all(int fd, size_t max, struct str *out);

/* Returns 0 or -errno, of which -EIO stands for a descriptor that takes nothing. */
int write_all(int fd, const void *bytes, size_t len);

#endif
