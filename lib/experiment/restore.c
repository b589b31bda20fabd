/* SPDX-License-Identifier: GPL-2.0-only */
/* What has to be done so that nothing of an experiment is left? */
#include "base/banned.h"

#include <errno.h>

#include "experiment/knob.h"
#include "experiment/restore.h"
#include "experiment/knob_command.h"
#include "base/str.h"
#include "experiment/lease.h"
#include "experiment/undo_log_file.h"
#include "experiment/undo_log.h"

/* Whether all is known that is needed. */
static bool is_saved(const struct undo_log_entry *entry)
{
	size_t i;

	for (i = 0; i < entry->n_files; i++)
		if (!entry->files[i].old)
			return false;
	return entry->kind != CHANGE_COMMANDS || entry->old;
}

int restore_files_and_command(const struct undo_log_entry *entry, struct str *notes)
{
	/* The kernel closes what is held. */
	if (!entry->turned || entry->kind == CHANGE_HELD)
		return 0;
	if (!is_saved(entry)) {
		knob_note(notes, "the journal does not say what it was before");
		return -ENOTRECOVERABLE;
	}
	return entry->kind == CHANGE_FILES ? knob_restore(entry, notes)
					   : shell_command_restore(entry, notes);
}

static void drop(const struct undo_log_entry *entry, struct str *notes)
{
	char *id = undo_log_id(entry);
	int err = undo_log_remove(undo_log_place_of(entry), id);

	/* What is still there then is found to be done already by whoever tries next. */
	if (err && err != -ENOENT)
		knob_note(
			notes, "the journal's entry %s cannot be removed: %s", id, strerror(-err));
	free(id);
}

int restore_for_good(const struct undo_log_entry *entry, struct str *notes)
{
	int result = restore_files_and_command(entry, notes);

	if (result != -ENOTRECOVERABLE && entry->kind != CHANGE_HELD)
		drop(entry, notes);
	lease_remove();
	return result;
}

static bool is_of_another_boot(const struct undo_log_entry *entry)
{
	char *boot = undo_log_boot_id();
	bool other = boot && strcmp(boot, entry->boot) != 0;

	free(boot);
	return other;
}

/* Whether what is to be put back depends on the network namespace that one is in. */
static bool is_of_network(const struct undo_log_entry *entry)
{
	size_t i;

	for (i = 0; i < entry->n_files; i++)
		if (str_starts(entry->files[i].path, "/proc/sys/net/") ||
			str_starts(entry->files[i].path, "/sys/class/net/") ||
			str_starts(entry->files[i].path, "/sys/devices/virtual/net/"))
			return true;
	return entry->kind == CHANGE_COMMANDS;
}

static bool is_elsewhere(const struct undo_log_entry *entry)
{
	return entry->netns && is_of_network(entry) && undo_log_netns() != entry->netns;
}

static int mend_read(const struct undo_log_entry *entry, struct str *notes)
{
	bool other_boot = is_of_another_boot(entry);

	if (other_boot && !entry->survives) {
		knob_note(notes, "the machine was restarted since, which put it back");
		drop(entry, notes);
		return 0;
	}
	if (!other_boot && entry->turned && is_elsewhere(entry)) {
		knob_note(notes,
			"it was changed in the network namespace net:[%llu]: run 'tuesday undo' "
			"there, or, if that is gone, 'tuesday undo --forget %s.%s'",
			(unsigned long long)entry->netns, entry->check, entry->experiment);
		return -ENOTRECOVERABLE;
	}
	return restore_for_good(entry, notes);
}

int restore_entry(enum undo_log_place place, const char *id, struct str *notes)
{
	struct undo_log_entry entry;
	struct str why = STR_INIT;
	int err = undo_log_read(&entry, place, id, &why);

	if (!err) {
		err = mend_read(&entry, notes);
	} else if (err != -ENOENT) {
		knob_note(notes, "the journal's entry cannot be used: %s", str_text(&why));
		err = -ENOTRECOVERABLE;
	}
	undo_log_entry_free(&entry);
	str_free(&why);
	return err;
}
