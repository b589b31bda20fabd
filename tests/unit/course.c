/* SPDX-License-Identifier: GPL-2.0-only */
/* Does an experiment find what is there, and nothing else? With a simulated machine, no time. */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "check/experiment.h"
#include "experiment/ab_test.h"
#include "tap.h"
#include "tests/unit/random.h"
#include "stats/random.h"

/* A machine with a knob. Its number is 100, changed by effect while the knob is turned. */
struct machine {
	struct stats_random random;
	double effect; /* factor */
	double noise;  /* relative */
	double drift;  /* relative, per phase */
	bool on;
	unsigned int phases, turns;
	bool settled_wrong;	     /* the control settled, or a pair did not */
	unsigned int none_from;	     /* from this phase on there is no number */
	int fail_turn, fail_measure; /* in this phase, from 1 */
	struct ab_test last;
};

static int turn(void *arg, bool on)
{
	struct machine *machine = arg;

	machine->turns++;
	if (machine->fail_turn && (int)machine->turns == machine->fail_turn)
		return -ESTALE;
	machine->on = on;
	return 0;
}

static int measure(void *arg, bool settle, double *value)
{
	struct machine *machine = arg;
	double factor = machine->on ? machine->effect : 1;

	machine->phases++;
	machine->settled_wrong |= settle != (machine->phases > 2 * EXPERIMENT_CONTROL_PAIRS);
	if (machine->fail_measure && (int)machine->phases == machine->fail_measure)
		return 7;
	if (machine->none_from && machine->phases >= machine->none_from) {
		*value = NAN;
		return 0;
	}
	*value = 100 * factor * (1 + machine->drift * machine->phases) *
		exp(machine->noise * random_normal(&machine->random));
	return 0;
}

static void progress(void *arg, const struct ab_test *course)
{
	((struct machine *)arg)->last = *course;
}

static struct ab_test run(struct machine *machine, uint64_t seed, bool lower, unsigned int rounds)
{
	const struct ab_test_plan plan = {
		.margin = 0.05,
		.lower_is_better = lower,
		.rounds = rounds,
		.bound = 2,
		.seed = seed * 7919 + 1,
		.turn = turn,
		.measure = measure,
		.progress = progress,
		.arg = machine,
	};
	struct ab_test course;

	stats_random_seed(&machine->random, seed);
	ab_test_run(&plan, &course);
	return course;
}

/* The acceptance test of the engine: 200 experiments in which the knob does nothing. */
static void test_no_effect(double noise, double drift)
{
	unsigned int changed = 0, same = 0, restless = 0, inconclusive = 0, i;

	for (i = 1; i <= 200; i++) {
		struct machine machine = {.effect = 1, .noise = noise, .drift = drift};
		struct ab_test course = run(&machine, i, false, 50);

		changed += course.answer == ANSWER_CHANGED;
		same += course.answer == ANSWER_SAME;
		restless += course.end == AB_TEST_NOT_QUIET;
		inconclusive += course.answer == ANSWER_INCONCLUSIVE;
	}
	printf("# noise %g %%, drift %g %% a phase: %u changed, %u same, %u inconclusive, %u of "
	       "these not quiet\n",
		noise * 100, drift * 100, changed, same, inconclusive, restless);
	ok(changed <= 10,
		"of 200 experiments without effect at most 5 %% say changed (%g %% noise)",
		noise * 100);
	if (noise <= 0.02)
		ok(same >= 180, "nearly all of them say same where it is quiet (%g %% noise)",
			noise * 100);
}

static void test_effect(double factor, double noise, bool lower)
{
	double effect = lower ? 1 - factor : factor - 1;
	unsigned int right = 0, wrong = 0, covered = 0, answered = 0, pairs = 0, i;

	for (i = 1; i <= 200; i++) {
		struct machine machine = {.effect = factor, .noise = noise};
		struct ab_test course = run(&machine, 1000 + i, lower, 50);

		if (course.answer == ANSWER_CHANGED) {
			right += (course.effect > 0) == (effect > 0);
			wrong += (course.effect > 0) != (effect > 0);
		}
		answered += isnan(course.low) ? 0 : 1;
		covered += course.low <= effect && effect <= course.high;
		pairs += course.pairs;
	}
	printf("# x%g, noise %g %%: %u changed, %u with the wrong sign, interval covers %u of %u, "
	       "%g pairs on average\n",
		factor, noise * 100, right, wrong, covered, answered, pairs / 200.0);
	ok(right >= 180 && !wrong, "an effect of x%g is found in spite of %g %% noise", factor,
		noise * 100);
	ok(covered >= answered * 0.95, "and its interval covers it");
}

static void test_ends(void)
{
	struct machine restless = {.effect = 1, .noise = 0.01, .none_from = 5};
	struct machine worse = {.effect = 0.3, .noise = 0.01};
	struct machine late = {.effect = 3, .noise = 0.01};
	struct machine stale = {.effect = 1.3, .noise = 0.01, .fail_turn = 5};
	struct machine broken = {.effect = 1.3, .noise = 0.01, .fail_measure = 20};
	struct ab_test course;

	course = run(&restless, 1, false, 50);
	ok(course.end == AB_TEST_NO_NUMBER && course.answer == ANSWER_INCONCLUSIVE,
		"without a number there is no answer");
	ok(!restless.turns, "and the knob is never turned");
	ok(restless.phases < 40, "and it does not go on for ever");
	course = run(&worse, 1, false, 50);
	ok(course.end == AB_TEST_BOUND && !course.pairs && !worse.on,
		"a throughput below half ends it in the first phase, and it is put back");
	ok(course.answer == ANSWER_CHANGED && fabs(course.effect + 0.7) < 0.02 &&
			isnan(course.low) && course.high < -0.65 && course.high > -0.7,
		"it is an answer: worse, by 65 %% at least");
	ok(worse.phases <= 16 + 2 + 4, "after three more phases without the change");
	course = run(&late, 1, true, 50);
	ok(course.end == AB_TEST_BOUND && course.answer == ANSWER_CHANGED && course.effect < -1.8,
		"and so does a latency above twice");
	course = run(&late, 1, false, 50);
	ok(course.answer == ANSWER_CHANGED && course.effect > 1.8,
		"three times better is no reason to end");
	course = run(&stale, 1, false, 50);
	ok(course.end == AB_TEST_BROKEN && course.error == -ESTALE && stale.turns == 5,
		"a knob that somebody else turned ends it");
	course = run(&broken, 1, false, 50);
	ok(course.end == AB_TEST_BROKEN && course.error == 7 && broken.phases == 20 &&
			course.answer == ANSWER_INCONCLUSIVE,
		"an interruption ends it, and what is known is inconclusive");
}

/* From the first phase with the change on the number is a third, whatever the knob says. */
static int measure_fallen(void *arg, bool settle, double *value)
{
	struct machine *machine = arg;

	(void)settle;
	machine->phases += machine->on;
	*value = machine->phases ? 30 : 100;
	return 0;
}

/* It is bad in this many of the phases with the change, and well again after each. */
static int measure_now_and_then(void *arg, bool settle, double *value)
{
	struct machine *machine = arg;

	(void)settle;
	machine->phases += machine->on;
	*value = machine->on && machine->phases == 3 ? 30 : 100 + machine->phases % 2;
	return 0;
}

/* Too bad in one phase is an answer only where nothing else can have done it. */
static void test_bound(void)
{
	struct machine fallen = {0}, rare = {0};
	struct ab_test_plan plan = {
		.margin = 0.001,
		.rounds = 50,
		.bound = 2,
		.seed = 5,
		.turn = turn,
		.measure = measure_fallen,
		.arg = &fallen,
	};
	struct ab_test course;

	ab_test_run(&plan, &course);
	ok(course.end == AB_TEST_BOUND && course.answer == ANSWER_INCONCLUSIVE && !fallen.on,
		"what stays bad when it is put back is not the knob's doing");
	plan.measure = measure_now_and_then;
	plan.arg = &rare;
	ab_test_run(&plan, &course);
	ok(course.end == AB_TEST_BOUND && course.answer == ANSWER_INCONCLUSIVE && !rare.on,
		"nor is what comes in one of three phases with the change");
}

static int measure_restless(void *arg, bool settle, double *value)
{
	struct machine *machine = arg;
	(void)settle;
	/* It falls all the time, so fast that whatever is second in a pair is less. */
	*value = 100 * pow(0.5, machine->phases++);
	return 0;
}

/* In random order a trend alone is no difference; one that goes with the labels is. */
static void test_control(void)
{
	unsigned int quiet = 0, changed = 0, i;
	struct ab_test course;

	for (i = 1; i <= 200; i++) {
		struct machine machine = {0};
		const struct ab_test_plan plan = {
			.margin = 0.05,
			.rounds = 8,
			.bound = 1000,
			.seed = i,
			.turn = turn,
			.measure = measure_restless,
			.arg = &machine,
		};

		ab_test_run(&plan, &course);
		quiet += course.end != AB_TEST_NOT_QUIET;
		changed += course.answer == ANSWER_CHANGED;
		if (course.end == AB_TEST_NOT_QUIET && machine.turns)
			quiet = 0;
	}
	ok(quiet > 190 && changed <= 10,
		"a number that falls all the time is no difference between the two (%u, %u)", quiet,
		changed);
}

static void test_steps(void)
{
	struct machine machine = {.effect = 1.5, .noise = 0.01};
	struct ab_test course = run(&machine, 3, false, 50);

	ok(!machine.settled_wrong, "phases of the control do not settle, the others do");
	ok(course.control_pairs == EXPERIMENT_CONTROL_PAIRS, "the control is %d pairs",
		EXPERIMENT_CONTROL_PAIRS);
	ok(course.pairs == 8 && course.answer == ANSWER_CHANGED,
		"a clear effect takes eight pairs");
	ok(machine.last.pairs == course.pairs && !machine.last.in_control &&
			fabs(machine.last.effect - 0.5) < 0.05,
		"progress is told pair by pair with the estimate");
	ok(fabs(course.before - 100) < 3 && fabs(course.meanwhile - 150) < 5,
		"the medians of both sides are known");
	ok(course.low > 0.4 && course.high < 0.6, "and so is the interval");
}

int main(void)
{
	test_no_effect(0.02, 0);
	test_no_effect(0.05, 0);
	test_no_effect(0.10, 0);
	test_no_effect(0.30, 0);
	test_no_effect(0.02, 0.02);
	test_effect(1.31, 0.05, false);
	test_effect(1.31, 0.15, false);
	test_effect(0.80, 0.05, true);
	test_effect(0.80, 0.05, false);
	test_steps();
	test_control();
	test_ends();
	test_bound();
	return tap_done();
}
