/* SPDX-License-Identifier: GPL-2.0-only */
/* Entries of the undo log on disk. */
#ifndef TUESDAY_EXPERIMENT_UNDO_LOG_FILE_H
#define TUESDAY_EXPERIMENT_UNDO_LOG_FILE_H

#include <stdint.h>

struct undo_log_entry;
struct str;

/* The two folders an entry can be in. */
enum undo_log_place { UNDO_LOG_RUN, UNDO_LOG_STATE, UNDO_LOG_PLACES };

enum undo_log_place undo_log_place_of(const struct undo_log_entry *entry);
/* The folder's path; the caller frees. */
char *undo_log_folder(enum undo_log_place place);

/* Writes the entry to a temporary file, syncs, renames and syncs the folder, which is made where it
 * is missing. Returns 0 or -errno, and then there is what was there before. */
int undo_log_write(const struct undo_log_entry *entry);

/* Reads the entry of this name from a folder. Returns 0, -ENOENT, -EPERM where the folder or the
 * file could have been written by others, -EBADMSG, or -errno, with a phrase in why. */
int undo_log_read(
	struct undo_log_entry *entry, enum undo_log_place place, const char *id, struct str *why);

/* Removes it and syncs the folder. Returns 0 or -errno. */
int undo_log_remove(enum undo_log_place place, const char *id);

/* Calls found for the ID of every entry of a folder, in no order, until it returns non-zero, which
 * is returned then. Returns 0 also where there is no folder, or -errno. */
int undo_log_each(enum undo_log_place place, int (*found)(void *arg, const char *id), void *arg);

/* The boot id of the running kernel; the caller frees. NULL where there is none. */
char *undo_log_boot_id(void);
/* The inode number of this process's network namespace, or 0. */
uint64_t undo_log_netns(void);

#endif
