/* SPDX-License-Identifier: GPL-2.0-only */
/* Can the stacks of profiles be trusted, by the limits of the check stack? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "run/run.h"
#include "sources/task/stack_source.h"
#include "stacks/stack_tally.h"
#include "stacks/stack_text.h"
#include "sys/opener.h"
#include "sys/read_write.h"
#include "sys/sandbox.h"
#include "tools/stack/live.h"
#include "tools/stack/options.h"
#include "tools/stack/probe.h"
#include "tools/stack/table.h"

enum { FILE_BYTES_MAX = 1 << 30 };

static int stackhealth_refuse(const char *program, const char *path, const char *why)
{
	char *shown = escape_path(path);

	fprintf(stderr, "%s: %s: %s\n", program, shown, why);
	free(shown);
	return 3;
}

/* What others wrote is read without any right but that to read files. */
static int stackhealth_read(
	struct stack_tally *tally, const struct stack_options *asked, const char *program)
{
	const char *path = asked->common.names[0];
	struct str text = STR_INIT;
	int fd, err;

	if (sandbox_enter(SANDBOX_READS))
		return stackhealth_refuse(program, path, "cannot give up capabilities");
	fd = strcmp(path, "-") ? opener_open(AT_FDCWD, path, O_RDONLY) : dup(STDIN_FILENO);
	if (fd < 0)
		return stackhealth_refuse(program, path, strerror(fd == -1 ? errno : -fd));
	err = read_all(fd, FILE_BYTES_MAX, &text);
	close(fd);
	tally->limit = asked->limit;
	if (!err)
		stack_text_read(tally, str_text(&text), text.len);
	str_free(&text);
	if (err)
		return stackhealth_refuse(
			program, path, err == -EFBIG ? "more than 1 GiB" : strerror(-err));
	if (!tally->n)
		return stackhealth_refuse(
			program, path, "no stacks: neither of perf script, nor folded ones");
	return 0;
}

static int stackhealth_look(
	struct stack_tally *tally, struct stack_options *asked, const char *program)
{
	const double began = monotonic_seconds();
	int status = asked->common.n_names ? stackhealth_read(tally, asked, program)
					   : stack_live(tally, asked, program);

	if (!status && asked->probe && !progress_interrupted())
		status = stack_probe(tally, asked, program);
	asked->common.before_seconds = monotonic_seconds() - began;
	return status;
}

/* The look is over, and takes no time that could be sampled. */
static int stackhealth_judge(struct stack_options *asked, const char *program)
{
	char name[] = "stack", *names[] = {name};
	struct options *options = &asked->common;
	char **given = options->names;
	const size_t n_given = options->n_names;
	int status;

	options->names = names;
	options->n_names = 1;
	options->windows = 1;
	options->window_seconds = 0.001;
	options->no_trace = true;
	options->no_history = true;
	status = run_named(program, options, NULL);
	options->names = given;
	options->n_names = n_given;
	return status;
}

/* First the verdict, then who it is of. */
static void stackhealth_show(const struct stack_tally *tally, const struct options *options)
{
	struct str out = STR_INIT;

	if (strcmp(options->format, "text") != 0 || options->to || options->quiet ||
		options->explain || !tally->n)
		return;
	stack_table_add(&out, tally, options->verbose);
	fputs(str_text(&out), stdout);
	str_free(&out);
}

static int stackhealth(int argc, char **argv)
{
	struct stack_tally tally = {.n = 0};
	struct stack_options asked;
	int err = stack_options_read(&asked, argc, argv), status = 0;

	if (err) {
		stack_options_free(&asked);
		return err > 0 ? 0 : EXIT_MISUSE;
	}
	progress_catch_signals();
	if (!asked.common.explain)
		status = stackhealth_look(&tally, &asked, argv[0]);
	stack_source_set(asked.common.explain ? NULL : &tally);
	if (!status)
		status = stackhealth_judge(&asked, argv[0]);
	if (status <= 3)
		stackhealth_show(&tally, &asked.common);
	stack_source_set(NULL);
	stack_tally_free(&tally);
	stack_options_free(&asked);
	return status;
}

PROGRAM(stackhealth);
