/* SPDX-License-Identifier: GPL-2.0-only */
/* Turning a knob, and what must be true before and after. The keeper's hands: see change.h. */
#ifndef TUESDAY_EXPERIMENT_KNOB_CHANGE_H
#define TUESDAY_EXPERIMENT_KNOB_CHANGE_H

#include <stdbool.h>

struct journal_entry;
struct str;

/* A change under way. */
struct turning {
	struct journal_entry *entry;
	int held; /* the device that is held open, or -1 */
	/* Asked now and then whether to go on with a command. */
	bool (*tick)(void *arg);
	void *arg;
};

/* Saves the old values in the entry. Returns 0; -EINVAL where the change would be none or cannot be
 * made; or -errno. All below put a phrase in why where they do not return 0. */
int turn_save(struct turning *turning, struct str *why);

/*
 * Makes the change: writes, reads back, and notes in the journal before it and after it. Returns 0,
 * -ESTALE where the value before was not the saved one, and nothing was done then, or -ECANCELED
 * where it cannot be made or the journal cannot be written; what was changed by then is still so.
 */
int turn_apply(struct turning *turning, struct str *why);

/* Puts it back for the time being, with the errors of mend (restore.h). */
int turn_revert(struct turning *turning, struct str *why);

/* Whether the files are as the last of these has left them: 0 or -ESTALE. */
int turn_verify(const struct turning *turning, struct str *why);

#endif
