/* SPDX-License-Identifier: GPL-2.0-only */
/* Which experiments does a person want, and does anybody say yes? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include "check/check.h"
#include "check/experiment.h"
#include "experiment/trial.h"
#include "run/experiment_about.h"
#include "run/experiment_prompt.h"
#include "run/options.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "report/report.h"
#include "run/select.h"
#include "base/str.h"
#include "base/suggest.h"
#include "judge/experiment_verdict.h"
#include "check/layers.h"
#include "run/unknown_check.h"
#include "experiment/plan_text.h"
#include "experiment/trial_text.h"

#define TERMINAL "/dev/tty"
#define ANSWER_MAX 64

static int prompt_set_yes(void *to, const char *program, const char *value)
{
	struct wishes *wishes = to;

	if (!strchr(value, '/'))
		return option_refused(program, "yes", value, "CHECK/EXPERIMENT");
	ARRAY_GROW(wishes->yes, wishes->n_yes, wishes->room_yes);
	wishes->yes[wishes->n_yes++] = value;
	return 0;
}

const struct option_row experiment_options[] = {
	{0, "invasive", NULL, "offer experiments, and ask on the terminal for each",
		OPTION_FLAG(struct wishes, invasive)},
	{0, "yes", "CHECK/NAME", "run this experiment without asking", OPTION_CALL(prompt_set_yes)},
	{0, "dry-run", NULL, "say what experiments would change, and change nothing",
		OPTION_FLAG(struct wishes, dry_run)},
	{0, "metric", "COMMAND", "the number to watch is what COMMAND prints",
		OPTION_TEXT_OF(struct wishes, command, 0, "a command")},
	{0, "url", "URL", "the number to watch is the time of a request",
		OPTION_TEXT(struct wishes, url)},
	{0, "instance", "NAME", "the disk, cgroup … to experiment on, if not the accused one",
		OPTION_TEXT_OF(struct wishes, instance, 0, "the name of a disk, cgroup …")},
};
const size_t n_experiment_options = ARRAY_SIZE(experiment_options);

bool wishes_any(const struct wishes *wishes)
{
	return wishes && (wishes->invasive || wishes->dry_run || wishes->n_yes);
}

void wishes_free(struct wishes *wishes)
{
	free(wishes->yes);
}

static int misuse(const char *program, const char *text)
{
	fprintf(stderr, "%s: %s\n", program, text);
	return EXIT_MISUSE;
}

static int no_such_experiment(const char *program, const struct check *check, const char *name)
{
	const char **names = mem_realloc_array(NULL, check->n_experiments + 1, sizeof(*names));
	const char *near;
	size_t i;

	for (i = 0; i < check->n_experiments; i++)
		names[i] = check->experiments[i]->name;
	near = suggest(name, names, check->n_experiments);
	fprintf(stderr, "%s: --yes: %s has no experiment '%.40s'", program, check->name, name);
	if (near)
		fprintf(stderr, "; did you mean '%s/%s'?", check->name, near);
	fprintf(stderr, "\n");
	free(names);
	return EXIT_MISUSE;
}

static int check_experiment(const char *program, const struct check *check, const char *name)
{
	size_t i;

	for (i = 0; i < check->n_experiments; i++) {
		const struct experiment *experiment = check->experiments[i];

		if (strcmp(experiment->name, name) != 0)
			continue;
		if (experiment->refused) {
			fprintf(stderr, "%s: %s/%s is refused: %s\n", program, check->name, name,
				experiment->refused);
			return EXIT_MISUSE;
		}
		if (experiment->risk == EXPERIMENT_RISK_MAX) {
			fprintf(stderr,
				"%s: %s/%s is REFUSED: its risk is 5, it loses data or cannot be "
				"undone, and no answer can authorise that\n",
				program, check->name, name);
			return EXIT_MISUSE;
		}
		return 0;
	}
	return no_such_experiment(program, check, name);
}

/* Whether one CHECK/EXPERIMENT is there and may be run. */
static int check_yes(const char *program, const struct checks *checks, const char *yes)
{
	size_t len = strcspn(yes, "/");
	char *name = mem_strndup(yes, len);
	const struct check *check = checks_find(checks, name);
	int status;

	if (check && check->enabled)
		status = check_experiment(program, check, yes + len + 1);
	else if (check)
		status = misuse(program,
			"--yes: this check is switched off, or runs only when it "
			"is named");
	else
		status = run_unknown_check(program, checks, name);
	free(name);
	return status;
}

bool experiment_prompt_possible(void)
{
	int fd = open(TERMINAL, O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool prompt_is_named(const struct options *options, const char *check)
{
	size_t i;

	for (i = 0; i < options->n_names; i++)
		if (!strcmp(options->names[i], check))
			return true;
	return false;
}

static bool wishes_name(const struct wishes *wishes, const char *check, const char *experiment)
{
	char *name = mem_printf("%s/%s", check, experiment);
	bool found = false;
	size_t i;

	for (i = 0; i < wishes->n_yes; i++)
		found |= !strcmp(wishes->yes[i], name);
	free(name);
	return found;
}

/* Whether what is wanted changes nothing: all of it asks, by a program. A person may be asked for
 * any experiment of the checks that are named, and of all checks where none is. */
static bool wishes_change_nothing(
	const struct wishes *wishes, const struct options *options, const struct checks *checks)
{
	bool by_name = wishes->n_yes && !wishes->invasive;
	size_t i, k;

	for (i = 0; i < checks->n; i++) {
		const struct check *check = checks->list[i];
		bool asked =
			!by_name && (!options->n_names || prompt_is_named(options, check->name));

		for (k = 0; k < check->n_experiments; k++)
			if (!check->experiments[k]->program && !check->experiments[k]->refused &&
				(asked ||
					wishes_name(
						wishes, check->name, check->experiments[k]->name)))
				return false;
	}
	return true;
}

int wishes_check(const struct wishes *wishes, const struct options *options, const char *program,
	const struct checks *checks)
{
	size_t i;
	int status = 0;

	if (!wishes)
		return 0;
	if (!wishes_any(wishes))
		return wishes->command || wishes->url || wishes->instance
			? misuse(program,
				  "--metric, --url and --instance are about experiments: "
				  "they need --invasive, --yes or --dry-run")
			: 0;
	if (options->replay || options->record || strcmp(options->root, "/") != 0)
		return misuse(program,
			"experiments are about this machine as it is now: not with "
			"--replay, --record or --root");
	if (wishes->command && wishes->url)
		return misuse(program, "--metric and --url exclude each other");
	for (i = 0; i < wishes->n_yes && !status; i++)
		status = check_yes(program, checks, wishes->yes[i]);
	if (status || wishes->dry_run)
		return status;
	if (geteuid() != 0 && !wishes_change_nothing(wishes, options, checks))
		return misuse(program,
			"an experiment may change the machine, so it needs root: run it "
			"with sudo; --dry-run shows what it would do");
	if (!wishes->n_yes && !experiment_prompt_possible())
		return misuse(program,
			"--invasive asks on a terminal, and there is none: name with "
			"--yes CHECK/EXPERIMENT what may be run");
	return 0;
}

bool experiment_prompt_ask(const struct str *question)
{
	static const char prompt[] = "Run it? [y/N] ";
	int fd = open(TERMINAL, O_RDWR | O_CLOEXEC | O_NOCTTY);
	char answer[ANSWER_MAX + 1] = "";
	ssize_t n = -1;

	if (fd < 0)
		return false;
	tcflush(fd, TCIFLUSH);
	if (write(fd, question->text, question->len) == (ssize_t)question->len &&
		write(fd, prompt, strlen(prompt)) == (ssize_t)strlen(prompt))
		n = read(fd, answer, ANSWER_MAX);
	close(fd);
	if (n <= 0 || progress_interrupted())
		return false;
	answer[strcspn(answer, "\r\n")] = 0;
	return !strcmp(answer, "y") || !strcmp(answer, "Y") || !strcmp(answer, "yes");
}

/* What all experiments of a run have in common. */
struct session {
	const struct wishes *wishes;
	const struct options *options;
	const struct check_layers *layers;
	struct capture *fs;
	struct watched watched;
	bool clean;   /* nothing is left changed */
	bool offered; /* any at all */
};

/* Those of a check that somebody asked for by its name, or that is accused. */
static bool is_offered(const struct session *session, const struct check_result *result)
{
	if (session->wishes->n_yes && !session->wishes->invasive)
		return false;
	return prompt_is_named(session->options, result->check->name) ||
		result->verdict == VERDICT_MAYBE || result->verdict == VERDICT_BAD;
}

/* The texts of the check file are those of the run's own check: a trial's are gone before the
 * report is written. */
static void prompt_add_texts(const struct check *check, struct experiment_result *out)
{
	size_t i;

	for (i = 0; i < check->n_experiments; i++) {
		if (strcmp(check->experiments[i]->name, out->name) != 0)
			continue;
		out->proves = check->experiments[i]->proves;
		out->however = check->experiments[i]->however;
	}
}

static struct experiment_result *new_result(struct check_result *result)
{
	result->experiments = mem_realloc_array(
		result->experiments, result->n_experiments + 1, sizeof(*result->experiments));
	return &result->experiments[result->n_experiments++];
}

static void run_one(struct session *session, struct check_result *result, struct trial *trial)
{
	struct experiment_result *out = new_result(result);

	trial_run(trial, out);
	if (!out->left)
		return;
	session->clean = false;
	fprintf(stderr, "tuesday: %s/%s: NOT PUT BACK: %s\n", result->check->name, out->name,
		out->left);
}

/* Asks where nobody has said yes, and runs it. */
static void offer(struct session *session, struct check_result *result, struct trial *trial)
{
	const struct wishes *wishes = session->wishes;
	bool yes = wishes_name(wishes, result->check->name, trial->plan.experiment->name);
	size_t before = result->n_experiments;
	struct str text = STR_INIT;

	experiment_plan_describe(&trial->plan, trial_observed(trial), &text);
	if (wishes->dry_run) {
		fwrite(text.text, 1, text.len, stdout);
	} else if (trial->plan.refused) {
		trial_not_run(trial, ANSWER_REFUSED, NULL, new_result(result));
	} else {
		if (yes && isatty(STDERR_FILENO))
			fwrite(text.text, 1, text.len, stderr);
		if (yes || experiment_prompt_ask(&text))
			run_one(session, result, trial);
		else
			trial_not_run(
				trial, ANSWER_DECLINED, "nobody said yes", new_result(result));
	}
	if (result->n_experiments > before)
		prompt_add_texts(result->check, &result->experiments[before]);
	str_free(&text);
}

/* Whom a person named, who is accused, or else the first that the run is about. The caller frees.
 */
static char *prompt_instance(const struct session *session, const struct check_result *result,
	const struct experiment *experiment)
{
	const char *only = session->options->only;
	char *accused;

	if (session->wishes->instance)
		return mem_strdup(session->wishes->instance);
	accused = experiment_instance(session->fs, result, experiment);
	if (*accused || !only || strpbrk(only, "*?["))
		return accused;
	free(accused);
	return mem_strndup(only, strcspn(only, " "));
}

static void run_those_of(struct session *session, struct check_result *result)
{
	const struct check *check = result->check;
	size_t i;

	for (i = 0; i < check->n_experiments && !progress_interrupted(); i++) {
		const struct experiment *experiment = check->experiments[i];
		struct trial trial;
		char *instance;
		bool there;

		if (!wishes_name(session->wishes, check->name, experiment->name) &&
			!is_offered(session, result))
			continue;
		session->offered = true;
		instance = prompt_instance(session, result, experiment);
		there = trial_open(&trial, session->fs, session->layers, check->name,
			experiment->name, instance, &session->watched);
		free(instance);
		if (there) {
			offer(session, result, &trial);
			trial_close(&trial);
		} else {
			fprintf(stderr, "tuesday: %s/%s: its check file changed: not run\n",
				check->name, experiment->name);
		}
	}
	experiments_judge(result);
}

static void tell_none_offered(const struct options *options, const struct report *report)
{
	bool one = options->n_names == 1 && report->n_checks == 1;

	if (one && !report->checks[0].check->n_experiments)
		fprintf(stderr, "tuesday: no experiment is offered: the check '%s' has none\n",
			report->checks[0].check->name);
	else if (one)
		fprintf(stderr,
			"tuesday: no experiment is offered: the check '%s' is skipped here\n",
			report->checks[0].check->name);
	else
		fprintf(stderr,
			"tuesday: no experiment is offered: nothing is accused that has "
			"one; name a check to see those that it has\n");
}

bool experiments_run(const struct wishes *wishes, const struct options *options,
	const struct check_layers *layers, struct capture *fs, struct report *report)
{
	struct session session = {
		.wishes = wishes,
		.options = options,
		.layers = layers,
		.fs = fs,
		.watched = {wishes->command, wishes->url, wishes->dry_run},
		.clean = true,
	};
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict != VERDICT_SKIP)
			run_those_of(&session, &report->checks[i]);
	if (!session.offered && !progress_interrupted())
		tell_none_offered(options, report);
	return session.clean;
}
