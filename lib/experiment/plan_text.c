/* SPDX-License-Identifier: GPL-2.0-only */
/* What should a person know before saying yes? */
#include "base/banned.h"
#include "check/check.h"
#include "base/escape.h"
#include "check/experiment.h"
#include "experiment/plan.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "base/terminal.h"
#include "base/wrap.h"
#include "experiment/undo_log.h"
#include "experiment/change.h"
#include "experiment/plan_text.h"
#include "experiment/program.h"

/* Where a value begins, below its label. */
#define VALUE_COLUMN 12

/* "read_ahead_kb" for a path, the first word for a command. */
static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *plan_label_of(const struct experiment *experiment)
{
	if (experiment->label)
		return experiment->label;
	if (experiment->knob)
		return last_part(experiment->knob);
	return experiment->hold ? last_part(experiment->hold) : experiment->name;
}

void experiment_plan_headline(const struct experiment_plan *plan, struct str *out)
{
	str_add(out, plan_label_of(plan->experiment));
	if (plan->from && *plan->from)
		str_addf(out, " %s →", plan->from);
	if (plan->becomes && *plan->becomes)
		str_addf(out, " %s", plan->becomes);
	if (*plan->instance)
		str_addf(out, " on %s", plan->instance);
}

static void plan_add_line(struct str *out, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* All of it: root says yes to what stands here, and to nothing that was cut off. */
static void plan_add_line(struct str *out, const char *label, const char *format, ...)
{
	struct str text = STR_INIT, shown = STR_INIT;
	va_list args;

	va_start(args, format);
	str_addv(&text, format, args);
	va_end(args);
	str_addf(out, "  %-10s", label);
	escape_terminal(&shown, str_text(&text));
	wrap_whole(out, terminal_columns(), VALUE_COLUMN, str_text(&shown));
	str_free(&shown);
	str_free(&text);
}

static void describe_files(const struct experiment_plan *plan, struct str *out)
{
	const struct change_plan *change = &plan->change;
	size_t i;

	plan_add_line(out, "changes", "%s from %s to %s", plan_label_of(plan->experiment),
		plan->from, plan->becomes);
	for (i = 0; i < change->n_files && i < 4; i++)
		plan_add_line(out, "", "%s%s", change->files[i].path,
			change->files[i].to ? "" : " (goes with it)");
	if (change->n_files > i)
		plan_add_line(out, "", "and %zu more of %s%s%s", change->n_files - i,
			plan->experiment->knob, plan->experiment->also ? " and " : "",
			plan->experiment->also ? plan->experiment->also : "");
	plan_add_line(out, "puts back", "%s",
		plan->experiment->undo ? plan->experiment->undo : plan->from);
}

static void describe_commands(const struct experiment_plan *plan, struct str *out)
{
	plan_add_line(out, "changes",
		"%s%s%s, by commands that are run as root:", plan_label_of(plan->experiment),
		plan->becomes ? " to " : "", plan->becomes ? plan->becomes : "");
	plan_add_line(out, "", "%s", plan->apply);
	plan_add_line(out, "puts back", "what this printed: %s", plan->save);
	plan_add_line(out, "", "%s", plan->restore);
}

static void describe_program(const struct experiment_plan *plan, struct str *out)
{
	struct str command = STR_INIT, at_most = STR_INIT;

	program_command(plan, &command);
	value_for_people(&at_most, plan->change.seconds, UNIT_SECONDS);
	plan_add_line(out, "changes", "nothing: it asks, by %s", str_text(&command));
	plan_add_line(out, "puts back", "nothing, for nothing is changed");
	plan_add_line(out, "takes", "%s at most", str_text(&at_most));
	str_free(&command);
	str_free(&at_most);
}

static void describe_course(
	const struct experiment_plan *plan, const char *observed, struct str *out)
{
	const struct experiment *experiment = plan->experiment;
	struct str at_most = STR_INIT;

	value_for_people(&at_most, plan->change.seconds, UNIT_SECONDS);
	plan_add_line(out, "watches", "%s; %s is better; smallest effect of interest: %g %%",
		observed, experiment->lower_is_better ? "lower" : "higher",
		experiment->margin * 100);
	plan_add_line(out, "takes",
		"%s at most, then it is ended and put back: %d pairs without a change, then up to "
		"%u with it, each phase %.3g s after %g s",
		str_text(&at_most), EXPERIMENT_CONTROL_PAIRS, experiment->rounds,
		plan->measure_seconds, experiment->settle_seconds);
	str_free(&at_most);
}

void experiment_plan_describe(
	const struct experiment_plan *plan, const char *observed, struct str *out)
{
	const struct experiment *experiment = plan->experiment;
	size_t i;

	str_addf(out, "Experiment %s/%s", plan->check->name, experiment->name);
	if (experiment->question) {
		str_add(out, ": ");
		escape_terminal(out, experiment->question);
	}
	str_addc(out, '\n');
	if (plan->refused) {
		plan_add_line(out, "refused", "%s", plan->refused);
		return;
	}
	if (plan->program)
		describe_program(plan, out);
	else if (plan->change.kind == CHANGE_FILES)
		describe_files(plan, out);
	else if (plan->change.kind == CHANGE_COMMANDS)
		describe_commands(plan, out);
	else
		plan_add_line(out, "changes",
			"%s: %s is held open with %s; closing it puts it back",
			plan_label_of(experiment), plan->device, plan->becomes);
	if (!plan->program)
		describe_course(plan, observed, out);
	plan_add_line(out, "risk", "%d of %d: %s", experiment->risk, EXPERIMENT_RISK_MAX,
		experiment_risk_text(experiment->risk));
	if (experiment->warning)
		plan_add_line(out, "warning", "%s", experiment->warning);
	if (plan->program)
		return;
	for (i = 0; i < experiment->guards.n; i++)
		plan_add_line(out, i ? "" : "ends if", "%s", experiment->guards.list[i].when_text);
	plan_add_line(out, i ? "or if" : "ends if",
		"the number is worse by x%g, or by what 'tuesday explain guard' says",
		experiment->bound);
}
