/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a knob turned so that the undo log is never behind, and nobody's value is overwritten? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/undo_log.h"
#include "experiment/knob.h"
#include "experiment/restore.h"
#include "experiment/knob_command.h"
#include "base/str.h"
#include "experiment/knob_change.h"
#include "experiment/undo_log_file.h"
#include "sys/knob_policy.h"

static bool knob_change_may_hold(const char *path, const char *value, struct str *why)
{
	struct str said = STR_INIT;
	bool may = !value || knob_policy_value(path, value, &said);

	if (!may)
		knob_note(why, "%s", str_text(&said));
	str_free(&said);
	return may;
}

int knob_change_look(const char *path, char **value, struct str *why)
{
	struct str said = STR_INIT;
	int err = 0;

	*value = NULL;
	if (!knob_policy_path(path, &said)) {
		knob_note(why, "%s", str_text(&said));
		err = -EINVAL;
	}
	str_free(&said);
	if (err)
		return err;
	err = knob_read(path, value);
	if (err) {
		knob_note(why, "%s: %s", path, knob_error(err));
	} else if (!knob_change_may_hold(path, *value, why)) {
		free(*value);
		*value = NULL;
		err = -EINVAL;
	}
	return err;
}

/* The keeper asks the policy itself: who tells it what to do has read what others wrote. */
static int save_file(struct undo_log_file *file, struct str *why)
{
	int err = knob_change_look(file->path, &file->old, why);

	if (err)
		return err == -EMEDIUMTYPE ? -EINVAL : err;
	if (!knob_change_may_hold(file->path, file->to, why) ||
		!knob_change_may_hold(file->path, file->undo, why))
		return -EINVAL;
	err = knob_may_write(file->path);
	if (err)
		knob_note(why, "%s: %s", file->path, knob_error(err));
	return err == -EMEDIUMTYPE ? -EINVAL : err;
}

static int save_files(struct undo_log_entry *entry, struct str *why)
{
	bool changes = false;
	size_t i;

	for (i = 0; i < entry->n_files; i++) {
		struct undo_log_file *file = &entry->files[i];
		int err = save_file(file, why);

		if (err)
			return err;
		changes |= file->to && strcmp(file->to, file->old) != 0;
	}
	if (!changes) {
		knob_note(why, "%s is %s already", entry->files[0].path, entry->files[0].old);
		return -EINVAL;
	}
	return 0;
}

static int knob_open_device(const char *path)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISCHR(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

static int save_device(const struct undo_log_entry *entry, struct str *why)
{
	struct str said = STR_INIT;
	struct stat st;

	if (!knob_policy_device(entry->device, &said)) {
		knob_note(why, "%s", str_text(&said));
		str_free(&said);
		return -EINVAL;
	}
	if (!stat(entry->device, &st) && S_ISCHR(st.st_mode))
		return 0;
	knob_note(why, "%s: there is no such character device", entry->device);
	return -EINVAL;
}

int knob_change_save(struct knob_change *knob, struct str *why)
{
	struct undo_log_entry *entry = knob->entry;

	if (entry->kind == CHANGE_FILES)
		return save_files(entry, why);
	if (entry->kind == CHANGE_HELD)
		return save_device(entry, why);
	return shell_command(entry->save, NULL, knob->tick, knob->arg, &entry->old, why);
}

/* The value that a file should have now. NULL: any. */
static const char *expected(const struct undo_log_entry *entry, const struct undo_log_file *file)
{
	return entry->turned ? file->ours : file->old;
}

static int verify_files(const struct undo_log_entry *entry, struct str *why)
{
	size_t i;
	int result = 0;

	for (i = 0; i < entry->n_files; i++) {
		const struct undo_log_file *file = &entry->files[i];
		const char *wanted = expected(entry, file);
		char *now;
		int err = knob_read(file->path, &now);

		if (err || (wanted && strcmp(now, wanted) != 0)) {
			knob_note(why, "%s is %s now, and was %s: somebody else changed it",
				file->path, err ? knob_error(err) : now, wanted ? wanted : "");
			result = -ESTALE;
		}
		free(now);
	}
	return result;
}

int knob_change_verify(const struct knob_change *knob, struct str *why)
{
	return knob->entry->kind == CHANGE_FILES ? verify_files(knob->entry, why) : 0;
}

static int note_in_undo_log(const struct undo_log_entry *entry, struct str *why)
{
	int err = undo_log_write(entry);

	if (!err)
		return 0;
	knob_note(why, "the journal cannot be written: %s", strerror(-err));
	return -ECANCELED;
}

/* What the kernel made of a value. */
static int read_back(struct undo_log_file *file, bool *news, struct str *why)
{
	char *now;
	int err = knob_read(file->path, &now);

	if (err) {
		knob_note(why, "%s: %s", file->path, knob_error(err));
		return -ECANCELED;
	}
	if (file->ours && strcmp(file->ours, now) != 0) {
		knob_note(why, "%s is %s now, and was %s after the same change before", file->path,
			now, file->ours);
		free(now);
		return -ESTALE;
	}
	if (file->to && strcmp(file->to, file->old) != 0 && !strcmp(now, file->old)) {
		knob_note(why, "%s did not take %s: it is still %s", file->path, file->to, now);
		free(now);
		return -ECANCELED;
	}
	*news |= !file->ours;
	free(file->ours);
	file->ours = now;
	return 0;
}

static int apply_files(struct undo_log_entry *entry, struct str *why)
{
	bool news = false;
	size_t i;
	int err = 0;

	for (i = 0; i < entry->n_files; i++) {
		struct undo_log_file *file = &entry->files[i];

		err = file->to ? knob_write(file->path, file->to) : 0;
		if (!err)
			continue;
		knob_note(why, "%s does not take %s: %s", file->path, file->to, knob_error(err));
		return -ECANCELED;
	}
	for (i = 0; i < entry->n_files && !err; i++)
		err = read_back(&entry->files[i], &news, why);
	return !err && news ? note_in_undo_log(entry, why) : err;
}

/* What save says has to be the old value before, and another one after. */
static int apply_commands(struct knob_change *knob, struct str *why)
{
	struct undo_log_entry *entry = knob->entry;
	bool news = !entry->ours;
	char *now = NULL;
	int err = shell_command(entry->apply, entry->old, knob->tick, knob->arg, NULL, why);

	if (!err)
		err = shell_command(entry->save, NULL, knob->tick, knob->arg, &now, why);
	if (!err && !strcmp(now, entry->old)) {
		knob_note(why, "'%.60s' has changed nothing that '%.60s' would show", entry->apply,
			entry->save);
		err = -ECANCELED;
	} else if (!err && !news && strcmp(now, entry->ours) != 0) {
		knob_note(why, "'%.60s' says another thing than after the same change before",
			entry->save);
		err = -ESTALE;
	}
	if (err || !news) {
		free(now);
		return err;
	}
	entry->ours = now;
	return note_in_undo_log(entry, why);
}

static int verify_commands(struct knob_change *knob, struct str *why)
{
	struct undo_log_entry *entry = knob->entry;
	char *now = NULL;
	int err = shell_command(entry->save, NULL, knob->tick, knob->arg, &now, why);

	if (!err && strcmp(now, entry->old) != 0) {
		knob_note(
			why, "'%.60s' says %.60s now: somebody else changed it", entry->save, now);
		err = -ESTALE;
	}
	free(now);
	return err;
}

static int hold_device(struct knob_change *knob, struct str *why)
{
	const struct undo_log_entry *entry = knob->entry;
	int fd = knob_open_device(entry->device), err = fd < 0 ? fd : 0;

	if (!err && write(fd, &entry->number, sizeof(entry->number)) != sizeof(entry->number)) {
		err = errno ? -errno : -EIO;
		close(fd);
	}
	if (err) {
		knob_note(why, "%s: %s", entry->device, knob_error(err));
		return -ECANCELED;
	}
	knob->held = fd;
	return 0;
}

int knob_change_apply(struct knob_change *knob, struct str *why)
{
	struct undo_log_entry *entry = knob->entry;
	int err;

	if (entry->turned)
		return knob_change_verify(knob, why);
	if (entry->kind == CHANGE_HELD) {
		err = hold_device(knob, why);
		entry->turned = !err;
		return err;
	}
	err = entry->kind == CHANGE_FILES ? verify_files(entry, why) : verify_commands(knob, why);
	if (err)
		return err;
	entry->turned = true;
	err = note_in_undo_log(entry, why);
	if (err) {
		entry->turned = false;
		return err;
	}
	return entry->kind == CHANGE_FILES ? apply_files(entry, why) : apply_commands(knob, why);
}

int knob_change_revert(struct knob_change *knob, struct str *why)
{
	struct undo_log_entry *entry = knob->entry;
	struct str unused = STR_INIT;
	int err;

	if (knob->held >= 0)
		close(knob->held);
	knob->held = -1;
	if (entry->kind == CHANGE_HELD)
		entry->turned = false;
	if (!entry->turned)
		return knob_change_verify(knob, why);
	err = restore_files_and_command(entry, why);
	if (err)
		return err;
	entry->turned = false;
	/* If it cannot be noted, the entry on disk says more than is true, and what is the old
	 * value there already is left alone. */
	note_in_undo_log(entry, &unused);
	str_free(&unused);
	return 0;
}
