/* SPDX-License-Identifier: GPL-2.0-only */
/* How is an experiment's answer said, while it goes on and when it has ended? */
#include "base/banned.h"

#include <math.h>

#include "experiment/ab_test.h"
#include "check/experiment.h"
#include "experiment/trial.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/unit.h"
#include "check/check.h"
#include "experiment/plan_text.h"
#include "experiment/trial_text.h"

static void add_percent(struct str *out, double ratio)
{
	if (isinf(ratio))
		str_add(out, "any");
	else if (fabs(ratio) >= 0.1)
		str_addf(out, "%.0f", 100 * ratio);
	else
		str_addf(out, "%.2g", fabs(ratio) < 0.0005 ? 0 : 100 * ratio);
}

const char *trial_observed(const struct trial *trial)
{
	if (trial->observer.command)
		return trial->observer.command;
	if (trial->observer.server.address_len)
		return trial->observer.server.url.authority;
	return trial->plan.experiment->observe_text ? trial->plan.experiment->observe_text : "";
}

void trial_show_progress(void *arg, const struct ab_test *course)
{
	struct trial *trial = arg;
	const struct experiment *experiment = trial->plan.experiment;
	struct str text = STR_INIT;
	unsigned int all = course->in_control ? EXPERIMENT_CONTROL_PAIRS : experiment->rounds;
	unsigned int done = course->in_control ? course->control_pairs : course->pairs;

	str_addf(&text, "%s/%s: ", trial->plan.check->name, experiment->name);
	if (course->in_control) {
		str_add(&text, "control, nothing is changed:");
	} else if (isnan(course->effect)) {
		str_add(&text, "pairs:");
	} else {
		str_addf(&text, "pair %u, ", course->pairs);
		add_percent(&text, fabs(course->effect));
		str_addf(&text, " %% %s", course->effect < 0 ? "worse" : "better");
		if (!isnan(course->low) && !isnan(course->high)) {
			str_add(&text, " (95 %: ");
			add_percent(&text, course->low);
			str_add(&text, " to ");
			add_percent(&text, course->high);
			str_addc(&text, ')');
		}
		str_add(&text, ", of the most that it may take:");
	}
	progress_show(str_text(&text), (double)done / all);
	str_free(&text);
}

void experiment_note(void *arg, const char *text)
{
	struct experiment_result *out = arg;

	out->notes = mem_realloc_array(out->notes, out->n_notes + 1, sizeof(*out->notes));
	out->notes[out->n_notes++] = mem_strdup(text);
}

void trial_describe(const struct trial *trial, struct experiment_result *out)
{
	const struct experiment_plan *plan = &trial->plan;

	*out = (struct experiment_result){.before = NAN,
		.meanwhile = NAN,
		.effect = NAN,
		.low = NAN,
		.high = NAN,
		.margin = plan->experiment->margin,
		.most_seconds = plan->change.seconds,
		.risk = plan->experiment->risk,
		.clears = plan->experiment->clears};
	out->name = mem_strdup(plan->experiment->name);
	out->instance = mem_strdup(plan->instance);
	out->observed = mem_strdup(trial_observed(trial));
	if (plan->change.n_files)
		out->knob = mem_strdup(plan->files[0].path);
	else if (plan->apply || plan->device)
		out->knob = mem_strdup(plan->apply ? plan->apply : plan->device);
	out->from = plan->from ? mem_strdup(plan->from) : NULL;
	out->to = plan->becomes ? mem_strdup(plan->becomes) : NULL;
}

void trial_not_run(const struct trial *trial, enum answer answer, const char *why,
	struct experiment_result *out)
{
	struct str text = STR_INIT;

	trial_describe(trial, out);
	out->answer = answer;
	out->why = mem_strdup(why ? why : trial->plan.refused);
	str_addf(&text, "%s not run: %s", out->name, out->why);
	out->summary = str_take(&text);
}

/* Why there is no answer; NULL where there is one. */
static char *explain_end(const struct trial *trial, const struct ab_test *course)
{
	if (course->answer != ANSWER_INCONCLUSIVE)
		return NULL;
	switch (course->end) {
	case AB_TEST_NOT_QUIET:
		return mem_strdup(
			"the machine is not quiet: without any change the number differed "
			"as much");
	case AB_TEST_NO_NUMBER:
		return mem_printf("the watched number was none: %s",
			trial->observer.why.len ? trial->observer.why.text : "it was negative");
	case AB_TEST_BOUND:
		return mem_printf("ended early: the watched number got worse than its bound, x%g, "
				  "and it is not clear that the change did it",
			trial->plan.experiment->bound);
	case AB_TEST_BROKEN:
		return mem_printf("ended early: %s",
			trial->why.len ? trial->why.text : strerror(abs(course->error)));
	case AB_TEST_ROUNDS:
		return mem_strdup("no clear answer");
	case AB_TEST_GUARD:
	case AB_TEST_DECIDED:
		break;
	}
	return NULL;
}

static void add_interval(struct str *out, const struct ab_test *course, double sign)
{
	double low = sign < 0 ? -course->high : course->low;
	double high = sign < 0 ? -course->low : course->high;

	if (isnan(low))
		return;
	str_add(out, " (95 %: ");
	add_percent(out, low);
	if (isnan(high)) {
		str_add(out, " at least)");
		return;
	}
	str_add(out, " to ");
	add_percent(out, high);
	str_addc(out, ')');
}

/* The phrase of the check file with the effect in its place: "reads 31 % faster". What it says of a
 * number of its own would be untrue of another one. */
static void add_effect(struct str *out, const struct trial *trial, double effect)
{
	const struct experiment *experiment = trial->plan.experiment;
	bool other = trial->observer.command || trial->observer.server.address_len;
	const char *phrase = effect < 0 ? experiment->say_worse : experiment->say;
	const char *at;

	if (!phrase || (other && experiment->observe))
		phrase = effect < 0 ? "{effect} worse" : "{effect} better";
	at = strstr(phrase, "{effect}");
	str_addn(out, phrase, (size_t)(at - phrase));
	add_percent(out, fabs(effect));
	str_add(out, " %");
	str_add(out, at + strlen("{effect}"));
}

/* The answer of a guard: what it saw, and that it saw it only while the knob was turned. */
static void add_guard(struct str *out, const struct trial *trial)
{
	const struct stop_conditions *guards = &trial->guards;

	str_addf(out, "worse: %s (", str_text(&guards->said));
	value_for_people(out, fmax(guards->ended_before, trial->after), guards->ended_by->unit);
	str_add(out, " at most in ");
	value_for_people(out, trial->watched[false], UNIT_SECONDS);
	str_add(out, " without the change, before and after)");
}

/* What the answer says of the part that was taken away, for who knows no more than its name. */
static void trial_add_conclusion(
	struct str *out, const struct experiment *experiment, const struct ab_test *course)
{
	if (!experiment->takes_away || course->answer == ANSWER_INCONCLUSIVE)
		return;
	str_addf(out, ": %s %s", experiment->takes_away,
		course->answer == ANSWER_SAME ? "neither helps nor harms"
			: course->effect > 0 && course->end != AB_TEST_GUARD ? "harms"
									     : "helps");
}

static char *trial_summarize(
	const struct trial *trial, const struct ab_test *course, const char *why)
{
	const struct experiment *experiment = trial->plan.experiment;
	struct str out = STR_INIT;

	experiment_plan_headline(&trial->plan, &out);
	str_add(&out, ": ");
	if (course->answer == ANSWER_SAME) {
		str_addf(&out, "the same within %g %%", experiment->margin * 100);
		add_interval(&out, course, 1);
	} else if (course->answer == ANSWER_CHANGED && course->end == AB_TEST_GUARD) {
		add_guard(&out, trial);
	} else if (course->answer == ANSWER_CHANGED) {
		add_effect(&out, trial, course->effect);
		add_interval(&out, course, course->effect);
	} else {
		str_addf(&out, "inconclusive, %s", why);
		if (course->pairs && !isnan(course->effect)) {
			str_add(&out, "; until then ");
			add_effect(&out, trial, course->effect);
			add_interval(&out, course, course->effect);
		}
	}
	if (course->pairs)
		str_addf(&out, ", %u pair%s", course->pairs, course->pairs == 1 ? "" : "s");
	if (course->answer == ANSWER_CHANGED && course->end == AB_TEST_BOUND)
		str_add(&out, ", in one phase, which ended it");
	trial_add_conclusion(&out, experiment, course);
	return str_take(&out);
}

void trial_answer(
	const struct trial *trial, const struct ab_test *course, struct experiment_result *out)
{
	out->answer = course->answer;
	out->better = course->effect > 0;
	/* A guard saw harm: what the watched number did meanwhile is not its answer. */
	if (course->end == AB_TEST_GUARD)
		out->better = false;
	out->before = course->before;
	out->meanwhile = course->meanwhile;
	out->effect = course->end == AB_TEST_GUARD ? (double)NAN : course->effect;
	out->low = course->end == AB_TEST_GUARD ? (double)NAN : course->low;
	out->high = course->end == AB_TEST_GUARD ? (double)NAN : course->high;
	out->pairs = course->pairs;
	out->control_pairs = course->control_pairs;
	out->why = explain_end(trial, course);
	out->summary = trial_summarize(trial, course, out->why);
}
