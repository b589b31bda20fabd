/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a nudge given, so that nothing is left of it but its answer? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/progress.h"
#include "capture/capture.h"
#include "capture/environment.h"
#include "check/check.h"
#include "check/layers.h"
#include "experiment/change.h"
#include "run/select.h"
#include "run/session.h"
#include "sample/sweep.h"
#include "tools/nudge/options.h"
#include "tools/nudge/run.h"

#define GUARD "guard"
#define SAMPLE_SECONDS 1.0
#define USE_SECONDS 1 /* how long it is looked what the cgroup uses */
/* A quota is divided anew in each period of a tenth of a second, and a disk's in its own. */
#define SETTLE_SECONDS 0.2
/* A phase may take this much longer before the keeper puts it back by itself. */
#define LONGER_SECONDS 60

static int nudging_sample(struct nudging *nudging)
{
	const int err = sweep_take(nudging->sweep);

	nudging->last_sample = monotonic_seconds();
	if (err)
		str_addf(&nudging->why, "no more samples: %s", strerror(-err));
	return err;
}

/* Once a second everything that could be a reason to end is looked at. */
static int nudging_tick(void *arg, bool now)
{
	struct nudging *nudging = arg;
	const bool due = monotonic_seconds() - nudging->last_sample >= SAMPLE_SECONDS;
	int err;

	if (progress_interrupted()) {
		str_clear(&nudging->why);
		str_add(&nudging->why, "interrupted");
		return -EINTR;
	}
	if (!due && !now)
		return 0;
	err = nudging_sample(nudging);
	if (!err && due && stop_conditions_met(&nudging->guards, nudging->harmed, &nudging->why))
		err = -ECANCELED;
	if (!err && due && nudging->change)
		err = change_verify(nudging->change, &nudging->why);
	return err;
}

/* How a change is put back says more than why it was to be. */
static int nudging_relieve(struct nudging *nudging)
{
	struct str why = STR_INIT;
	int err;

	if (!nudging->change)
		return 0;
	err = change_end(nudging->change, &why);
	nudging->change = NULL;
	free(nudging->to);
	free(nudging->undo);
	nudging->to = nudging->undo = NULL;
	if (err && err != -ESTALE)
		nudging->left = true;
	if (err) {
		str_clear(&nudging->why);
		str_add(&nudging->why, why.len ? why.text : strerror(-err));
	}
	str_free(&why);
	return err;
}

static int nudging_harm(void *arg, double strength)
{
	struct nudging *nudging = arg;
	const struct nudge_knob *knob = &nudging->knob;
	struct change_file file = {.path = knob->path};
	const struct change_plan plan = {
		.check = "nudge",
		.experiment = knob->kind == NUDGE_QUOTA ? "quota" : "io",
		.kind = CHANGE_FILES,
		.files = &file,
		.n_files = 1,
		.seconds = nudging->asked->phase_seconds + SETTLE_SECONDS + LONGER_SECONDS,
	};
	int err = nudging_relieve(nudging);

	if (err || strength <= 0)
		return err;
	file.to = nudging->to = nudge_knob_value(knob, strength);
	file.undo = nudging->undo = nudge_knob_undo(knob);
	err = change_begin(&nudging->change, &plan, &nudging->why);
	if (err) {
		nudging->change = NULL;
		return err;
	}
	nudging->harmed = true;
	return change_apply(nudging->change, &nudging->why);
}

static int nudging_measure(void *arg, double *value)
{
	struct nudging *nudging = arg;
	const int err = observer_wait(&nudging->observer, SETTLE_SECONDS);

	return err ? err : observe(&nudging->observer, value);
}

static void nudging_progress(void *arg, double share)
{
	(void)arg;
	progress_show("nudging", share);
}

/* The check that watches over experiments: without it there is none. */
static int nudging_guard(struct nudging *nudging)
{
	const char *names[] = {GUARD};
	struct check_layers layers = run_layers(&nudging->asked->common, names, 1);
	const struct check *guard;
	const unsigned int cpus = machine_cpus(nudging->fs);

	nudging->checks = checks_load(&layers);
	guard = checks_find(nudging->checks, GUARD);
	if (!guard) {
		str_add(&nudging->why, "there is no check 'guard' to watch the machine meanwhile");
		return -ENOENT;
	}
	nudging->sweep = sweep_new();
	nudging->experiment = (struct experiment){.name = "nudge"};
	nudging->guards = (struct stop_conditions){
		.experiment = &nudging->experiment,
		.check = guard,
		.guard = guard,
		.instance = "",
		.fs = nudging->fs,
		.sweep = nudging->sweep,
		.cpus = cpus ? cpus : (double)NAN,
	};
	stop_conditions_open(&nudging->guards);
	guards_bind(&nudging->guards, nudging->sweep);
	sweep_open(nudging->sweep, nudging->fs);
	return nudging_sample(nudging);
}

static int nudging_number(struct nudging *nudging)
{
	const struct nudge_options *asked = nudging->asked;
	struct observer *observer = &nudging->observer;
	struct bytes hosts = {0};
	char *text = NULL;
	int err;

	*observer = (struct observer){.command = asked->command,
		.instance = "",
		.seconds = asked->phase_seconds,
		.tick = nudging_tick,
		.arg = nudging};
	if (!asked->url)
		return 0;
	if (!capture_read_once(nudging->fs, "/etc/hosts", &hosts))
		text = mem_strndup(hosts.data, hosts.len);
	err = http_server_find(&observer->server, asked->url, text, &nudging->why);
	free(text);
	return err;
}

/* What the cgroup uses now is what is taken from. */
static int nudging_use(struct nudging *nudging)
{
	struct nudge_usage before, after;
	int err = nudge_usage_read(&nudging->knob, &before);

	progress_show("measuring what the cgroup uses", 0);
	if (!err)
		err = observer_wait(&nudging->observer, USE_SECONDS);
	if (!err)
		err = nudge_usage_read(&nudging->knob, &after);
	progress_end();
	return err ? err : nudge_knob_used(&nudging->knob, &before, &after, &nudging->why);
}

int nudging_open(struct nudging *nudging, const struct nudge_options *asked)
{
	int err;

	*nudging = (struct nudging){.asked = asked};
	err = nudge_knob_find(&nudging->knob, nudge_options_kind(asked),
		nudge_options_target(asked), &nudging->why);
	if (err)
		return err;
	capture_allow_files();
	err = capture_open(&nudging->fs, "/", NULL);
	if (!err) {
		uint64_t now_ns;

		err = capture_next_sample(nudging->fs, &now_ns);
	}
	if (!err)
		err = nudging_guard(nudging);
	if (!err)
		err = nudging_number(nudging);
	if (!err)
		err = nudging_use(nudging);
	return err;
}

void nudging_close(struct nudging *nudging)
{
	nudging_relieve(nudging);
	if (nudging->guards.beyond_before)
		stop_conditions_close(&nudging->guards);
	observer_free(&nudging->observer);
	checks_free(nudging->checks);
	sweep_free(nudging->sweep);
	capture_close(nudging->fs);
	nudge_knob_free(&nudging->knob);
	str_free(&nudging->why);
}

void nudging_run(struct nudging *nudging)
{
	const struct nudge_options *asked = nudging->asked;
	struct nudge_course_plan plan = {.most = asked->most,
		.rounds = asked->rounds,
		.margin = asked->margin,
		.harm = nudging_harm,
		.measure = nudging_measure,
		.progress = nudging_progress,
		.arg = nudging};

	if (getrandom(&plan.seed, sizeof(plan.seed), GRND_NONBLOCK) != sizeof(plan.seed))
		plan.seed = monotonic_ns();
	nudge_run(&plan, &nudging->course);
	nudging_relieve(nudging);
	progress_end();
}
