/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of a change: change.h says how they are run. */
#ifndef TUESDAY_EXPERIMENT_KNOB_COMMAND_H
#define TUESDAY_EXPERIMENT_KNOB_COMMAND_H

#include <stdbool.h>

struct undo_log_entry;
struct str;

/* A command has this long, and is killed then with all that came from it. */
#define COMMAND_SECONDS 20

/*
 * Runs one command line; saved is for TUESDAY_SAVED, or NULL. tick, or NULL, is asked several times
 * a second whether to go on. Returns 0 with its output, trailing newlines off, in *output (the
 * caller frees; output may be NULL), or -ECANCELED with a phrase in why, harmless to print.
 */
int shell_command(const char *line, const char *saved, bool (*tick)(void *arg), void *arg,
	char **output, struct str *why);

/* As knob_restore (knob.h), by the entry's commands. */
int shell_command_restore(const struct undo_log_entry *entry, struct str *notes);

#endif
