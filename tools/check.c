/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does this one check file say of the machine? Once, as in a run; or again and again while
 * somebody edits it.
 */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check/check.h"
#include "base/command.h"
#include "base/escape.h"
#include "judge/plugin_check.h"
#include "judge/judge.h"
#include "judge/skip.h"
#include "run/session.h"
#include "run/options.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "report/report.h"
#include "run/run.h"
#include "sample/sweep.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "capture/environment.h"
#include "sample/sampler.h"
#include "check/layers.h"

#define POLL_MS 100
#define CLEAR_SCREEN "\033[H\033[J"

static int cmd_check(int argc, char **argv);
COMMAND(check_command) = {
	.name = "check",
	.args = "FILE",
	.what = "run one check file, with every value and limit",
	.group = COMMAND_WRITES,
	.run = cmd_check,
	.works = COMMAND_ON_MACHINE,
};

/* Tells one content of the file from the next without reading it; all 0: it is not there. */
struct version {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
};

struct watching {
	const struct options *options;
	const char *file;
	struct version version;
	struct check *check;
	char *skipped; /* why it has nothing to say here, or NULL */
	struct sweep *sweep;
	struct capture *fs;
	struct check_result result;
};

static struct version version_of(const char *file)
{
	struct stat st;

	if (stat(file, &st))
		return (struct version){0};
	return (struct version){st.st_dev, st.st_ino, st.st_size, st.st_mtim};
}

static bool watch_has_changed(void *arg)
{
	const struct watching *watching = arg;
	struct version now = version_of(watching->file);
	const struct version *then = &watching->version;

	return now.device != then->device || now.inode != then->inode || now.size != then->size ||
		now.changed.tv_sec != then->changed.tv_sec ||
		now.changed.tv_nsec != then->changed.tv_nsec;
}

static bool watch_goes_on(void *arg)
{
	return !progress_interrupted() && !watch_has_changed(arg);
}

/* A screen of its own on a terminal, the next block in a file. */
static void print_block(const struct watching *watching, const char *text)
{
	time_t now = time(NULL);
	struct str name = STR_INIT;
	struct tm local;
	char clock[16] = "";

	if (localtime_r(&now, &local))
		strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	escape_terminal(&name, watching->file);
	if (isatty(STDOUT_FILENO))
		fputs(CLEAR_SCREEN, stdout);
	printf("%s  %s  %s\n", clock, str_text(&name), text);
	if (isatty(STDOUT_FILENO))
		printf("\nCtrl-C ends this.\n");
	fflush(stdout);
	str_free(&name);
}

static void watch_add_limit(struct str *line, const char *name, const struct limits *limits,
	double number, enum unit unit)
{
	enum op op;

	if (isnan(number) || !limits_op(limits, &op))
		return;
	str_addf(line, "  %s %s ", name, op_text(op));
	value_for_people(line, number, unit);
}

static void watch_add_metric(struct str *text, const struct metric_result *result)
{
	const struct metric *metric = result->metric;

	str_addf(text, "\n  %-7s %s", result->idle ? "idle" : verdict_text(result->verdict),
		metric->name);
	if (result->label && *result->label) {
		str_addc(text, '[');
		escape_terminal(text, result->label);
		str_addc(text, ']');
	}
	str_add(text, ": ");
	value_for_people(text, result->value, metric->unit);
	watch_add_limit(text, "acquit", &metric->acquit, result->acquit, metric->unit);
	watch_add_limit(text, "maybe", &metric->maybe, result->maybe, metric->unit);
	watch_add_limit(text, "bad", &metric->bad, result->bad, metric->unit);
	watch_add_limit(text, "look", &metric->look, result->look, metric->unit);
	if (result->instances > 1)
		str_addf(text, "  (worst of %zu)", result->instances);
	if (result->missing) {
		str_add(text, "  (");
		escape_terminal(text, result->missing);
		str_addc(text, ')');
	}
}

static void watch_print_result(const struct watching *watching)
{
	const struct check_result *result = &watching->result;
	struct str text = STR_INIT;
	size_t i;

	str_addf(&text, "%s  ", verdict_text(result->verdict));
	escape_terminal(&text, result->summary ? result->summary : "");
	for (i = 0; i < result->n_metrics; i++)
		watch_add_metric(&text, &result->metrics[i]);
	for (i = 0; i < watching->check->n_metrics; i++)
		if (watching->check->metrics[i]->trace)
			str_addf(&text, "\n  -       %s: traced, which --watch does not do",
				watching->check->metrics[i]->name);
	for (i = 0; i < result->n_howevers; i++) {
		str_add(&text, "\n  however ");
		escape_terminal(&text, result->howevers[i]);
	}
	print_block(watching, str_text(&text));
	str_free(&text);
}

/* One window of the file as it is now. Returns false where it changed meanwhile: then the numbers
 * would be those of a file that is gone. */
static bool look_once(struct watching *watching)
{
	struct sampler sampler = {.window_seconds = watching->options->window_seconds,
		.sweep = watching->sweep,
		.fs = watching->fs,
		.windows = 1,
		.ended = watch_has_changed,
		.arg = watching};
	struct judge_context context = {.fs = watching->fs, .sweep = watching->sweep};
	unsigned int cpus;
	bool unknown;

	machine_describe(watching->fs, time(NULL));
	watching->skipped = judge_why_skipped(watching->check, watching->fs, &unknown);
	if (!watching->skipped)
		check_bind(watching->check, watching->sweep);
	if (sampler_begin(&sampler))
		return true;
	foreign_start(&watching->check, &watching->skipped, 1, watching->fs);
	sampler_run(&sampler, 1);
	foreign_collect(&watching->check, 1, watching->fs, watch_goes_on, watching);
	if (watch_has_changed(watching) || progress_interrupted())
		return false;
	cpus = machine_cpus(watching->fs);
	context.cpus = cpus ? cpus : (double)NAN;
	if (watching->skipped)
		judge_skip(watching->check, watching->skipped, unknown, &watching->result);
	else
		judge_check(watching->check, &context, &watching->result);
	return true;
}

static void wait_for_change(struct watching *watching)
{
	while (watch_goes_on(watching))
		poll(NULL, 0, POLL_MS);
}

/* Reads the file and looks once. A file that is wrong, as one half saved, waits for the next. */
static int update(struct watching *watching)
{
	struct str errors = STR_INIT;
	int err = 0;

	watching->version = version_of(watching->file);
	watching->check = check_obey_file(watching->file, &errors);
	if (!watching->check) {
		print_block(watching, "is not right:");
		fputs(str_text(&errors), stdout);
		fflush(stdout);
		wait_for_change(watching);
	} else {
		err = machine_open(watching->options, &watching->fs);
		watching->sweep = sweep_new();
		if (!err && look_once(watching))
			watch_print_result(watching);
	}
	check_result_free(&watching->result);
	memset(&watching->result, 0, sizeof(watching->result));
	check_free(watching->check);
	sweep_free(watching->sweep);
	free(watching->skipped);
	watching->sweep = NULL;
	watching->skipped = NULL;
	capture_close(watching->fs);
	watching->fs = NULL;
	str_free(&errors);
	return err;
}

static int watch_file(const struct options *options)
{
	struct watching watching = {.options = options, .file = options->names[0]};
	int err = 0;

	progress_catch_signals();
	while (!err && !progress_interrupted() && !ferror(stdout))
		err = update(&watching);
	return err ? 3 : 0;
}

static int check_once(struct options *options)
{
	struct str errors = STR_INIT;
	struct check *one = NULL;
	struct checks checks = {.list = &one, .n = 1, .errors = &errors};
	int status;

	one = check_obey_file(options->names[0], &errors);
	fputs(str_text(&errors), stderr);
	options->verbose = true;
	status = one ? run_checks(options, &checks) : 3;
	check_free(one);
	str_free(&errors);
	return status;
}

struct checking {
	bool watch;
};

static int cmd_check(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "watch", NULL, "repeat, and read FILE again when it changes",
			OPTION_FLAG(struct checking, watch)},
	};
	struct checking checking = {0};
	const struct usage usage = {
		.line = "tuesday check FILE",
		.what = "Runs one check file and shows every value and limit.",
		.groups = OPTIONS_ALL,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &checking,
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names != 1)
		fprintf(stderr, "%s: name one file; see --help\n", argv[0]);
	else if (!err && checking.watch && (options.replay || options.record))
		fprintf(stderr, "%s: --watch cannot watch a recording\n", argv[0]);
	else if (!err)
		status = checking.watch ? watch_file(&options) : check_once(&options);
	options_free(&options);
	return status;
}
