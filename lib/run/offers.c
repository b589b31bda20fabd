/* SPDX-License-Identifier: GPL-2.0-only */
/* Which experiment would say more of what is maybe or bad, and how is it run? */
#include "base/banned.h"

#include <unistd.h>

#include "base/own_name.h"
#include "base/shellquote.h"
#include "base/str.h"
#include "capture/capture.h"
#include "check/check.h"
#include "check/experiment.h"
#include "experiment/plan.h"
#include "report/report.h"
#include "run/experiment_about.h"
#include "run/offers.h"
#include "run/options.h"
#include "run/select.h"

static bool was_run(const struct check_result *result, const char *name)
{
	size_t i;

	for (i = 0; i < result->n_experiments; i++)
		if (!strcmp(result->experiments[i].name, name))
			return true;
	return false;
}

/* For a shell; NULL where a name is none that a person should paste. The caller frees. */
static char *offer_command(const struct options *options, const struct check *check,
	const struct experiment *experiment, const char *instance)
{
	bool sudo = geteuid() != 0 && !experiment->program, sound = true;
	struct str out = STR_INIT;
	char *command;
	size_t i;

	/* Of what its own tool looks at, a plain run knows nothing. */
	command = mem_printf("%s%s%s --yes %s/%s", check->of_files ? "" : "tuesday run ",
		check->name, check->of_files ? "health" : "", check->name, experiment->name);
	str_add(&out, sudo ? "sudo " : "");
	own_command(&out, command, sudo);
	free(command);
	for (i = 0; i < options->n_dirs && sound; i++) {
		str_add(&out, " -c ");
		sound = shellquote_add(&out, options->dirs[i]);
	}
	if (sound && experiment_wants_instance(experiment)) {
		str_add(&out, " --instance ");
		sound = shellquote_add(&out, instance);
	}
	if (sound)
		return str_take(&out);
	str_free(&out);
	return NULL;
}

static void offer_add(
	struct check_result *result, const struct experiment_plan *plan, char *command)
{
	const struct experiment *experiment = plan->experiment;
	size_t at = result->n_offers;

	result->offers =
		mem_realloc_array(result->offers, result->n_offers + 1, sizeof(*result->offers));
	for (; experiment->clears && at && !result->offers[at - 1].clears; at--)
		result->offers[at] = result->offers[at - 1];
	result->offers[at] = (struct experiment_offer){
		.experiment = mem_printf("%s/%s", plan->check->name, experiment->name),
		.command = command,
		.seconds = plan->change.seconds,
		.risk = experiment->risk,
		.clears = experiment->clears,
		.changes = !experiment->program,
		.question = experiment->question ? mem_strdup(experiment->question) : NULL,
		.warning = experiment->warning ? mem_strdup(experiment->warning) : NULL,
	};
	result->n_offers++;
}

static void offers_of_one(const struct options *options, struct check_result *result,
	const struct check *check, const struct experiment *experiment, struct capture *fs)
{
	char *instance = experiment_instance(fs, result, experiment), *command = NULL;
	struct experiment_plan plan;

	experiment_plan_make(&plan, fs, check, experiment, instance, NULL);
	if (!plan.refused)
		command = offer_command(options, check, experiment, instance);
	if (command)
		offer_add(result, &plan, command);
	experiment_plan_free(&plan);
	free(instance);
}

static bool offers_may(
	const struct options *options, struct capture *fs, const struct report *report)
{
	return !options->cron && options->wishes && !report->under_way && capture_is_live(fs) &&
		!strcmp(options->root, "/");
}

static bool offers_accused(const struct check_result *result)
{
	return result->verdict == VERDICT_MAYBE || result->verdict == VERDICT_BAD;
}

static void offers_of(const struct options *options, struct check_result *result,
	const struct check *check, struct capture *fs)
{
	size_t i;

	for (i = 0; i < check->n_experiments; i++)
		if (experiment_runs_as_it_is(check->experiments[i]) &&
			!was_run(result, check->experiments[i]->name))
			offers_of_one(options, result, check, check->experiments[i], fs);
}

/* A run reads no experiment of a shipped check, so that a machine that is well pays for none. */
void offers_make(const struct options *options, struct capture *fs, struct report *report)
{
	const char **names;
	struct checks *checks;
	size_t i, n = 0;

	if (!offers_may(options, fs, report))
		return;
	names = mem_realloc_array(NULL, report->n_checks + 1, sizeof(*names));
	for (i = 0; i < report->n_checks; i++)
		if (offers_accused(&report->checks[i]))
			names[n++] = report->checks[i].check->name;
	checks = n ? run_load(options, names, n) : NULL;
	for (i = 0; checks && i < report->n_checks; i++) {
		struct check_result *result = &report->checks[i];
		const struct check *check =
			offers_accused(result) ? checks_find(checks, result->check->name) : NULL;

		if (check)
			offers_of(options, result, check, fs);
	}
	if (checks)
		checks_free(checks);
	free(names);
}
