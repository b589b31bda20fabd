/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directories of what the runs of one machine have to know of each other, and the lock of
 * experiments.
 */
#ifndef TUESDAY_SYS_STATEDIR_H
#define TUESDAY_SYS_STATEDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A path below /run/tuesday (TUESDAY_RUN_DIR), or below /var/lib/tuesday (TUESDAY_STATE_DIR); the
 * caller frees. */
char *rundir_path(const char *name);
char *statedir_path(const char *name);

/* The directories themselves. given is one that the user named, or NULL; without, and without
 * rights, the state of a user's own runs is below XDG_STATE_HOME or ~/.local/state. The caller
 * frees. */
char *rundir_itself(void);
char *statedir_itself(const char *given);

/*
 * Opens the directory that path names, after making it and the ones above it where make is true:
 * mode for itself, 0755 for those above. It must belong to root or this user and be writable by
 * nobody else, and be no symbolic link, and nobody else may be able to put another one in its place
 * (PLACE_FOR_STATE). Returns a descriptor, or -EPERM or -errno.
 */
int directory_open(const char *path, mode_t mode, bool make);

/*
 * The lock, held by whoever has a copy of the descriptor, so by keeper, guard and the commands that
 * they run, until the last of them is gone. It is in a file that only root can open, so nobody else
 * can hold it. Returns a descriptor, -EBUSY, or -errno.
 */
int experiment_lock(void);
/* Whether anybody holds it. Takes nothing. */
bool experiment_locked(void);

#endif
