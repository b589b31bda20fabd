/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be handed to somebody who was not there: what it is, what it is not, and how is that
 * known? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/opener.h"
#include "sys/sandbox.h"
#include "sys/statedir.h"
#include "sys/write_only.h"
#include "base/command.h"
#include "base/escape.h"
#include "history/history.h"
#include "base/parsetime.h"
#include "run/options.h"
#include "output/read_json.h"
#include "run/run.h"
#include "run/select.h"
#include "history/format.h"
#include "base/str.h"
#include "base/terminal.h"
#include "output/writer.h"
#include "sys/read_write.h"
#include "tools/report/phrases.h"
#include "sys/atomic_file.h"
#include "history/query.h"
#include "history/read.h"
#include "tools/report/text.h"
#include "tools/report/html.h"
#include "tools/report/advice.h"
#include "tools/report/areas.h"
#include "tools/report/history.h"
#include "tools/report/status.h"

#define SINCE_SECONDS 86400

struct reporting {
	const char *program, *html, *since;
	enum color_when color;
	const struct options *options;
	struct history *history; /* NULL: none */
	char *note;
	enum verdict verdict;
	bool live;   /* the machine is looked at now */
	bool quoted; /* a file says it, which may be anybody's */
	bool told;   /* the report reached whom it was for */
};

static int cmd_report(int argc, char **argv);
COMMAND(report_command) = {
	.name = "report",
	.args = "[RUN|FILE]",
	.what = "write a full report, text or HTML, to share",
	.run = cmd_report,
	.works = COMMAND_ON_MACHINE,
};

static int reporting_set_since(void *to, const char *program, const char *value)
{
	time_t now = time(NULL), from, end;

	if (parsetime(value, now, &from, &end) || from >= now)
		return option_refused(
			program, "since", value, "a time: 24h, 7d, 14:30, yesterday, 2026-11-20");
	((struct reporting *)to)->since = value;
	return 0;
}

/* Which checks are about an issue of some versions or of some time, as the check files here say. */
static bool *find_recent(const struct checks *checks, const struct report *of)
{
	bool *recent = mem_zalloc((of->n_checks + 1) * sizeof(*recent));
	size_t i;

	for (i = 0; i < of->n_checks; i++) {
		const struct check *check = checks_find(checks, of->checks[i].check->name);

		recent[i] = check && (check->kernel || check->package || check->expires);
	}
	return recent;
}

/* A time that is told by its length goes back from the run, and not from now. */
static time_t since_of(const struct reporting *reporting, const struct report *of)
{
	time_t from = of->time_start - SINCE_SECONDS, end;

	if (reporting->since && parsetime(reporting->since, of->time_start, &from, &end))
		return of->time_start - SINCE_SECONDS;
	return from;
}

/* Returns 0 or -errno after a message, or with main's to come for standard output. */
static int reporting_put(const struct reporting *reporting, const struct str *text)
{
	struct str why = STR_INIT;
	char *path;
	int err;

	if (!reporting->html || !strcmp(reporting->html, "-"))
		return fwrite(str_text(text), 1, text->len, stdout) != text->len || fflush(stdout)
			? -EIO
			: 0;
	err = write_file_atomically(
		reporting->html, FILE_BY_UMASK, str_text(text), text->len, &why);
	path = escape_path(reporting->html);
	if (err)
		fprintf(stderr, "%s: %s: %s\n", reporting->program, path, str_text(&why));
	else if (isatty(STDERR_FILENO))
		fprintf(stderr, "%s is written: %zu KiB, open it in any browser\n", path,
			text->len / 1024 + 1);
	free(path);
	str_free(&why);
	return err;
}

static void open_history(struct reporting *reporting)
{
	if (history_open(&reporting->history, reporting->options->state, HISTORY_READ))
		reporting->history = NULL;
}

/* Returns 0 or -errno after a message. */
static int reporting_show(struct reporting *reporting, const struct report *of, struct story *story)
{
	struct str out = STR_INIT;
	int err;

	status_make(&story->status, story);
	if (reporting->html)
		story_as_html(&out, story);
	else
		story_as_text(&out, story, terminal_color(reporting->color, STDOUT_FILENO),
			terminal_columns());
	err = reporting_put(reporting, &out);
	reporting->told = !err;
	reporting->verdict = of->verdict;
	str_free(&out);
	return err;
}

static int reporting_tell(void *arg, const struct report *of)
{
	struct reporting *reporting = arg;
	struct checks *checks = run_load(reporting->options, NULL, 0);
	bool *recent = find_recent(checks, of);
	struct story story = {.report = of, .recent = recent, .note = reporting->note};
	struct advice advice = {0};
	int err = 0;

	if (reporting->quoted) {
		advice_make(&advice, of, checks);
		story.report = of = &advice.report;
		story.advice = &advice;
	}
	areas_make(&story.areas, of);
	if (reporting->live && (!reporting->options->replay || reporting->options->state))
		open_history(reporting);
	if (reporting->history && of->time_start)
		err = past_read(&story.past, reporting->history, of, since_of(reporting, of));
	if (err)
		fprintf(stderr, "%s: the history cannot be read, and is left out\n",
			reporting->program);
	err = reporting_show(reporting, of, &story);
	status_free(&story.status);
	past_free(&story.past);
	areas_free(&story.areas);
	advice_free(&advice);
	checks_free(checks);
	free(recent);
	return err;
}

/* Reads a file whole, or standard input. Returns 0 or -errno. */
static int reporting_read_whole(const char *path, struct str *text)
{
	int fd = strcmp(path, "-") != 0 ? opener_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK)
					: STDIN_FILENO;
	struct stat st;
	int err;

	if (fd < 0)
		return fd;
	if (fd != STDIN_FILENO && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
		err = -EINVAL;
	else
		err = read_all(fd, REPORT_BYTES_MAX, text);
	if (fd != STDIN_FILENO)
		close(fd);
	return err;
}

/* A report in JSON: tells of it. Returns the exit status. */
static int tell_json(struct reporting *reporting, const char *name, const struct str *json)
{
	struct report_reader *reader = report_reader_new(false);
	const struct report *of;
	char *shown = escape_path(name);
	size_t used;
	int status = 3, err = report_read(reader, str_text(json), json->len, &used, &of);

	if (err)
		fprintf(stderr, "%s: %s: %s\n", reporting->program, shown,
			err == -ENODATA ? "there is nothing in it" : report_reader_wrong(reader));
	else if (!reporting_tell(reporting, of))
		status = verdict_exit_status(reporting->verdict);
	free(shown);
	report_reader_free(reader);
	return status;
}

/* Whether the history has the run that a file is of: only then it is this machine's. One that is
 * named with --state is the right one. */
static void keep_if_its_own(struct reporting *reporting, const char *id)
{
	struct str why = STR_INIT;
	struct history_run run;

	if (!reporting->history || reporting->options->state)
		return;
	if (strlen(id) != 32 || history_find(reporting->history, id, time(NULL), &run, &why)) {
		history_close(reporting->history);
		reporting->history = NULL;
	}
	str_free(&why);
}

static char *id_of(const struct str *json)
{
	struct report_reader *reader = report_reader_new(true);
	const struct report *of;
	size_t used;
	char *id = NULL;

	if (!report_read(reader, str_text(json), json->len, &used, &of))
		id = mem_strdup(of->id);
	report_reader_free(reader);
	return id;
}

static int reporting_tell_file(struct reporting *reporting, const char *path)
{
	struct str json = STR_INIT;
	char *shown = escape_path(path), *id;
	int status = 3, err = reporting_read_whole(path, &json);

	if (err) {
		fprintf(stderr, "%s: %s: %s\n", reporting->program, shown,
			err == -EFBIG ? "it is too large to be a report" : strerror(-err));
	} else {
		id = id_of(&json);
		reporting->quoted = true;
		open_history(reporting);
		keep_if_its_own(reporting, id ? id : "");
		status = tell_json(reporting, path, &json);
		free(id);
	}
	free(shown);
	str_free(&json);
	return status;
}

/* The report of a run, or of one that had the same lights: then that is said in it. */
static int find_kept(struct reporting *reporting, struct history_run *run, struct str *json)
{
	struct str note = STR_INIT;
	int64_t of;
	int err = history_report_like(reporting->history, run->id, &of, json);

	if (err || of == run->id)
		return err;
	str_addf(&note, "In run #%lld at ", (long long)run->id);
	say_time(&note, run->time);
	str_addf(&note,
		" no verdict changed, so its report was not kept. This is run #%lld, the "
		"last one before it with the same checks and a kept report: the verdicts "
		"are the same, the numbers are its own.",
		(long long)of);
	reporting->note = str_take(&note);
	return 0;
}

static int tell_stored(struct reporting *reporting, const char *name)
{
	struct str json = STR_INIT, why = STR_INIT;
	struct history_run run;
	int err, status = 3;

	reporting->history = history_open_to_show(reporting->program, reporting->options->state);
	if (!reporting->history)
		return 3;
	err = history_find(reporting->history, name, time(NULL), &run, &why);
	if (err) {
		fprintf(stderr, "%s: %s\n", reporting->program, str_text(&why));
	} else {
		err = find_kept(reporting, &run, &json);
		if (err)
			fprintf(stderr, "%s: run #%lld: %s\n", reporting->program,
				(long long)run.id,
				err == -ENOENT ? "neither its report nor an earlier one with the "
						 "same checks and verdicts "
						 "was kept"
					       : "the history cannot be read");
		else
			status = tell_json(reporting, name, &json);
	}
	str_free(&why);
	str_free(&json);
	return status;
}

/* A path, a name that ends like a file of JSON, or standard input. */
static bool is_file(const char *name)
{
	return !strcmp(name, "-") || strchr(name, '/') || str_ends(name, ".json");
}

/* From here on: the page, and the history, which may have to be put aside. */
static void write_only_ours(const struct reporting *reporting)
{
	char *state = statedir_itself(reporting->options->state);
	char *history = mem_printf("%s/history.db", state);
	const char *const written[] = {history,
		reporting->html && strcmp(reporting->html, "-") != 0 ? reporting->html : NULL};

	write_only(written, ARRAY_SIZE(written));
	free(history);
	free(state);
}

/* What was is told from files. Returns the exit status. */
static int tell_what_was(struct reporting *reporting, const char *name)
{
	int err = sandbox_enter(SANDBOX_READS);

	if (err) {
		fprintf(stderr, "%s: cannot give up capabilities: %s\n", reporting->program,
			strerror(-err));
		return 3;
	}
	write_only_ours(reporting);
	return is_file(name) ? reporting_tell_file(reporting, name) : tell_stored(reporting, name);
}

static int tell_live(struct reporting *reporting, struct options *options)
{
	int status;

	reporting->live = true;
	options->take = reporting_tell;
	options->take_arg = reporting;
	status = run_named(reporting->program, options, NULL);
	return reporting->told || !status ? status : 3;
}

static int cmd_report(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "html", "FILE", "write an HTML page instead; - is standard output",
			OPTION_TEXT(struct reporting, html)},
		{0, "since", "WHEN", "draw and compare since then: 24h, 7d, yesterday (24h)",
			OPTION_CALL(reporting_set_since)},
		{0, "color", "WHEN", "auto, always or never; NO_COLOR is honoured",
			OPTION_CHOICE(struct reporting, color, option_colors)},
	};
	struct options options;
	struct reporting reporting = {.program = argv[0], .options = &options};
	const struct usage usage = {
		.line = "tuesday report [RUN|FILE]",
		.what = "Runs the checklist, or takes a run of the history (12, last, 14:30) or "
			"a JSON report,\n"
			"and shows all of it: the system's lights, what is exonerated and by "
			"which evidence, each\n"
			"number against its limits and its history, what changed, and what is "
			"known now.\n"
			"  tuesday report --html report.html\n"
			"  tuesday report last-3 --since 7d",
		.groups = OPTIONS_SAMPLING | OPTIONS_TRACING | OPTIONS_CHECKS | OPTIONS_MACHINE |
			OPTIONS_STATE,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &reporting,
	};
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names > 1)
		fprintf(stderr, "%s: name one run; see --help\n", argv[0]);
	else if (!err && options.n_names && options.replay)
		fprintf(stderr, "%s: name a past run or a recording, not both\n", argv[0]);
	else if (!err && options.n_names)
		status = tell_what_was(&reporting, options.names[0]);
	else if (!err)
		status = tell_live(&reporting, &options);
	history_close(reporting.history);
	free(reporting.note);
	options_free(&options);
	return status;
}
