/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is it happening again? This writes an incident down as a check file: the numbers that accused,
 * with their limits, and what only a person can add.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/check.h"
#include "check/compile.h"
#include "base/command.h"
#include "base/diag.h"
#include "base/escape.h"
#include "history/history.h"
#include "history/incidents.h"
#include "check/scaffold.h"
#include "run/options.h"
#include "output/read_json.h"
#include "report/report.h"
#include "run/run.h"
#include "run/select.h"
#include "sys/opener.h"
#include "sys/read_write.h"
#include "sys/statedir.h"
#include "history/format.h"
#include "base/str.h"
#include "history/retypes.h"
#include "tools/learn/internal.h"
#include "check/read_file.h"
#include "history/query.h"
#include "history/read.h"

#define DIRECTORY "/etc/tuesday/checks.d"

struct learning {
	const char *program, *ref, *output;
	bool force, learned;
	struct history_run run;
	char *name, *file;
	struct retypes log;
	struct report_reader *reader;
	struct lessons lessons;
};

static int cmd_learn(int argc, char **argv);
COMMAND(learn_command) = {
	.name = "learn",
	.args = "RUN",
	.what = "turn an incident into a check that sees whether it comes back",
	.group = COMMAND_WRITES,
	.run = cmd_learn,
};

/* What was wrong. */

static int note_light(void *arg, const struct history_verdict *light)
{
	bool *accused = arg;

	*accused |= light->verdict == VERDICT_BAD || light->verdict == VERDICT_MAYBE;
	return 0;
}

/* The report of the run, or of one before it whose lights are the same. */
static int find_report(struct learning *learning, struct history *history)
{
	const struct report *report = NULL;
	struct str json = STR_INIT;
	bool accused = false;
	int64_t of = 0;
	size_t used;
	int err;

	err = history_verdicts_of(history, learning->run.id, note_light, &accused);
	if (!err && !accused) {
		fprintf(stderr, "%s: run %lld accused nothing\n", learning->program,
			(long long)learning->run.id);
		return -ENOENT;
	}
	if (!err)
		err = history_report_like(history, learning->run.id, &of, &json);
	if (!err && !report_read(learning->reader, str_text(&json), json.len, &used, &report) &&
		lessons_first_accused(report))
		learning->lessons.report = report;
	str_free(&json);
	if (learning->lessons.report && of != learning->run.id)
		fprintf(stderr,
			"%s: no verdict changed in run %lld: the numbers are those of run %lld\n",
			learning->program, (long long)learning->run.id, (long long)of);
	if (!learning->lessons.report)
		fprintf(stderr, "%s: the report of run %lld is not kept\n", learning->program,
			(long long)learning->run.id);
	return learning->lessons.report ? 0 : -ENOENT;
}

static const char *last_ref(const struct learning *learning, const struct incident *incident)
{
	const char *ref = learning->ref;
	size_t i;

	for (i = 0; !learning->ref && i < learning->log.n; i++) {
		const struct retype_entry *word = &learning->log.list[i];
		bool same = *incident->key ? !strcmp(word->key, incident->key)
					   : !strcmp(word->run, incident->uuid);

		if (same && word->ref)
			ref = word->ref;
	}
	return ref;
}

static void name_incident(struct learning *learning, const char *ref)
{
	struct str text = STR_INIT;

	if (ref) {
		escape_terminal_cut(&text, ref, WORD_COLUMNS);
	} else {
		str_addf(&text, "run %.8s of ", learning->run.uuid);
		escape_terminal_cut(&text, learning->lessons.report->host, WORD_COLUMNS);
	}
	learning->lessons.incident = str_take(&text);
}

static int find_incident(struct learning *learning, const struct options *options)
{
	struct history *history = history_open_to_show(learning->program, options->state);
	struct str why = STR_INIT;
	struct incident incident;
	int err;

	if (!history)
		return -ENOENT;
	err = history_find(history, options->names[0], time(NULL), &learning->run, &why);
	if (!err && incident_of(history, learning->run.id, &incident)) {
		str_add(&why, "the history cannot be read");
		err = -EIO;
	}
	if (err)
		fprintf(stderr, "%s: %s; see 'tuesday history'\n", learning->program,
			str_text(&why));
	else
		err = find_report(learning, history);
	history_close(history);
	str_free(&why);
	if (err)
		return err;
	/* Without its words there is no reference, which is said nowhere else. */
	err = retypes_load(&learning->log, options->state);
	if (err)
		fprintf(stderr, "%s: what people said about it is left out: %s\n",
			learning->program, strerror(-err));
	learning->lessons.uuid = learning->run.uuid;
	name_incident(learning, last_ref(learning, &incident));
	return 0;
}

/* Writing it down. */

/* A file of a known name would change that check instead. */
static int name_file(struct learning *learning)
{
	struct str errors = STR_INIT;
	struct complaints complaints = {.out = &errors};
	int err = 0;

	if (learning->output && strcmp(learning->output, "-") != 0) {
		learning->file = mem_strdup(learning->output);
		learning->name = check_name_from(learning->file, &complaints);
	} else {
		learning->name = mem_printf("recent-%.8s", learning->run.uuid);
		learning->file = learning->output ? mem_strdup(learning->output)
						  : mem_printf(DIRECTORY "/%s.ini", learning->name);
	}
	if (!learning->name) {
		fprintf(stderr, "%s: %s", learning->program, str_text(&errors));
		err = -EINVAL;
	} else if (!learning->force && learning->output &&
		checks_find(learning->lessons.checks, learning->name)) {
		fprintf(stderr,
			"%s: this would change the existing check '%s'; choose another name, or "
			"use --force\n",
			learning->program, learning->name);
		err = -EEXIST;
	}
	str_free(&errors);
	return err;
}

/* The directory of one's own checks need not be there yet. */
static int learn_make_directory(const struct learning *learning)
{
	int dir = learning->output ? 0 : directory_open(DIRECTORY, 0755, true);

	if (dir < 0)
		fprintf(stderr, "%s: " DIRECTORY ": %s; -o writes it elsewhere\n",
			learning->program, strerror(-dir));
	else if (!learning->output)
		close(dir);
	return dir < 0 ? dir : 0;
}

static int write_lesson(struct learning *learning)
{
	struct str text = STR_INIT;
	char *shown;
	int err = -EINVAL;

	lessons_write(&learning->lessons, &text);
	if (ini_is_check(learning->program, learning->name, &text))
		err = learn_make_directory(learning);
	if (!err)
		err = ini_write(learning->program, learning->file, &text, learning->force);
	str_free(&text);
	if (err || !strcmp(learning->file, "-"))
		return err;
	shown = escape_path(learning->file);
	printf("%s is written. Add what only you know, then run: tuesday lint %s\n", shown, shown);
	free(shown);
	return 0;
}

static int learn_write(struct learning *learning)
{
	int err = lessons_choose(&learning->lessons);

	if (!err)
		err = name_file(learning);
	if (!err)
		err = write_lesson(learning);
	return err;
}

/* Of a report that is no run of this machine's history. What its id is, it says itself. */
static int learn_report(void *arg, const struct report *report)
{
	struct learning *learning = arg;
	size_t n = strspn(report->id, "0123456789abcdef");
	struct tm day;

	if (!lessons_first_accused(report)) {
		fprintf(stderr, "%s: it accuses nothing\n", learning->program);
		return -ENOENT;
	}
	/* Of one without an id its day says which it was. */
	if (n >= 8)
		snprintf(
			learning->run.uuid, sizeof(learning->run.uuid), "%.*s", (int)n, report->id);
	else if (!gmtime_r(&report->time_start, &day) ||
		!strftime(learning->run.uuid, sizeof(learning->run.uuid), "%Y%m%d", &day))
		snprintf(learning->run.uuid, sizeof(learning->run.uuid), "00000000");
	learning->lessons.report = report;
	learning->lessons.uuid = learning->run.uuid;
	name_incident(learning, learning->ref);
	learning->learned = !learn_write(learning);
	return learning->learned ? 0 : -EINVAL;
}

static int learn_json(struct learning *learning, const char *path)
{
	const struct report *report;
	struct str json = STR_INIT;
	int fd = opener_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK);
	int err = fd < 0 ? fd : read_all(fd, REPORT_BYTES_MAX, &json);
	char *shown = escape_path(path);
	const char *why = strerror(-err);
	size_t used;

	if (fd >= 0)
		close(fd);
	if (!err) {
		err = report_read(learning->reader, str_text(&json), json.len, &used, &report);
		why = err == -ENODATA ? "there is nothing in it"
				      : report_reader_wrong(learning->reader);
	}
	if (err)
		fprintf(stderr, "%s: %s: %s\n", learning->program, shown, why);
	else
		err = learn_report(learning, report);
	free(shown);
	str_free(&json);
	return err;
}

/* A recording is judged once more. */
static int learn_recording(struct learning *learning, struct options *options)
{
	options->replay = options->names[0];
	options->n_names = 0;
	options->no_history = true;
	options->take = learn_report;
	options->take_arg = learning;
	run_named(learning->program, options, NULL);
	return learning->learned ? 0 : -EINVAL;
}

/* A recording, a report, or a run of the history: by what is there of that name. */
static int learn_find(struct learning *learning, struct options *options)
{
	const char *name = options->names[0];
	struct stat st;
	bool there = !stat(name, &st);
	int err;

	if (there && S_ISDIR(st.st_mode))
		return learn_recording(learning, options);
	if (strchr(name, '/') || str_ends(name, ".json"))
		return learn_json(learning, name);
	err = find_incident(learning, options);
	return err ? err : learn_write(learning);
}

static int learn_run(struct learning *learning, struct options *options)
{
	int err;

	learning->reader = report_reader_new(false);
	learning->lessons.checks = run_load(options, NULL, 0);
	err = learn_find(learning, options);
	lessons_free(&learning->lessons);
	free(learning->name);
	free(learning->file);
	retypes_free(&learning->log);
	report_reader_free(learning->reader);
	checks_free(learning->lessons.checks);
	return err ? 3 : 0;
}

static int cmd_learn(int argc, char **argv)
{
	static const struct option_row own[] = {
		{'o', "output", "FILE", "where to write it; " DIRECTORY "/recent-ID.ini",
			OPTION_TEXT_OF(struct learning, output, 0, "a file")},
		{0, "ref", "NAME", "the incident's name, such as INC-42, as given to retype",
			OPTION_TEXT_OF(struct learning, ref, RETYPES_REF_MAX,
				"a name of at most 100 bytes")},
		{0, "force", NULL, "overwrite FILE if it is there",
			OPTION_FLAG(struct learning, force)},
	};
	struct learning learning = {.program = argv[0], .lessons = {.program = argv[0]}};
	const struct usage usage = {
		.line = "tuesday learn RUN",
		.what = "Writes what accused in a run into a check file, with limits and an "
			"expiry in 180 days,\n"
			"so that it is recognised when it comes back. RUN is a run of the "
			"history (a number, id, time,\n"
			"last), a report (FILE.json), or the folder of a recording.",
		.groups = OPTIONS_STATE | OPTIONS_CHECKS,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &learning,
		.status = "0 written, 3 not written",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names != 1)
		fprintf(stderr, "%s: name one run, report or recording; see --help\n", argv[0]);
	else if (!err)
		status = learn_run(&learning, &options);
	options_free(&options);
	return status;
}
