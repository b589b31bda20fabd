/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files beneath a directory that somebody else may have written: no symbolic link is followed in
 * any component of a path, so that nothing outside the directory is ever read or written.
 *
 * Paths are relative; a leading '/' or several in a row do not matter. "." and ".." are refused
 * with -EINVAL.
 */
#ifndef TUESDAY_SYS_OPEN_BENEATH_H
#define TUESDAY_SYS_OPEN_BENEATH_H

/* Opens path with flags (O_CLOEXEC and O_NOFOLLOW are added, and O_NONBLOCK so that a FIFO does not
 * hang us). Returns a descriptor or -errno. */
int beneath_open(int dir, const char *path, int flags);

/*
 * Makes a directory and those above it, or an empty file or a file to be written from its start,
 * for which the descriptor is returned. An empty file where a directory is needed makes way for it.
 * Return -errno on failure.
 */
int beneath_make_directory(int dir, const char *path);
int beneath_make_empty(int dir, const char *path);
int beneath_create(int dir, const char *path);

#endif
