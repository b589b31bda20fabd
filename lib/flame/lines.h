/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole lines of a file of any size, a piece at a time. */
#ifndef TUESDAY_FLAME_LINES_H
#define TUESDAY_FLAME_LINES_H

#include <stddef.h>
#include <stdint.h>

/* Hands over all that can be read from a descriptor, in pieces of whole lines; lines that are
 * longer than FLAME_LINE_MAX (flame/folded.h) are left out and added to *too_long. Returns 0 or
 * -errno, -EINTR where somebody pressed Ctrl-C. */
int flame_lines_read(int fd, void (*take)(void *arg, const char *text, size_t len), void *arg,
	uint64_t *too_long);

#endif
