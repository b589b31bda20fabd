/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The runner: which parts of this machine is it not, which may it be, which is it?
 *
 * The commands beside `run` are about the checks themselves: what they look at, and where each key
 * came from.
 */
#include "base/banned.h"

#include <math.h>

#include "check/applies.h"
#include "check/check.h"
#include "check/scaffold.h"
#include "base/command.h"
#include "base/terminal.h"
#include "base/wrap.h"
#include "base/escape.h"
#include "check/explain.h"
#include "check/keywords.h"
#include "run/run.h"
#include "run/select.h"
#include "base/str.h"
#include "output/writer.h"
#include "check/layers.h"
#include "check/settings.h"
#include "run/unknown_check.h"

/* What the commands about checks start with. */
struct session {
	const char *about; /* of list: a word that is searched for, or NULL */
	bool changed;	   /* of config: only what is not as it was shipped */
	struct options options;
	struct checks *checks;
};

/* Whether any check in force has the keyword. */
static bool session_has_keyword(const struct session *session, const char *word)
{
	size_t i;

	for (i = 0; i < session->checks->n; i++)
		if (session->checks->list[i]->enabled &&
			check_is_about(session->checks->list[i], word))
			return true;
	return false;
}

static const struct option_row list_options[] = {
	{0, "about", "WORD", "the checks that mention it, and where: --about oom",
		OPTION_TEXT(struct session, about)},
};

static int cmd_config(int argc, char **argv);
static const struct command config_command;

static const struct option_row config_options[] = {
	{0, "changed", NULL, "only what files of this machine have changed or added",
		OPTION_FLAG(struct session, changed)},
};

static int cmd_list(int argc, char **argv);
COMMAND(list_command) = {
	.name = "list",
	.args = "[CHECK|KEYWORD...]",
	.what = "list the checks and their questions",
	.paged = true,
	.run = cmd_list,
};

/* Returns -1 to go on, or the exit status. by_keyword: a name may be a keyword instead. */
static int session_begin(struct session *session, int argc, char **argv,
	const struct command *command, bool by_keyword)
{
	char *line = mem_printf("tuesday %s %s", command->name, command->args);
	const struct usage usage = {
		.line = line,
		.what = command->what,
		.groups = OPTIONS_CHECKS | OPTIONS_MACHINE,
		.own = command == &list_command ? list_options : config_options,
		.n_own = command == &list_command    ? ARRAY_SIZE(list_options)
			: command == &config_command ? ARRAY_SIZE(config_options)
						     : 0,
		.to = session,
	};
	int err;
	size_t i;

	session->about = NULL;
	session->changed = false;
	err = options_parse_usage(&session->options, argc, argv, &usage);
	free(line);
	session->checks = NULL;
	if (err)
		return err > 0 ? 0 : EXIT_MISUSE;
	session->checks = run_load(&session->options, NULL, 0);
	fputs(str_text(session->checks->errors), stderr);
	for (i = 0; i < session->options.n_names; i++) {
		if (checks_find(session->checks, session->options.names[i]) ||
			(by_keyword && session_has_keyword(session, session->options.names[i])))
			continue;
		return run_unknown_check(argv[0], session->checks, session->options.names[i]);
	}
	return -1;
}

/* 3 where a file was refused, as `run` would end: what was printed is not all that was meant. */
static int session_finish(struct session *session, int status)
{
	if (status < 0)
		status = session->checks->n_errors ? 3 : 0;
	if (session->checks)
		checks_free(session->checks);
	options_free(&session->options);
	return status;
}

static bool session_names_check(const struct options *options, const char *name)
{
	size_t i;

	for (i = 0; i < options->n_names; i++)
		if (!strcmp(options->names[i], name))
			return true;
	return !options->n_names;
}

/* The first name that is no check's, and that the check has for a keyword, or NULL. */
static const char *session_keyword_of(const struct session *session, const struct check *check)
{
	size_t i;

	for (i = 0; i < session->options.n_names; i++)
		if (!checks_find(session->checks, session->options.names[i]) &&
			check_is_about(check, session->options.names[i]))
			return session->options.names[i];
	return NULL;
}

static int cmd_run(int argc, char **argv)
{
	return run_main(argc, argv, NULL);
}

COMMAND(run_command) = {
	.name = "run",
	.args = "[CHECK...]",
	.what = "run the checklist, or only some checks",
	.run = cmd_run,
	.works = COMMAND_ON_MACHINE,
};

/* One line each for programs; on a terminal what is longer goes on below. */
static void list_one(const struct check *check, const struct metric *where, size_t name_columns)
{
	struct str left = STR_INIT, text = STR_INIT, line = STR_INIT;

	str_addf(&left, "%-*s %-10s ", (int)name_columns, check->name,
		check->area ? check->area : "");
	escape_terminal(&text, check->enabled || check->opt_in ? check->question : "switched off");
	str_add(&text,
		check->of_files		? " (only of files that it is given)"
			: check->opt_in ? " (only when it is named)"
					: "");
	if (check->expires)
		str_addf(&text, " (%s %s)", applies_has_expired(check) ? "expired" : "until",
			check->expires);
	if (where)
		str_addf(&text, " [%s]", where->name);
	str_add(&line, str_text(&left));
	wrap_text(&line, terminal_columns() ? terminal_columns() : SIZE_MAX, left.len, left.len,
		str_text(&text));
	fputs(str_text(&line), stdout);
	str_free(&left);
	str_free(&text);
	str_free(&line);
}

static bool session_lists(
	const struct session *session, const struct check *check, const struct metric **where)
{
	*where = NULL;
	return (session_names_check(&session->options, check->name) ||
		       session_keyword_of(session, check)) &&
		(!session->about || check_tells_of(check, session->about, where));
}

/* As wide as the longest name that is listed. */
static size_t list_name_columns(const struct session *session)
{
	const struct metric *where;
	size_t columns = 12, i;

	for (i = 0; i < session->checks->n; i++) {
		size_t len = strlen(session->checks->list[i]->name);

		if (len > columns && session_lists(session, session->checks->list[i], &where))
			columns = len;
	}
	return columns;
}

static int cmd_list(int argc, char **argv)
{
	struct session session;
	int status = session_begin(&session, argc, argv, &list_command, true);
	size_t columns = status < 0 ? list_name_columns(&session) : 0, listed = 0, i;

	for (i = 0; status < 0 && i < session.checks->n; i++) {
		const struct metric *where;

		if (!session_lists(&session, session.checks->list[i], &where))
			continue;
		list_one(session.checks->list[i], where, columns);
		listed++;
	}
	if (status < 0 && session.about && !listed) {
		char *shown = escape_word(session.about);

		fprintf(stderr, "%s: no check mentions '%s'\n", argv[0], shown);
		free(shown);
		status = 3;
	}
	return session_finish(&session, status);
}

static int cmd_explain(int argc, char **argv);
COMMAND(explain_command) = {
	.name = "explain",
	.args = "[CHECK|KEYWORD...]",
	.what = "explain a check: inputs, limits and their sources",
	.paged = true,
	.run = cmd_explain,
};

static int cmd_explain(int argc, char **argv)
{
	struct session session;
	int status = session_begin(&session, argc, argv, &explain_command, true);
	size_t i;

	for (i = 0; status < 0 && i < session.checks->n; i++) {
		const struct check *check = session.checks->list[i];
		const char *word = session_keyword_of(&session, check);

		if (check->enabled && session_names_check(&session.options, check->name))
			explain_check(stdout, check);
		else if (check->enabled && word)
			explain_about(stdout, check, word);
	}
	return session_finish(&session, status);
}

COMMAND(config_command) = {
	.name = "config",
	.args = "[CHECK...]",
	.what = "print a check's keys in force, and the file and line of each",
	.group = COMMAND_WRITES,
	.paged = true,
	.run = cmd_config,
};

/* As a check file: where each key comes from stands in a comment above it, so that what is printed
 * can be saved, changed and read again. */
static bool print_settings(const struct check *check, bool changed)
{
	const char *section = "";
	struct str out = STR_INIT, value = STR_INIT;
	size_t i, n = 0;

	str_addf(&out, "; %s\n", check->name);
	for (i = 0; i < check->n_settings; i++) {
		const struct setting *setting = &check->settings[i];

		/* The file of a shipped key has a name and no place. */
		if (changed && !strchr(setting->file, '/'))
			continue;
		n++;
		if (strcmp(section, setting->section) != 0) {
			str_add(&out, "[");
			escape_terminal(&out, setting->section);
			str_add(&out, "]\n");
			section = setting->section;
		}
		str_add(&out, "; ");
		escape_terminal(&out, setting->file);
		str_addf(&out, ":%d\n", setting->line);
		str_clear(&value);
		escape_terminal(&value, setting->value);
		ini_add_key(&out, setting->key, str_text(&value));
	}
	if (n)
		puts(str_text(&out));
	str_free(&out);
	str_free(&value);
	return n;
}

static int cmd_config(int argc, char **argv)
{
	struct session session;
	int status = session_begin(&session, argc, argv, &config_command, false);
	bool any = false;
	size_t i;

	for (i = 0; status < 0 && i < session.checks->n; i++)
		if (session_names_check(&session.options, session.checks->list[i]->name))
			any |= print_settings(session.checks->list[i], session.changed);
	if (status < 0 && !any && session.changed)
		puts("; all is as it was shipped");
	return session_finish(&session, status);
}
