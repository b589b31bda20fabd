/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories of symbolic links, as /proc/PID/fd is. */
#ifndef TUESDAY_CAPTURE_LINKS_H
#define TUESDAY_CAPTURE_LINKS_H

struct capture;

/*
 * Calls found for each entry but . and .., sorted by name, with the target of the link: cut to 63
 * bytes, and "" where it could not be read. found returns non-zero to stop. Returns 0 or -errno.
 */
int capture_list_links(struct capture *fs, const char *dir,
	int (*found)(void *arg, const char *name, const char *target), void *arg);

#endif
