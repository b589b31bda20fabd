/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes of one experiment on this machine? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/own_name.h"
#include "check/check.h"
#include "experiment/ab_test.h"
#include "check/experiment.h"
#include "experiment/program.h"
#include "experiment/trial.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "report/report.h"
#include "sample/sweep.h"
#include "base/str.h"
#include "capture/environment.h"
#include "check/layers.h"
#include "experiment/undo_log.h"
#include "experiment/change.h"
#include "experiment/trial_text.h"
#include "expr/condition.h"
#include "expr/eval.h"

#define GUARD "guard"
#define SAMPLE_SECONDS 1.0

/* For so long after a turn guards leave it to the cost of turning, if it settles for as long. */
#define TURN_COST_SECONDS 5
/* A command may take this many times as long as when it was tried. */
#define COMMAND_LONGER 1.5
/* Time that is left for putting back: that of so many turns, and at least so long. */
#define LEFT_TURNS 3
#define LEFT_SECONDS 2

/* What a tick ends a course with, beside what the change says. */
enum { ENDED_BY_GUARD = 1, ENDED_BY_SIGNAL = 2, ENDED_BY_TIME = 3 };

static int trial_take_sample(struct trial *trial)
{
	double now = monotonic_seconds();
	int err = sweep_take(trial->sweep);

	if (trial->change)
		trial->watched[trial->on] += now - fmax(trial->last_sample, trial->turned_at);
	trial->last_sample = now;
	if (err)
		str_addf(&trial->why, "no more samples: %s", strerror(-err));
	return err;
}

/* What was said it takes at most is kept, whatever the machine makes of the phases. */
static bool trial_time_is_over(const struct trial *trial)
{
	double left = fmax(LEFT_SECONDS, LEFT_TURNS * trial->turning);

	return trial->change &&
		monotonic_seconds() + left >= trial->began + trial->plan.change.seconds;
}

/* Reasons to end that are not the machine's. Returns 0 or one. */
static int trial_why_end(struct trial *trial)
{
	if (progress_interrupted()) {
		str_clear(&trial->why);
		str_add(&trial->why, "interrupted");
		return ENDED_BY_SIGNAL;
	}
	if (!trial_time_is_over(trial))
		return 0;
	str_clear(&trial->why);
	str_add(&trial->why, "its time is over");
	return ENDED_BY_TIME;
}

static bool trial_guard_ends_it(struct trial *trial)
{
	bool settles = trial->plan.experiment->settle_seconds >= TURN_COST_SECONDS;

	if (settles && trial->turned && trial->last_sample < trial->turned_at + TURN_COST_SECONDS)
		stop_conditions_begin_anew(&trial->guards);
	return !trial->proving && stop_conditions_met(&trial->guards, trial->turned, &trial->why);
}

/* Once a second everything that could be a reason to end is looked at. */
static int trial_tick(void *arg, bool now)
{
	struct trial *trial = arg;
	bool due = monotonic_seconds() - trial->last_sample >= SAMPLE_SECONDS;
	int err = trial_why_end(trial);

	if (err || (!due && !now))
		return err;
	err = trial_take_sample(trial);
	if (!err && due && trial_guard_ends_it(trial))
		return ENDED_BY_GUARD;
	if (!err && due && trial->change)
		err = change_verify(trial->change, &trial->why);
	return err;
}

static int turn(void *arg, bool on)
{
	struct trial *trial = arg;
	double began = monotonic_seconds();
	int err = on ? trial_why_end(trial) : 0;

	if (err)
		return err;
	err = on ? change_apply(trial->change, &trial->why)
		 : change_revert(trial->change, &trial->why);
	if (on != trial->on)
		trial->turned_at = monotonic_seconds();
	trial->turning = fmax(trial->turning, monotonic_seconds() - began);
	trial->turned |= on;
	trial->on = on && !err;
	return err;
}

static int trial_measure(void *arg, bool settle, double *value)
{
	struct trial *trial = arg;
	int err = 0;

	if (settle)
		err = observer_wait(&trial->observer, trial->plan.experiment->settle_seconds);
	return err ? err : observe(&trial->observer, value);
}

/* Conditions under which its own section does not want it to be run. */
static void check_refusals(struct trial *trial)
{
	const struct experiment_rules *rules = &trial->plan.experiment->refuse;
	struct expr_context context = {
		.check = trial->plan.check->name,
		.sweep = trial->sweep,
		.to = sweep_samples(trial->sweep) - 1,
		.cpus = trial->cpus,
	};
	struct str why = STR_INIT;
	size_t i;

	for (i = 0; i < rules->n && !trial->plan.refused; i++) {
		const struct experiment_rule *rule = &rules->list[i];
		int holds = condition_holds(rule->when, &context, trial->plan.instance);

		if (holds > 0)
			trial->plan.refused = mem_strdup(rule->say);
		else if (holds < 0)
			trial->plan.refused =
				mem_printf("it cannot be told whether %s: %s has no value",
					rule->say, rule->when_text);
	}
	if (!trial->plan.refused && !stop_conditions_can_look(&trial->guards, &why))
		trial->plan.refused = mem_strdup(str_text(&why));
	str_free(&why);
}

static void set_observer(struct trial *trial, const struct watched *watched)
{
	struct observer *observer = &trial->observer;
	struct str why = STR_INIT;
	struct bytes hosts = {0};
	char *text = NULL;

	*observer = (struct observer){
		.expr = trial->plan.experiment->observe,
		.sweep = trial->sweep,
		.check = trial->plan.check->name,
		.instance = trial->plan.instance,
		.cpus = trial->cpus,
		.command = watched->command,
		.seconds = trial->plan.measure_seconds,
		.tick = trial_tick,
		.arg = trial,
	};
	if (trial->plan.experiment->program)
		return;
	if (!watched->command && !watched->url && trial->plan.experiment->metric) {
		own_command(&trial->command, trial->plan.experiment->metric, true);
		observer->command = str_text(&trial->command);
	}
	if (watched->url) {
		if (!capture_read_once(trial->fs, "/etc/hosts", &hosts))
			text = mem_strndup(hosts.data, hosts.len);
		if (http_server_find(&observer->server, watched->url, text, &why) &&
			!trial->plan.refused)
			trial->plan.refused = mem_printf("--url: %s", str_text(&why));
		free(text);
	} else if (!observer->command && !observer->expr && !trial->plan.refused) {
		trial->plan.refused =
			mem_strdup("nothing is watched: name a number with --metric or --url");
	}
	str_free(&why);
}

static const struct experiment *trial_find_experiment(const struct check *check, const char *name)
{
	size_t i;

	for (i = 0; check && i < check->n_experiments; i++)
		if (!strcmp(check->experiments[i]->name, name))
			return check->experiments[i];
	return NULL;
}

/* Two samples, so that what is a rate has a value where it has to be known before. */
static void sample_twice(struct trial *trial)
{
	const struct experiment *experiment = trial->plan.experiment;
	double seconds = experiment->refuse.n || experiment->guards.n ? SAMPLE_SECONDS : 0;

	guards_bind(&trial->guards, trial->sweep);
	sweep_open(trial->sweep, trial->fs);
	if (trial_take_sample(trial) || observer_wait(&trial->observer, seconds) ||
		trial_take_sample(trial)) {
		free(trial->plan.refused);
		trial->plan.refused = mem_strdup(str_text(&trial->why));
	}
}

/* How long a phase is that a command measures shows only when it is run. */
static void trial_time_command(struct trial *trial)
{
	double began = monotonic_seconds(), value, took;
	int err = observe(&trial->observer, &value);

	took = (monotonic_seconds() - began) * COMMAND_LONGER;
	if (!err && took > trial->plan.measure_seconds)
		experiment_plan_measure(&trial->plan, took);
	str_clear(&trial->why);
}

bool trial_open(struct trial *trial, struct capture *fs, const struct check_layers *layers,
	const char *check_name, const char *experiment_name, const char *instance,
	const struct watched *watched)
{
	const char *names[] = {check_name, GUARD};
	struct check_layers two = *layers;
	const struct experiment *experiment;
	const struct check *check;
	unsigned int cpus = machine_cpus(fs);

	two.only = two.asked = names;
	two.n_only = two.n_asked = 2;
	*trial = (struct trial){.fs = fs, .cpus = cpus ? cpus : (double)NAN, .after = NAN};
	trial->checks = checks_load(&two);
	check = checks_find(trial->checks, check_name);
	experiment = trial_find_experiment(check, experiment_name);
	if (!experiment) {
		checks_free(trial->checks);
		return false;
	}
	trial->sweep = sweep_new();
	experiment_plan_make(&trial->plan, fs, check, experiment, instance,
		experiment->program ? watched->url : NULL);
	trial->guards = (struct stop_conditions){
		.experiment = trial->plan.experiment,
		.check = check,
		.guard = checks_find(trial->checks, GUARD),
		.instance = trial->plan.instance,
		.fs = fs,
		.sweep = trial->sweep,
		.cpus = trial->cpus,
	};
	stop_conditions_open(&trial->guards);
	set_observer(trial, watched);
	if (!trial->plan.refused)
		sample_twice(trial);
	if (!trial->plan.refused)
		check_refusals(trial);
	if (!trial->plan.refused && trial->observer.command && !watched->dry_run)
		trial_time_command(trial);
	return true;
}

void trial_close(struct trial *trial)
{
	stop_conditions_close(&trial->guards);
	observer_free(&trial->observer);
	experiment_plan_free(&trial->plan);
	checks_free(trial->checks);
	sweep_free(trial->sweep);
	str_free(&trial->why);
	str_free(&trial->command);
}

static uint64_t random_seed(void)
{
	uint64_t seed = 0;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint64_t)(monotonic_seconds() * 1e9);
	return seed;
}

/* Puts it back, and says so where it is not. Somebody else's value is no mark of ours. */
static void trial_put_back(struct trial *trial, struct experiment_result *out)
{
	struct str why = STR_INIT;
	int err;

	if (!trial->change)
		return;
	if (change_old(trial->change, 0) && trial->plan.change.kind == CHANGE_COMMANDS) {
		free(out->from);
		out->from = mem_strdup(change_old(trial->change, 0));
	}
	err = change_end(trial->change, &why);
	trial->change = NULL;
	if (err == -ESTALE)
		experiment_note(out, str_text(&why));
	else if (err)
		out->left = mem_strdup(why.len ? why.text : strerror(-err));
	str_free(&why);
}

/* Whether all that the guard judged was with the change in force. */
static bool trial_guard_saw_change(const struct trial *trial)
{
	return trial->guards.ended_by && trial->on &&
		monotonic_seconds() - trial->turned_at >= STOP_CONDITIONS_WINDOWS * SAMPLE_SECONDS;
}

/* Watches until what a guard saw is over, and for long enough. Returns whether it was over. */
static bool trial_watch_on(struct trial *trial)
{
	double settle = fmax(
		trial->plan.experiment->settle_seconds, STOP_CONDITIONS_WINDOWS * SAMPLE_SECONDS);
	double wanted = AB_TEST_ALONE * trial->watched[true], value;
	bool over = true;

	if (observer_wait(&trial->observer, settle))
		return false;
	stop_conditions_begin_anew(&trial->guards);
	do {
		if (observer_wait(&trial->observer, SAMPLE_SECONDS))
			return false;
		over = stop_conditions_over(&trial->guards, &value);
		if (!isnan(value))
			trial->after = fmax(value, isnan(trial->after) ? value : trial->after);
	} while (isnan(value) || (over && trial->watched[false] < wanted));
	return over;
}

/*
 * A guard has ended it: the machine does not bear to be without. The knob is put back at once, and
 * that is an answer if the harm was there only while it was turned: not during the control, not
 * in any phase without the change, and not any more now. What comes by itself does not keep to that
 * where it was watched for AB_TEST_ALONE times as long without the change as with it.
 */
static void trial_ask_guard(struct trial *trial, struct ab_test *course)
{
	struct str why = STR_INIT;
	bool saw = trial_guard_saw_change(trial), over;

	str_add(&why, str_text(&trial->why));
	if (saw && !turn(trial, false)) {
		trial->proving = true;
		over = trial_watch_on(trial);
		if (over) {
			course->end = AB_TEST_GUARD;
			course->answer = ANSWER_CHANGED;
			course->error = 0;
		} else if (!isnan(trial->after)) {
			str_add(&why, ", and it went on when it was put back");
		}
		str_clear(&trial->why);
		str_add(&trial->why, str_text(&why));
	}
	str_free(&why);
}

static void run_ab_test(struct trial *trial, struct ab_test *course)
{
	const struct experiment *experiment = trial->plan.experiment;
	const struct ab_test_plan plan = {
		.margin = experiment->margin,
		.lower_is_better = experiment->lower_is_better,
		.rounds = experiment->rounds,
		.bound = experiment->bound,
		.seed = random_seed(),
		.turn = turn,
		.measure = trial_measure,
		.progress = trial_show_progress,
		.arg = trial,
	};

	trial->course = course;
	ab_test_run(&plan, course);
	if (course->error == ENDED_BY_GUARD)
		trial_ask_guard(trial, course);
	progress_end();
}

void trial_run(struct trial *trial, struct experiment_result *out)
{
	struct ab_test course = {.answer = ANSWER_INCONCLUSIVE};
	int err;

	if (trial->plan.program) {
		trial_describe(trial, out);
		program_run(&trial->plan, out);
		return;
	}
	trial->began = monotonic_seconds();
	err = change_begin(&trial->change, &trial->plan.change, &trial->why);

	if (err) {
		trial_not_run(trial, ANSWER_REFUSED,
			trial->why.len ? trial->why.text : strerror(-err), out);
		return;
	}
	run_ab_test(trial, &course);
	trial_describe(trial, out);
	trial_put_back(trial, out);
	out->seconds = monotonic_seconds() - trial->began;
	out->turned = trial->turned;
	trial_answer(trial, &course, out);
	stop_conditions_note(&trial->guards, experiment_note, out);
	if (!trial->guards.guard)
		experiment_note(out,
			"there is no check 'guard', or it is switched off: nobody watched the "
			"pressure");
	if (out->clears && course.answer == ANSWER_SAME && !(course.before > 0))
		experiment_note(
			out, "the watched number was 0: nothing was at work, which clears nothing");
	if (course.empty)
		experiment_note(out, "some phases had no number");
}
