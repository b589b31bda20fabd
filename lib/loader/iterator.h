/* SPDX-License-Identifier: GPL-2.0-only */
/* All that a BPF iterator has to say. */
#ifndef TUESDAY_LOADER_ITERATOR_H
#define TUESDAY_LOADER_ITERATOR_H

#include <stddef.h>

struct str;

/* Runs the iterator of this link and appends what it writes, max bytes at most. Raises CAPS_BPF.
 * Returns 0, -E2BIG where there was more (max bytes are there then), or -errno. */
int iter_read(int link, size_t max, struct str *out);

/* The same for one that writes records of this size: hands them over one by one, so that whoever
 * takes them chooses what to keep. Returns 0, -E2BIG where there were max of them, or -errno. */
int iter_each(
	int link, size_t size, size_t max, void (*take)(void *arg, const char *record), void *arg);

#endif
