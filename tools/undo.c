/* SPDX-License-Identifier: GPL-2.0-only */
/* What has an experiment left behind that nobody was there to put back, and how is that done now?
 */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "experiment/knob.h"
#include "run/options.h"
#include "sys/statedir.h"
#include "base/str.h"
#include "experiment/change.h"
#include "experiment/undo_log_file.h"
#include "experiment/undo_log.h"

struct undoing {
	const char *program;
	bool list;
	const char *forget; /* an ID, or NULL */
	bool failed;
	size_t found;
};

static int cmd_undo(int argc, char **argv);
COMMAND(undo_command) = {
	.name = "undo",
	.args = "[--list]",
	.what = "restore what a killed experiment left changed",
	.group = COMMAND_HELPS,
	.run = cmd_undo,
	.works = COMMAND_ON_MACHINE,
};

static void print_file(const struct undo_log_file *file)
{
	struct str line = STR_INIT;

	knob_note(&line, "%s: was %s%s%s", file->path, file->old ? file->old : "?",
		file->to ? ", set to " : "", file->to ? file->to : "");
	printf("  %s\n", str_text(&line));
	str_free(&line);
}

static void print_command(const char *what, const char *text)
{
	struct str line = STR_INIT;

	escape_terminal(&line, text ? text : "?");
	printf("  %s: %s\n", what, str_text(&line));
	str_free(&line);
}

static void list_entry(struct undoing *undoing, enum undo_log_place place, const char *id)
{
	struct undo_log_entry entry;
	struct str why = STR_INIT;
	size_t i;

	if (undo_log_read(&entry, place, id, &why)) {
		printf("  it cannot be used: %s\n", str_text(&why));
		undoing->failed = true;
	} else if (!entry.turned) {
		printf("  nothing of it is left\n");
	}
	for (i = 0; i < entry.n_files; i++)
		print_file(&entry.files[i]);
	if (entry.kind == CHANGE_COMMANDS && entry.restore) {
		print_command("changed by", entry.apply);
		print_command("undone by", entry.restore);
		print_command("with TUESDAY_SAVED", entry.old);
	}
	undo_log_entry_free(&entry);
	str_free(&why);
}

static void restore_one(struct undoing *undoing, enum undo_log_place place, const char *id)
{
	struct str why = STR_INIT;
	int err = undo_entry(place, id, undoing->forget != NULL, &why);

	if (!err && undoing->forget)
		printf("  is forgotten; nothing was put back\n");
	else if (!err)
		printf("  is put back%s%s\n", why.len ? ": " : "", str_text(&why));
	else if (err == -ESTALE)
		printf("  is over: %s\n", str_text(&why));
	else if (err == -ENOENT)
		printf("  was put back by somebody else\n");
	else
		printf("  is left as it is: %s\n", why.len ? why.text : strerror(-err));
	if (err && err != -ESTALE && err != -ENOENT)
		undoing->failed = true;
	str_free(&why);
}

struct undo_place {
	struct undoing *undoing;
	enum undo_log_place place;
};

static int undo_take_entry(void *arg, const char *id)
{
	const struct undo_place *at = arg;
	struct undoing *undoing = at->undoing;
	struct str name = STR_INIT;

	if (undoing->forget && strcmp(id, undoing->forget) != 0)
		return 0;
	undoing->found++;
	escape_terminal(&name, id);
	puts(str_text(&name));
	str_free(&name);
	if (undoing->list)
		list_entry(undoing, at->place, id);
	else
		restore_one(undoing, at->place, id);
	return 0;
}

static void each_place(struct undoing *undoing)
{
	int place;

	for (place = 0; place < UNDO_LOG_PLACES; place++) {
		struct undo_place at = {undoing, (enum undo_log_place)place};
		int err = undo_log_each(at.place, undo_take_entry, &at);
		char *folder;

		if (!err)
			continue;
		folder = undo_log_folder(at.place);
		fprintf(stderr, "%s: %s: %s\n", undoing->program, folder, strerror(-err));
		free(folder);
		undoing->failed = true;
	}
}

static int undo_work(struct undoing *undoing)
{
	if (geteuid()) {
		fprintf(stderr, "%s: only root can see what experiments left: use sudo\n",
			undoing->program);
		return 3;
	}
	if (experiment_locked()) {
		fprintf(stderr,
			"%s: an experiment is under way; it puts back what it has changed\n",
			undoing->program);
		return undoing->list ? 0 : 3;
	}
	each_place(undoing);
	if (!undoing->found && undoing->forget) {
		fprintf(stderr, "%s: there is no '%.140s'; see --list\n", undoing->program,
			undoing->forget);
		return 3;
	}
	if (!undoing->found && !undoing->failed)
		printf("No experiment has left anything behind.\n");
	return undoing->failed ? 3 : 0;
}

static int set_forget(void *to, const char *program, const char *value)
{
	if (!undo_log_name_is_sound(value) && !strchr(value, '.'))
		return option_refused(program, "forget", value, "a name that --list shows");
	((struct undoing *)to)->forget = value;
	return 0;
}

static int cmd_undo(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "list", NULL, "show what is left, and change nothing",
			OPTION_FLAG(struct undoing, list)},
		{0, "forget", "NAME", "only remove this one from the list; restore nothing",
			OPTION_CALL(set_forget)},
	};
	struct undoing undoing = {.program = argv[0]};
	const struct usage usage = {
		.line = "tuesday undo [--list]",
		.what = "An experiment restores what it changed, however it ends. If its three "
			"processes\n"
			"were all killed at once, this command does it. A value that somebody "
			"else set\n"
			"in the meantime stays.",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &undoing,
		.status = "0 nothing left to do, 3 something is left, as printed",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && (options.n_names || (undoing.list && undoing.forget)))
		fprintf(stderr, "%s: unexpected argument; see --help\n", argv[0]);
	else if (!err)
		status = undo_work(&undoing);
	options_free(&options);
	return status;
}
