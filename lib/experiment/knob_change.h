/* SPDX-License-Identifier: GPL-2.0-only */
/* Turning a knob, and what must be true before and after. The keeper's hands: see change.h. */
#ifndef TUESDAY_EXPERIMENT_KNOB_CHANGE_H
#define TUESDAY_EXPERIMENT_KNOB_CHANGE_H

#include <stdbool.h>

struct undo_log_entry;
struct str;

/* A change under way. */
struct knob_change {
	struct undo_log_entry *entry;
	int held; /* the device that is held open, or -1 */
	/* Asked now and then whether to go on with a command. */
	bool (*tick)(void *arg);
	void *arg;
};

/*
 * The value of a file that an experiment may turn, which the caller frees. Returns 0, -EINVAL for
 * one that no experiment may (sys/knob_policy.h), or an error of knob_read; with a phrase in why.
 */
int knob_change_look(const char *path, char **value, struct str *why);

/* Saves the old values in the entry. Returns 0; -EINVAL where the change would be none or cannot be
 * made; or -errno. All below put a phrase in why where they do not return 0. */
int knob_change_save(struct knob_change *knob, struct str *why);

/*
 * Makes the change: writes, reads back, and notes in the undo log before it and after it. Returns
 * 0, -ESTALE where the value before was not the saved one, and nothing was done then, or -ECANCELED
 * where it cannot be made or the undo log cannot be written; what was changed by then is still so.
 */
int knob_change_apply(struct knob_change *knob, struct str *why);

/* Puts it back for the time being, with the errors of mend (restore.h). */
int knob_change_revert(struct knob_change *knob, struct str *why);

/* Whether the files are as the last of these has left them: 0 or -ESTALE. */
int knob_change_verify(const struct knob_change *knob, struct str *why);

#endif
