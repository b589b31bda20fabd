/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May a file decide what this process runs? Only if nobody but root and the caller can change it or
 * put another one in its place.
 */
#ifndef TUESDAY_SYS_FILE_TRUST_H
#define TUESDAY_SYS_FILE_TRUST_H

#include <sys/stat.h>

struct str;

/*
 * Checks the file, every directory above it, and every symbolic link on the way: owned by root or
 * the caller, and writable by nobody else (a directory with the sticky bit, as /tmp, may be: there
 * nobody can replace what is another's). Returns 0, -EPERM with a phrase in why, or -errno with
 * one.
 */
int trusted_file(const char *path, struct str *why);

/* Whether an open file is a regular one of root or the caller that nobody else may write to. *st is
 * filled in. Returns 0, -EPERM, or -errno. */
int trusted_open(int fd, struct stat *st);

#endif
