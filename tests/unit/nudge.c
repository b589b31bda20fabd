/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does a suspect that matters have a slope that leaves zero out, and one that does not a slope that
 * includes it, also where the machine drifts? And is what is written the little that was meant?
 */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "experiment/nudge.h"
#include "experiment/nudge_knob.h"
#include "stats/random.h"
#include "tap.h"

/* A machine whose number follows the harm by slope, drifts by a percent a phase, and is noisy. */
struct simulated {
	double slope, noise, strength;
	struct stats_random random;
	unsigned int phases, ends_at, nothing_at;
	bool harmed;
};

static int simulated_harm(void *arg, double strength)
{
	struct simulated *machine = arg;

	machine->strength = strength;
	machine->harmed = strength > 0;
	return 0;
}

static int simulated_measure(void *arg, double *value)
{
	struct simulated *machine = arg;
	const double chance =
		(double)stats_random_below(&machine->random, 2001) / 1000 - 1; /* -1..1 */

	if (++machine->phases == machine->ends_at)
		return -5;
	*value = 50 * (1 + 0.01 * machine->phases) * (1 + machine->slope * machine->strength) *
		(1 + machine->noise * chance);
	if (machine->nothing_at && machine->phases % machine->nothing_at == 0)
		*value = NAN;
	return 0;
}

static struct nudge_course simulate(struct simulated *machine, uint64_t seed, double most)
{
	const struct nudge_course_plan plan = {.most = most,
		.rounds = 8,
		.margin = 0.3,
		.seed = seed,
		.harm = simulated_harm,
		.measure = simulated_measure,
		.arg = machine};
	struct nudge_course course;

	stats_random_seed(&machine->random, seed * 7 + 1);
	machine->phases = 0;
	nudge_run(&plan, &course);
	return course;
}

static void test_course(void)
{
	struct simulated matters = {.slope = -1, .noise = 0.05}, innocent = {.noise = 0.05},
			 noisy = {.noise = 0.8}, ends = {.slope = -1, .ends_at = 30},
			 empty = {.slope = -1, .nothing_at = 2};
	unsigned int found = 0, cleared = 0, accused = 0, seed;
	struct nudge_course course;

	for (seed = 1; seed <= 200; seed++) {
		found += simulate(&matters, seed, 0.2).answer == NUDGE_MATTERS;
		course = simulate(&innocent, seed, 0.2);
		cleared += course.answer == NUDGE_CLEARED;
		accused += course.answer == NUDGE_MATTERS;
	}
	ok(found >= 190, "who matters is found, in %u of 200 courses", found);
	ok(cleared >= 150, "who does not is cleared, in %u of 200", cleared);
	ok(accused <= 20, "and accused in no more than the interval allows, %u of 200", accused);
	course = simulate(&matters, 3, 0.2);
	ok(course.low < -0.8 && course.high > -1.4 && course.high < 0 && course.rounds == 8,
		"a slope of -1 is told as %.2f to %.2f", course.low, course.high);
	ok(simulate(&noisy, 3, 0.2).answer == NUDGE_UNCLEAR,
		"a number that jumps is neither: its interval is wide");
	course = simulate(&ends, 3, 0.2);
	ok(course.error == -5 && course.rounds == 7 && course.answer == NUDGE_MATTERS,
		"a course that is ended tells what it knows by then");
	course = simulate(&empty, 3, 0.2);
	ok(course.answer == NUDGE_NO_NUMBER && isnan(course.slope) && course.empty == 8,
		"one without numbers tells nothing");
	ok(!empty.harmed && !matters.harmed, "the harm is taken away at the end");
}

static void test_slope(void)
{
	const double x[] = {0, 1, 2, 3}, y[] = {1, 3, 5, 7}, same[] = {2, 2, 2, 2};

	ok(fabs(nudge_slope(x, y, 4) - 2) < 1e-9, "a line has its slope");
	ok(isnan(nudge_slope(same, y, 4)), "and a point none");
}

static void is_text(char *text, const char *wanted, const char *what)
{
	ok(text && !strcmp(text, wanted), "%s: %s", what, text ? text : "(none)");
	free(text);
}

static void test_values(void)
{
	char none[] = "", limit[] = "8:0 5000000";
	struct nudge_knob quota = {.kind = NUDGE_QUOTA, .used = 0.5, .period_us = 100000},
			  disk = {.kind = NUDGE_IO,
				  .used = 1e6,
				  .device = "8:0",
				  .reads = true,
				  .old = none};

	is_text(nudge_knob_value(&quota, 0.2), "40000", "a fifth less of half a CPU");
	ok(!nudge_knob_undo(&quota), "a quota is put back as it was");
	quota.v2 = true;
	is_text(nudge_knob_value(&quota, 0.2), "40000 100000", "the same of cgroup v2");
	is_text(nudge_knob_value(&disk, 0.1), "8:0 900000", "a tenth less of a megabyte a second");
	is_text(nudge_knob_undo(&disk), "8:0 0", "what had no limit gets none again");
	disk.v2 = true;
	is_text(nudge_knob_value(&disk, 0.1), "8:0 rbps=900000", "the same of cgroup v2");
	is_text(nudge_knob_undo(&disk), "8:0 rbps=max", "and back");
	disk.reads = false;
	is_text(nudge_knob_undo(&disk), "8:0 wbps=max", "writes too");
	disk.old = limit;
	ok(!nudge_knob_undo(&disk), "what had a limit gets that again");
}

static void test_usage(void)
{
	struct nudge_usage v1 = {.n = 0}, v2 = {.n = 0}, before = {.time_ns = 1000000000},
			   after = {.time_ns = 3000000000, .cpu_ns = 1000000000};
	struct nudge_knob quota = {.kind = NUDGE_QUOTA, .period_us = 100000};
	struct str why = STR_INIT;

	nudge_devices_parse(
		"8:0 Read 4096\n8:0 Write 7\n8:0 Total 5\n8:16 Read 9\nTotal 4\n:\n", false, &v1);
	ok(v1.n == 2 && v1.devices[0].read == 4096 && v1.devices[0].written == 7 &&
			v1.devices[1].read == 9,
		"bytes of cgroup v1 are read");
	nudge_devices_parse("8:0 rbytes=5 wbytes=6 rios=1 wios=1 dbytes=0 dios=0\nx\n", true, &v2);
	ok(v2.n == 1 && v2.devices[0].read == 5 && v2.devices[0].written == 6, "and of v2");
	ok(!nudge_knob_used(&quota, &before, &after, &why) && fabs(quota.used - 0.5) < 1e-9,
		"a second of CPU time in two is half a CPU");
	after.cpu_ns = 1000;
	ok(nudge_knob_used(&quota, &before, &after, &why) && why.len,
		"who uses nothing has nothing taken away: %s", str_text(&why));
	str_free(&why);
}

static void test_find(void)
{
	struct nudge_knob knob;
	struct str why = STR_INIT;

	ok(nudge_knob_find(&knob, NUDGE_QUOTA, "/", &why) && why.len,
		"the cgroup of everything is refused: %s", str_text(&why));
	nudge_knob_free(&knob);
	str_clear(&why);
	ok(nudge_knob_find(&knob, NUDGE_IO, "/no/such/../group", &why) && why.len,
		"one that is not there is none: %s", str_text(&why));
	nudge_knob_free(&knob);
	str_free(&why);
}

int main(void)
{
	test_course();
	test_slope();
	test_values();
	test_usage();
	test_find();
	return tap_done();
}
