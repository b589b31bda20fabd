/* SPDX-License-Identifier: GPL-2.0-only */
/* What `tuesday undo` asks the keeper for. */
#ifndef TUESDAY_UNDO_H
#define TUESDAY_UNDO_H

#include <stdbool.h>

#include "experiment/undo_log.h"

/*
 * Puts back what an entry that was left behind says, or, with forget, only removes the entry.
 * Returns 0 or -ESTALE, where nothing is left to be done; -ENOTRECOVERABLE; -ENOENT; -EBUSY while
 * an experiment is under way; -EPERM without rights. why gets what there is to say in each case,
 * harmless to print; it may be nothing for 0.
 */
int undo_entry(enum journal_place place, const char *id, bool forget, struct str *why);

#endif
