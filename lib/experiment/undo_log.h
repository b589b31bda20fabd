/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The undo log of changes: what an experiment has changed, and how it is put back.
 *
 * An entry is a file ID.undo, written before anything is changed and removed when the change is put
 * back; ID is CHECK.EXPERIMENT. It is in /run/tuesday/undo, or, if the change survives a reboot, in
 * /var/lib/tuesday/undo. Both belong to root and are closed to all others.
 *
 * The format, one "KEY VALUE" a line; in VALUE, control characters and the backslash are \xNN:
 *
 *   tuesday-undo 1
 *   boot 0d3a...        the boot id of the kernel that was changed
 *   check disk
 *   experiment readahead
 *   kind files          or commands, or held
 *   survives 0          1: the change is still there after a reboot
 *   turned 1            0: nothing was changed yet
 *   netns 4026531840    the network namespace that the knob was changed in
 *   seconds 120         the deadline, counted from the start
 *   file /sys/...       repeated, each followed by its own to, undo, old, ours (see change.h)
 *   save, apply, restore, old, ours     of commands
 *   device, number                      of a held device
 *   end 12              how many lines stand above: what is cut is refused
 */
#ifndef TUESDAY_EXPERIMENT_UNDO_LOG_H
#define TUESDAY_EXPERIMENT_UNDO_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

enum change_kind {
	CHANGE_FILES,	 /* kernel files: read, write, read back */
	CHANGE_COMMANDS, /* three command lines for /bin/sh */
	CHANGE_HELD,	 /* a number written to a device file, in force as long as it is open */
};

/* At most these many files, for instance one a CPU. */
#define CHANGE_FILES_MAX 4096
/* A deadline is at most a day away. */
#define CHANGE_SECONDS_MAX 86400

/* An entry of more than this is none. */
#define UNDO_LOG_ENTRY_MAX (8u << 20)
#define UNDO_LOG_SUFFIX ".undo"

/* A file of an entry; NULL where there is no such line. */
struct undo_log_file {
	char *path, *to, *undo;
	char *old;  /* what it held before */
	char *ours; /* what it held after our change */
};

struct undo_log_entry {
	char *check, *experiment;
	char *boot;
	enum change_kind kind;
	bool survives, turned;
	uint64_t netns; /* inode number, 0: not known */
	double seconds;
	struct undo_log_file *files;
	size_t n_files, room_files;
	char *save, *apply, *restore, *old, *ours;
	char *device;
	int32_t number;
};

/* Appends the entry's text. */
void undo_log_format(const struct undo_log_entry *entry, struct str *out);

/*
 * Reads one. Returns 0, or -EBADMSG with a phrase in why ("line 3: ..."): a line that is not known,
 * repeated, missing for its kind, or wrong makes all of it wrong, since half of an undo is none.
 * The caller frees in both cases.
 */
int undo_log_parse(struct undo_log_entry *entry, const char *text, size_t len, struct str *why);
void undo_log_entry_free(struct undo_log_entry *entry);

/* As change.h says of paths and of names: whether it may be one. */
bool undo_log_path_is_sound(const char *path);
bool undo_log_name_is_sound(const char *name);

/* ID; the caller frees. */
char *undo_log_id(const struct undo_log_entry *entry);

#endif
