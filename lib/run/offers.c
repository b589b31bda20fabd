/* SPDX-License-Identifier: GPL-2.0-only */
/* Which experiment would say more of what is maybe or bad, and how is it run? */
#include "base/banned.h"

#include <unistd.h>

#include "base/shellquote.h"
#include "base/str.h"
#include "capture/capture.h"
#include "check/check.h"
#include "check/experiment.h"
#include "experiment/plan.h"
#include "report/report.h"
#include "run/experiment_prompt.h"
#include "run/offers.h"
#include "run/options.h"

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
	struct str out = STR_INIT;
	bool sound = true;
	size_t i;

	/* Of what its own tool looks at, a plain run knows nothing. */
	str_addf(&out, "%s%s%s%s --yes %s/%s", geteuid() ? "sudo " : "",
		check->of_files ? "" : "tuesday run ", check->name, check->of_files ? "health" : "",
		check->name, experiment->name);
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
		.question = experiment->question,
		.warning = experiment->warning,
	};
	result->n_offers++;
}

static void offers_of(
	const struct options *options, struct check_result *result, struct capture *fs)
{
	const struct check *check = result->check;
	size_t i;

	for (i = 0; i < check->n_experiments; i++) {
		const struct experiment *experiment = check->experiments[i];
		const char *instance = experiment_instance(fs, result, experiment);
		struct experiment_plan plan;
		char *command = NULL;

		if ((!experiment->observe && !experiment->program) ||
			was_run(result, experiment->name))
			continue;
		experiment_plan_make(&plan, fs, check, experiment, instance, NULL);
		if (!plan.refused)
			command = offer_command(options, check, experiment, instance);
		if (command)
			offer_add(result, &plan, command);
		experiment_plan_free(&plan);
	}
}

void offers_make(const struct options *options, struct capture *fs, struct report *report)
{
	size_t i;

	if (options->cron || !options->wishes || report->under_way || !capture_is_live(fs) ||
		strcmp(options->root, "/") != 0)
		return;
	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == VERDICT_MAYBE ||
			report->checks[i].verdict == VERDICT_BAD)
			offers_of(options, &report->checks[i], fs);
}
