/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a little less for this cgroup change that number? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "run/experiment_prompt.h"
#include "tools/nudge/options.h"
#include "tools/nudge/run.h"
#include "tools/nudge/text.h"

static int cmd_nudge(int argc, char **argv);
COMMAND(nudge_command) = {
	.name = "nudge",
	.args = "--quota|--io CGROUP --url|--metric ...",
	.what = "does a little less for one cgroup change a number of yours?",
	.run = cmd_nudge,
	.works = COMMAND_ON_MACHINE,
};

static int nudge_misuse(const struct nudge_options *asked, const char *text)
{
	fprintf(stderr, "%s: %s\n", asked->program, text);
	return EXIT_MISUSE;
}

/* Returns 0, or the exit status after a message. */
static int nudge_may(const struct nudge_options *asked)
{
	if (asked->dry_run)
		return 0;
	if (geteuid() != 0)
		return nudge_misuse(asked,
			"it changes a limit of a cgroup, so it needs root: run it "
			"with sudo; --dry-run shows what it would do");
	if (!asked->yes && !experiment_prompt_possible())
		return nudge_misuse(asked,
			"it asks on a terminal, and there is none: --yes does "
			"it without asking");
	return 0;
}

static int nudge_tell(const struct nudging *nudging)
{
	static const int statuses[] = {[NUDGE_MATTERS] = 2,
		[NUDGE_CLEARED] = 0,
		[NUDGE_UNCLEAR] = 1,
		[NUDGE_NO_NUMBER] = 3};
	struct str out = STR_INIT;

	if (nudging->asked->json)
		nudging_write_json(&out, nudging);
	else
		nudging_write_text(&out, nudging);
	fputs(str_text(&out), stdout);
	str_free(&out);
	if (!nudging->left)
		return statuses[nudging->course.answer];
	fprintf(stderr, "%s: NOT PUT BACK: %s\n", nudging->asked->program, str_text(&nudging->why));
	return 3;
}

/* Asks, runs, tells. Returns the exit status. */
static int nudge_do(struct nudging *nudging)
{
	const struct nudge_options *asked = nudging->asked;
	struct str text = STR_INIT;
	bool yes = asked->yes;
	int status = 3;

	nudging_describe(nudging, &text);
	if (asked->dry_run) {
		fputs(str_text(&text), stdout);
		str_free(&text);
		return 0;
	}
	if (yes && isatty(STDERR_FILENO))
		fputs(str_text(&text), stderr);
	yes = yes || experiment_prompt_ask(&text);
	str_free(&text);
	if (yes) {
		nudging_run(nudging);
		status = nudge_tell(nudging);
	} else {
		fprintf(stderr, "%s: not confirmed: nothing was changed\n", asked->program);
	}
	return status;
}

static int nudge_all(const struct nudge_options *asked)
{
	struct nudging nudging;
	struct str shown = STR_INIT;
	int status = nudge_may(asked), err;

	if (status)
		return status;
	progress_catch_signals();
	err = nudging_open(&nudging, asked);
	if (err) {
		escape_terminal(&shown, nudging.why.len ? str_text(&nudging.why) : strerror(-err));
		fprintf(stderr, "%s: %s\n", asked->program, str_text(&shown));
		status = 3;
	} else {
		status = nudge_do(&nudging);
	}
	str_free(&shown);
	nudging_close(&nudging);
	return status;
}

static int cmd_nudge(int argc, char **argv)
{
	struct nudge_options asked;
	const int err = nudge_options_read(&asked, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err)
		status = nudge_all(&asked);
	options_free(&asked.common);
	return status;
}
