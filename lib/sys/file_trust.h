/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May a file decide what this process does? Only if nobody but root and the caller can change it or
 * put another one in its place.
 */
#ifndef TUESDAY_SYS_FILE_TRUST_H
#define TUESDAY_SYS_FILE_TRUST_H

#include <stdbool.h>
#include <sys/stat.h>

struct str;

/*
 * Checks the file, every directory above it, and every symbolic link on the way: owned by root or
 * the caller, and writable by nobody else (a directory with the sticky bit, as /tmp, may be: there
 * nobody can replace what is another's). Returns 0, -EPERM with a phrase in why, or -errno with
 * one.
 */
int trusted_file(const char *path, struct str *why);

/*
 * Whether this process obeys a file of settings, or whatever lies in a directory of them: check
 * files, types, history.ini. Root obeys what trusted_file trusts, and no directory to which others
 * may add. Another user can harm nobody but himself, and obeys what he names. What is not there is
 * left to who opens it. Where it is false, why gets a phrase: which file, and what to do.
 */
bool obeyed_file(const char *path, struct str *why);
bool obeyed_directory(const char *path, struct str *why);

/* Whether an open file is a regular one of root or the caller that nobody else may write to. *st is
 * filled in. Returns 0, -EPERM, or -errno. */
int trusted_open(int fd, struct stat *st);

#endif
