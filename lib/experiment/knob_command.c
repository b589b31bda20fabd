/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a command of an experiment run, and does what it changed get back to what it was? */
#include "base/banned.h"

#include <errno.h>

#include "experiment/undo_log.h"
#include "experiment/knob.h"
#include "sys/subprocess.h"
#include "experiment/knob_command.h"
#include "base/str.h"

static void knob_command_note_failure(
	struct str *why, const char *line, const struct plugin_report *report, const char *said)
{
	if (report->end == PLUGIN_FAILED)
		knob_note(why, "'%.60s': %s", line, report->why);
	else
		knob_note(why, "'%.60s' exits with %d%s%.100s", line, report->status,
			*said ? ": " : "", said);
}

int shell_command(const char *line, const char *saved, bool (*tick)(void *arg), void *arg,
	char **output, struct str *why)
{
	char shell[] = "/bin/sh", flag[] = "-c", *text = mem_strdup(line);
	char *words[] = {shell, flag, text, NULL};
	struct plugin plugin = {
		.words = words, .timeout_seconds = COMMAND_SECONDS, .privileged = true};
	struct plugin_report report = {0};
	struct str raw = STR_INIT;
	char *said;
	int err;

	plugin.variable = saved ? mem_printf("TUESDAY_SAVED=%s", saved) : NULL;
	err = plugin_start(&plugin);
	if (!err)
		plugin_collect(&plugin, tick, arg, &raw);
	if (!err)
		err = plugin_report_parse(&report, str_text(&raw), raw.len);
	while (report.output_len && report.output[report.output_len - 1] == '\n')
		report.output_len--;
	said = mem_strndup(report.output_len ? report.output : "", report.output_len);
	if (err) {
		knob_note(why, "'%.60s': %s", line, strerror(-err));
	} else if (report.end != PLUGIN_EXITED || report.status) {
		knob_command_note_failure(why, line, &report, said);
		err = -ECANCELED;
	} else if (strlen(said) != report.output_len) {
		knob_note(why, "'%.60s' prints a byte 0", line);
		err = -ECANCELED;
	}
	if (!err && output)
		*output = said;
	else
		free(said);
	free(plugin.variable);
	free(text);
	str_free(&raw);
	return err ? -ECANCELED : 0;
}

/* What save says now, against what it said before. */
static bool knob_command_is_old(const struct undo_log_entry *entry, struct str *notes)
{
	char *now = NULL;
	bool same = !shell_command(entry->save, NULL, NULL, NULL, &now, notes) &&
		!strcmp(now, entry->old);

	free(now);
	return same;
}

int shell_command_restore(const struct undo_log_entry *entry, struct str *notes)
{
	char *now = NULL;
	int err = shell_command(entry->save, NULL, NULL, NULL, &now, notes);
	bool theirs;

	if (err)
		return -ENOTRECOVERABLE;
	theirs = strcmp(now, entry->old) != 0 && entry->ours && strcmp(now, entry->ours) != 0;
	if (theirs)
		knob_note(notes, "'%.60s' says %.60s now, set by somebody else; left as it is",
			entry->save, now);
	if (theirs || !strcmp(now, entry->old)) {
		free(now);
		return theirs ? -ESTALE : 0;
	}
	free(now);
	err = shell_command(entry->restore, entry->old, NULL, NULL, NULL, notes);
	if (knob_command_is_old(entry, notes))
		return 0;
	if (!err)
		knob_note(notes, "'%.60s' did not put it back", entry->restore);
	return -ENOTRECOVERABLE;
}
