/* SPDX-License-Identifier: GPL-2.0-only */
/* The entries of directories. */
#ifndef TUESDAY_CAPTURE_LIST_H
#define TUESDAY_CAPTURE_LIST_H

struct capture;

/* Calls found for each entry of a directory but . and .., sorted by name; found returns non-zero to
 * stop. Returns 0 or -errno. */
int capture_list(
	struct capture *fs, const char *dir, int (*found)(void *arg, const char *name), void *arg);

/* The same for directories only, which a large directory of files is quicker to be asked for. */
int capture_list_directories(
	struct capture *fs, const char *dir, int (*found)(void *arg, const char *name), void *arg);

#endif
