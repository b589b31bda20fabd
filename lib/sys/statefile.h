/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small files that one run leaves for the next, replaced in one step, in the state directory: the
 * one that was given, or NULL for the usual one (statedir_itself). A usual one that is full or
 * read-only is no reason to forget: the run directory takes the file then, and is asked first.
 */
#ifndef TUESDAY_SYS_STATEFILE_H
#define TUESDAY_SYS_STATEFILE_H

#include <stdbool.h>

struct str;

/* A larger file is not ours. */
#define STATEFILE_MAX_BYTES (8 << 20)

/* Returns 0, -ENOENT where there is none, -EPERM where file or directory are another user's or
 * others may write to them, -EINVAL for one that is too large, or -errno. */
int statefile_read(const char *given, const char *name, struct str *out);

/* Makes the directory where there is none. Returns 0 or -errno. */
int statefile_write(const char *given, const char *name, const struct str *text);

/* Locks a file that only this user can open, until the descriptor that it returns is closed or this
 * process ends, whatever its children do. Where another process has it, waits for
 * it or returns -EBUSY. Or -errno. */
int statefile_lock(const char *given, const char *name, bool wait);

#endif
