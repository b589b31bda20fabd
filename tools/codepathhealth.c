/* SPDX-License-Identifier: GPL-2.0-only */
/* Does some code path take more of the CPU than it did? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "flame/codepath.h"
#include "run/options.h"
#include "run/run.h"
#include "sources/task/codepath_source.h"
#include "tools/codepath/kept.h"
#include "tools/codepath/taken.h"
#include "tools/cpu/look.h"

struct codepath_health {
	const char *program;
	struct options common;
	struct cpu_options look_asked;
	double seconds, hertz;
	bool learn;
	const char *process; /* the only one that somebody wants to know of, or NULL */
	struct codepath_limits limits;
	struct kept_looks kept;
	struct taken_looks taken;
	struct cpu_look look;
	struct str *texts; /* that findings refer to */
	size_t n_texts, texts_room;
};

static const char *codepathhealth_text(struct codepath_health *health, struct str *text)
{
	ARRAY_GROW(health->texts, health->n_texts, health->texts_room);
	health->texts[health->n_texts] = *text;
	return str_text(&health->texts[health->n_texts++]);
}

static const char *codepathhealth_uncompared(struct codepath_health *health,
	const struct codepath_result *result, const struct kept_process *process)
{
	struct str text = STR_INIT;

	if (result->answer == CODEPATH_RENAMED)
		str_addf(&text,
			"earlier looks know only %.0f %% of what runs now by name, so they "
			"cannot be compared, as after a deploy that renamed functions; the next "
			"look is compared with this one",
			result->known * 100);
	else if (!process->n)
		str_add(&text, "this is the first look at it: the next one is compared with it");
	else
		str_add(&text, "earlier looks have too few samples");
	return codepathhealth_text(health, &text);
}

/* Whether the last look accused the same function. */
static bool codepathhealth_again(const struct codepath_health *health,
	const struct kept_process *process, const struct codepath_result *result)
{
	struct codepath_result then;
	bool again;

	if (!process->accused || result->answer != CODEPATH_MORE)
		return false;
	codepath_compare(&then, process->accused, process->looks, process->n, &health->limits);
	again = then.answer == CODEPATH_MORE && !strcmp(then.function, result->function);
	free(then.function);
	return again;
}

/* What is remembered of the look of now, which then belongs to the past. */
static void codepathhealth_remember(struct codepath_health *health, struct taken_process *taken,
	struct kept_process *process, const struct codepath_result *result)
{
	if (health->learn || result->answer == CODEPATH_RENAMED)
		kept_forget(process);
	codepath_look_free(process->accused);
	process->accused = NULL;
	process->time = time(NULL);
	if (!health->learn && result->answer == CODEPATH_MORE)
		process->accused = taken->look;
	else
		kept_add(process, taken->look);
	taken->look = NULL;
}

static void codepathhealth_judge(struct codepath_health *health, struct taken_process *taken)
{
	struct kept_process *process = kept_of(&health->kept, taken->name);
	struct codepath_finding finding = {.process = taken->name};
	struct codepath_result result;

	finding.samples = codepath_look_samples(taken->look);
	codepath_compare(&result, taken->look, process->looks, process->n, &health->limits);
	if (result.answer == CODEPATH_TOO_FEW || result.answer == CODEPATH_RENAMED)
		finding.uncompared = codepathhealth_uncompared(health, &result, process);
	if (result.answer == CODEPATH_MORE) {
		struct str text = STR_INIT;

		str_add(&text, result.function);
		finding.function = codepathhealth_text(health, &text);
		finding.share = result.share;
		finding.before = result.before;
		finding.cost_seconds = result.cpu_hours_per_day * 3600;
		finding.again = codepathhealth_again(health, process, &result);
	}
	codepath_source_add(&finding);
	codepathhealth_remember(health, taken, process, &result);
	free(result.function);
}

/* Only of who had so much to do that something can be said. */
static void codepathhealth_judge_all(struct codepath_health *health)
{
	uint64_t most = 0;

	for (size_t i = 0; i < health->taken.n; i++) {
		const uint64_t samples = codepath_look_samples(health->taken.list[i].look);

		if (health->process && strcmp(health->process, health->taken.list[i].name) != 0)
			continue;
		most = samples > most ? samples : most;
		if ((double)samples >= health->limits.samples)
			codepathhealth_judge(health, &health->taken.list[i]);
	}
	codepath_source_looked(most);
}

static int codepathhealth_keep(struct codepath_health *health)
{
	const int err = kept_write(&health->kept, health->common.state, health->limits.least);

	if (err)
		fprintf(stderr, "%s: cannot save this look: %s\n", health->program, strerror(-err));
	return err;
}

static int codepathhealth_recall(struct codepath_health *health)
{
	const int err = kept_read(&health->kept, health->common.state);

	if (err == -EBADMSG) {
		fprintf(stderr, "%s: the saved looks are damaged: new ones are started\n",
			health->program);
		kept_free(&health->kept);
		health->kept = (struct kept_looks){.n = 0};
		return 0;
	}
	if (err)
		fprintf(stderr, "%s: cannot read earlier looks: %s\n", health->program,
			strerror(-err));
	return err;
}

static int codepathhealth_look(struct codepath_health *health)
{
	int err = cpu_look_run(&health->look, &health->look_asked);

	if (!err && health->look.interrupted) {
		fprintf(stderr, "%s: interrupted\n", health->program);
		err = -EINTR;
	}
	if (!err)
		err = codepathhealth_recall(health);
	if (err)
		return err;
	taken_make(&health->taken, &health->look);
	codepathhealth_judge_all(health);
	return codepathhealth_keep(health);
}

static int codepathhealth_run(struct codepath_health *health)
{
	char name[] = "codepath", *names[] = {name};
	struct options *options = &health->common;

	health->look_asked = (struct cpu_options){
		.program = health->program,
		.seconds = health->seconds,
		.hertz = health->hertz,
		.by = STACKS_BY_NAME,
		.slice_seconds = health->seconds / CODEPATH_SLICES,
	};
	codepath_limits_default(&health->limits);
	if (!options->explain && codepathhealth_look(health))
		return 3;
	options->names = names;
	options->n_names = 1;
	options->windows = 1;
	options->window_seconds = 0.001;
	options->no_trace = true;
	options->no_history = true;
	return run_named(health->program, options, NULL);
}

static const struct option_row codepathhealth_own[] = {
	{0, "for", "TIME", "look for so long (10s)",
		OPTION_SECONDS(struct codepath_health, seconds, 1, 3600, "a time from 1s to 1h")},
	{0, "hertz", "N", "samples a second on each CPU (49)",
		OPTION_SECONDS(
			struct codepath_health, hertz, 1, 10000, "a number from 1 to 10000")},
	{0, "process", "NAME", "only processes of that name",
		OPTION_TEXT(struct codepath_health, process)},
	{0, "learn", NULL, "the present shares are right: forget earlier looks",
		OPTION_FLAG(struct codepath_health, learn)},
};

static int codepathhealth(int argc, char **argv)
{
	struct codepath_health *health = mem_zalloc(sizeof(*health));
	const struct usage usage = {
		.line = "codepathhealth",
		.what = "Does a code path take more CPU time than before? Samples with BPF for "
			"ten seconds at\n"
			"49 Hz, and compares each busy process with earlier looks. Needs root.\n"
			"See docs/codepath.md.",
		.groups = OPTIONS_REPORT | OPTIONS_CHECKS | OPTIONS_EXPLAIN | OPTIONS_STATE,
		.own = codepathhealth_own,
		.n_own = ARRAY_SIZE(codepathhealth_own),
		.to = health,
	};
	int err, status;

	health->program = argv[0];
	health->seconds = 10;
	health->hertz = 49;
	err = options_parse_usage(&health->common, argc, argv, &usage);
	status = err > 0 ? 0 : EXIT_MISUSE;
	if (!err && health->common.n_names) {
		char *shown = escape_word(health->common.names[0]);

		fprintf(stderr, "%s: unexpected argument '%s'; see --help\n", argv[0], shown);
		free(shown);
	} else if (!err) {
		progress_catch_signals();
		status = codepathhealth_run(health);
	}
	codepath_source_clear();
	taken_free(&health->taken);
	kept_free(&health->kept);
	for (size_t i = 0; i < health->n_texts; i++)
		str_free(&health->texts[i]);
	free(health->texts);
	if (health->look.symbolizer)
		cpu_look_free(&health->look);
	options_free(&health->common);
	free(health);
	return status;
}

PROGRAM(codepathhealth);
