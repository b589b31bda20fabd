/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One experiment on the live machine: prepared, so that a person can be asked; then run, so that
 * nothing is left of it but its answer.
 */
#ifndef TUESDAY_EXPERIMENT_TRIAL_H
#define TUESDAY_EXPERIMENT_TRIAL_H

#include "experiment/plan.h"
#include "experiment/stop_conditions.h"
#include "experiment/observe.h"
#include "report/report.h"
#include "check/layers.h"

struct check_layers;
struct checks;
struct ab_test;
struct experiment_result;

/* One experiment on its way: its check and the check `guard`, read once more for a sweep of their
 * own, since the numbers of an experiment are looked at every second and for nothing else. */
struct trial {
	struct capture *fs;
	struct sweep *sweep;
	struct checks *checks;
	struct experiment_plan plan;
	struct stop_conditions guards;
	struct observer observer;
	struct change *change;
	const struct ab_test *course; /* as it is by now */
	double cpus;
	double last_sample; /* seconds */
	double began;
	bool on, turned;  /* the knob is, has been */
	double turned_at; /* when it was last turned, or back */
	double turning;	  /* the longest time that that took */
	/* How long it was watched by guards without the change, and with it. */
	double watched[2];
	bool proving; /* what a guard has ended is put back, and watched on */
	double after; /* the value of that guard then; NAN: not known */
	int error;
	struct str command; /* of the section, as a shell finds it here */
	struct str why;	    /* why it ended */
};

/* What a person wants of all experiments of a run. */
struct watched {
	const char *command, *url; /* instead of what the check file says, or NULL */
	bool dry_run;		   /* the command is not run */
};

/*
 * Reads, samples twice, and makes the plan, whose refused is set where the experiment is not to be
 * run. layers are those of the run. Takes about a second, and as long as the command takes that
 * prints the number, for that says how long a phase is. Returns false, and there is nothing to
 * close, where the files of the check do not have the experiment any more.
 */
bool trial_open(struct trial *trial, struct capture *fs, const struct check_layers *layers,
	const char *check, const char *experiment, const char *instance,
	const struct watched *watched);

/* Frees what trial_open has made. */
void trial_close(struct trial *trial);

/* Runs it, and puts the knob back whatever comes of it. Fills in out, all but its verdict. */
void trial_run(struct trial *trial, struct experiment_result *out);

#endif
