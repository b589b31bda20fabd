/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an experiment would do on this machine as it is now: which files, from which value to which,
 * for how long; or why it will not.
 */
#ifndef TUESDAY_EXPERIMENT_PLAN_H
#define TUESDAY_EXPERIMENT_PLAN_H

#include "experiment/change.h"

/* Words of a program, its name among them. */
#define PROGRAM_WORDS_MAX 16

struct check;
struct experiment;
struct capture;
struct str;

struct experiment_plan {
	const struct check *check;
	const struct experiment *experiment;
	char *instance; /* that stands for {instance}; "" for none */
	struct change_plan change;
	struct change_file *files;
	char **paths, **to; /* of the files */
	size_t room_files;  /* of all three */
	char *save, *apply, *restore, *device;
	char *program; /* of one that changes nothing: the path of what is run, see program.h */
	char *words[PROGRAM_WORDS_MAX]; /* its name and arguments, n_words */
	size_t n_words;
	char *from, *becomes;	/* for people; NULL: not known */
	double measure_seconds; /* of a phase */
	char *refused;		/* why it is not run, or NULL */
};

/*
 * Makes the plan. fs is the live machine, in a sample. url is what a program asks, or NULL where
 * that follows from the instance. Where the experiment cannot or must not be run, refused says why.
 * The caller frees with experiment_plan_free.
 */
void experiment_plan_make(struct experiment_plan *plan, struct capture *fs,
	const struct check *check, const struct experiment *experiment, const char *instance,
	const char *url);
void experiment_plan_free(struct experiment_plan *plan);

/* Whether there is such a knob for this instance, or a program can ask it; true for commands and
 * devices. */
bool experiment_fits(struct capture *fs, const struct experiment *experiment, const char *instance);

/* A phase is measured for so long, where that is not what its section says: what it takes at most
 * follows from it. */
void experiment_plan_measure(struct experiment_plan *plan, double measure_seconds);

#endif
