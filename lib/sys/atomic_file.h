/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that is there whole, the old one or the new one, whatever happens meanwhile. */
#ifndef TUESDAY_SYS_ATOMIC_FILE_H
#define TUESDAY_SYS_ATOMIC_FILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Writes text to a file as one step: to NAME.tmp.PID in the same directory, synced, renamed. A
 * full disk or any other error leaves the old file as it was and nothing beside it. mode 0644.
 *
 * What is there and is no regular file (a device, a pipe) is written directly. A symbolic link to a
 * regular file or to nothing is refused with -ELOOP: in a directory that others may write to it
 * would choose for us which file is lost. Returns 0 or -errno.
 */
int write_file_atomically(const char *path, const char *text, size_t len);

/*
 * Writes a file of this name in an open directory so that it is there whole or not at all, also
 * after a power cut: to .NAME.new, synced, renamed, and the directory synced. Of those who write
 * one name only one may do so at a time: whoever calls it holds a lock. Returns 0 or -errno.
 */
int directory_write(int dir, const char *name, mode_t mode, const char *text, size_t len);

#endif
