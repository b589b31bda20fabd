/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's files that a pattern with stars means. */
#ifndef TUESDAY_CAPTURE_GLOB_H
#define TUESDAY_CAPTURE_GLOB_H

struct capture;

/*
 * Calls found for every path that matches a pattern with '*' in whole or part of components
 * ("/sys/block/+/queue/rotational", + standing for *). star is what the first '*' matched, or all
 * matches joined by '/' if there are several. found returns non-zero to stop. Returns 0, or -errno
 * where a directory could not be looked through, so that there may be more.
 */
int capture_glob(struct capture *fs, const char *pattern,
	int (*found)(void *arg, const char *path, const char *star), void *arg);

#endif
