/* SPDX-License-Identifier: GPL-2.0-only */
/* Putting back what an undo log entry says, whoever does it: keeper, watchdog, or `tuesday undo`.
 */
#ifndef TUESDAY_EXPERIMENT_RESTORE_H
#define TUESDAY_EXPERIMENT_RESTORE_H

#include "experiment/undo_log.h"
#include "experiment/undo_log_file.h"

/*
 * Puts the change back and reads back whether it is. Returns 0, -ESTALE or -ENOTRECOVERABLE as in
 * change.h; notes gets phrases for the user.
 */
int restore_files_and_command(const struct undo_log_entry *entry, struct str *notes);

/* The same, and then removes the undo log's entry, unless -ENOTRECOVERABLE, and the lease. */
int restore_for_good(const struct undo_log_entry *entry, struct str *notes);

/*
 * The same for an entry on disk. One of a kernel that is no longer running is dropped with a note,
 * unless what it changed survives a reboot; one of a file that cannot be reached from this network
 * namespace is kept with a note. Returns also -ENOENT where there is none. An entry that cannot be
 * read or believed is kept: -ENOTRECOVERABLE.
 */
int restore_entry(enum undo_log_place place, const char *id, struct str *notes);

#endif
