/* SPDX-License-Identifier: GPL-2.0-only */
/* Is an experiment ended when the machine does not bear it, and only then? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>

#include "check/check.h"
#include "experiment/stop_conditions.h"
#include "capture/capture.h"
#include "sample/sweep.h"
#include "sample/source.h"
#include "base/str.h"
#include "tap.h"
#include "check/layers.h"
#include "sample/sink.h"

/* What the machine says in the next sample. NAN is nothing. */
static struct {
	double pressure, kills, errors, own, moved;
} now;

static int read_fake(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	sink_put(sink, "", "pressure", now.pressure);
	sink_put(sink, "", "kills", now.kills);
	sink_put(sink, "", "errors", now.errors);
	sink_put(sink, "", "own", now.own);
	sink_put(sink, "", "moved", now.moved);
	return 0;
}

SOURCE(fake) = {.name = "fakemachine", .what = "numbers of this test", .read = read_fake};

#define HEAD "[check]\nquestion = Q?\narea = test\n"
#define TAIL "source = a book\nwhy = w\nhowever = h\n"

static const char guard_text[] = HEAD
	"[metric pressure_ratio]\nvalue = fakemachine:pressure\nclass = harm\nsustained = 4/5\n"
	"bad = > 60%\n" TAIL
	"[metric kill_count]\nvalue = delta(fakemachine:kills)\nclass = error\nbad = > 0\n" TAIL;

static const char check_text[] = HEAD
	"[metric error_count]\nvalue = delta(fakemachine:errors)\nclass = error\nmaybe = > 0\n" TAIL
	"[metric moved_count]\nvalue = delta(fakemachine:moved)\nclass = error\nmaybe = > 0\n" TAIL
	"[experiment e]\nmoves = moved_count\nknob = /sys/a\nset = 1\nbetter = lower\nrisk = 1\n"
	"observe = rate(fakemachine:kills)\n"
	"guard.own.when = fakemachine:own > 5\nguard.own.say = too much of its own\n";

/* A machine under an experiment. */
struct world {
	struct capture *fs;
	struct sweep *sweep;
	struct check *check, *guard;
	struct stop_conditions guards;
	struct str why;
};

static struct check *parse(const char *name, const char *text)
{
	struct str errors = STR_INIT;
	struct check *check = check_parse(name, text, strlen(text), &errors);

	if (!check)
		printf("# %s\n", str_text(&errors));
	str_free(&errors);
	return check;
}

static void begin(struct world *world, bool with_guard)
{
	*world = (struct world){.sweep = sweep_new()};
	now.pressure = 0.1;
	now.kills = now.errors = now.own = now.moved = 0;
	if (capture_open(&world->fs, "/", NULL))
		exit(1);
	world->check = parse("t", check_text);
	world->guard = with_guard ? parse("guard", guard_text) : NULL;
	if (!world->check || (with_guard && !world->guard))
		exit(1);
	world->guards = (struct stop_conditions){
		.experiment = world->check->experiments[0],
		.check = world->check,
		.guard = world->guard,
		.instance = "",
		.fs = world->fs,
		.sweep = world->sweep,
		.cpus = 1,
	};
	stop_conditions_open(&world->guards);
	guards_bind(&world->guards, world->sweep);
	sweep_open(world->sweep, world->fs);
	sweep_take(world->sweep);
}

static void end(struct world *world)
{
	stop_conditions_close(&world->guards);
	check_free(world->check);
	check_free(world->guard);
	sweep_free(world->sweep);
	capture_close(world->fs);
	str_free(&world->why);
}

/* Some seconds of the machine as it is now; whether one of them ends the experiment. */
static bool pass(struct world *world, int seconds, bool turned)
{
	while (seconds-- > 0) {
		sweep_take(world->sweep);
		str_clear(&world->why);
		if (stop_conditions_met(&world->guards, turned, &world->why))
			return true;
	}
	return false;
}

static void count_note(void *arg, const char *text)
{
	(void)text;
	++*(int *)arg;
}

static int notes(const struct world *world)
{
	int n = 0;

	stop_conditions_note(&world->guards, count_note, &n);
	return n;
}

static void test_pressure(void)
{
	struct world world;

	begin(&world, true);
	ok(!pass(&world, 10, false) && !pass(&world, 10, true), "a calm machine goes on");
	now.pressure = 0.9;
	ok(!pass(&world, 2, true), "two seconds of pressure do not last");
	ok(pass(&world, 5, true) && strstr(world.why.text, "pressure_ratio is 90"),
		"five do, and it is said which number");
	end(&world);
	begin(&world, true);
	now.pressure = 0.4;
	pass(&world, 10, false);
	now.pressure = 0.7;
	ok(!pass(&world, 10, true), "pressure must be twice what it was before");
	now.pressure = 0.9;
	ok(pass(&world, 10, true), "then it ends");
	end(&world);
	begin(&world, true);
	now.pressure = 0.9;
	ok(!pass(&world, 10, false) && !pass(&world, 10, true) && notes(&world) == 1,
		"what was beyond its limit before guards no more, and that is noted");
	end(&world);
}

/* What ends it is told by who ends it, and seen to be over when it is put back. */
static void test_over(void)
{
	struct world world;
	double value;

	begin(&world, true);
	pass(&world, 10, false);
	now.pressure = 0.9;
	ok(pass(&world, 10, true) && world.guards.ended_by && world.guards.ended_at > 0.89 &&
			world.guards.ended_before < 0.11 && strstr(world.guards.said.text, "90 %"),
		"it is known which harm ended it, how bad it was, and how bad before");
	ok(!stop_conditions_over(&world.guards, &value) && value > 0.89, "it is not over yet");
	stop_conditions_begin_anew(&world.guards);
	now.pressure = 0.1;
	sweep_take(world.sweep);
	ok(!stop_conditions_over(&world.guards, &value) && isnan(value),
		"one second is too soon to say");
	pass(&world, 5, true);
	ok(stop_conditions_over(&world.guards, &value) && value < 0.11, "then it is over");
	stop_conditions_begin_anew(&world.guards);
	now.pressure = 0.5;
	pass(&world, 6, true);
	ok(!stop_conditions_over(&world.guards, &value), "half of it is not enough");
	end(&world);
	begin(&world, true);
	pass(&world, 5, false);
	now.kills = 1;
	ok(pass(&world, 1, true) && !world.guards.ended_by, "an error is no harm that ends");
	end(&world);
}

/* What turning the knob costs by itself. */
static void test_anew(void)
{
	struct world world;

	begin(&world, true);
	pass(&world, 10, false);
	now.pressure = 0.9;
	ok(!pass(&world, 3, true), "three seconds of pressure while it is turned");
	stop_conditions_begin_anew(&world.guards);
	ok(!pass(&world, 4, true), "do not count with what comes then");
	ok(pass(&world, 1, true), "five seconds without them do");
	stop_conditions_begin_anew(&world.guards);
	now.kills = 1;
	ok(pass(&world, 1, true), "an error is not waited for");
	end(&world);
}

static void test_errors(void)
{
	struct world world;

	begin(&world, true);
	pass(&world, 5, false);
	now.kills = 1;
	ok(pass(&world, 1, true) && strstr(world.why.text, "kill_count"),
		"one kill ends it at once");
	end(&world);
	begin(&world, true);
	now.kills = 1;
	ok(pass(&world, 1, false), "and it does not begin while there are kills");
	end(&world);
	begin(&world, true);
	pass(&world, 5, false);
	now.errors = 3;
	ok(pass(&world, 1, true) && strstr(world.why.text, "error_count"),
		"an error of the check that was not there before ends it");
	end(&world);
	begin(&world, true);
	now.errors = 3;
	ok(!pass(&world, 1, false), "one that was there before is what it is about");
	now.errors = 6;
	ok(!pass(&world, 3, true), "and does not end it later");
	end(&world);
	begin(&world, true);
	pass(&world, 5, false);
	now.moved = 7;
	ok(!pass(&world, 3, true), "nor does one that turning the knob moves by itself");
	now.errors = 1;
	ok(pass(&world, 1, true), "beside which another one still ends it");
	end(&world);
}

static void test_own(void)
{
	struct world world;
	struct str why = STR_INIT;

	begin(&world, false);
	sweep_take(world.sweep);
	ok(stop_conditions_can_look(&world.guards, &why), "a guard that has a value can look");
	ok(!pass(&world, 3, true), "without the check 'guard' there are still its own");
	now.own = 6;
	ok(pass(&world, 1, true) && !strcmp(world.why.text, "too much of its own"),
		"its own guard ends it and says why");
	end(&world);
	begin(&world, false);
	now.own = NAN;
	sweep_take(world.sweep);
	sweep_take(world.sweep);
	ok(!stop_conditions_can_look(&world.guards, &why) &&
			strstr(str_text(&why), "cannot be watched"),
		"a guard without a value cannot");
	ok(!pass(&world, 3, true), "and a value that is lost meanwhile ends nothing");
	str_free(&why);
	end(&world);
}

int main(void)
{
	test_pressure();
	test_over();
	test_anew();
	test_errors();
	test_own();
	return tap_done();
}
