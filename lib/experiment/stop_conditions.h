/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shall this experiment go on? The conditions of its own section, the metrics of the check `guard`,
 * and the error-class metrics of the check that it belongs to, looked at every second.
 *
 * What is beyond its limit before anything is changed cannot be the experiment's doing. Harm of
 * that kind is noted and guards no more; an error, or a condition of the section, ends it. What was
 * not, has to be twice as bad as it was at its worst before: the machine may be in trouble already,
 * that is why somebody experiments. What turning moves by itself, by 'moves', is no error of the
 * machine: reads that a device had when it was taken away count as failed.
 *
 * Turning the knob costs something by itself: harm is judged from when that is over, and so ends an
 * experiment with what it is like to be without.
 */
#ifndef TUESDAY_EXPERIMENT_STOP_CONDITIONS_H
#define TUESDAY_EXPERIMENT_STOP_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct check;
struct checks;
struct experiment;
struct capture;
struct metric;
struct sweep;

struct stop_conditions {
	const struct experiment *experiment;
	const struct check *check; /* that it belongs to */
	const struct check *guard; /* or NULL */
	const char *instance;	   /* or "" */
	struct capture *fs;
	const struct sweep *sweep;
	double cpus;
	bool *beyond_before;  /* of each metric of guard: it was so while nothing was changed */
	double *worst_before; /* its largest value then, NAN for none */
	bool *accused_before; /* the same for each metric of check */
	size_t from;	      /* the sample from which on harm is judged; 0: as many as there are */
	/* The metric of guard, of class harm, that has ended it, or NULL: its value then, at its
	 * worst before, and what it says of itself. */
	const struct metric *ended_by;
	double ended_at, ended_before;
	struct str said;
};

/* Harm is judged over so many samples, a second apart. */
#define STOP_CONDITIONS_WINDOWS 5

/* Fills in what is below cpus; the rest is the caller's. */
void stop_conditions_open(struct stop_conditions *guards);
void stop_conditions_close(struct stop_conditions *guards);

/* Binds in the sweep what is needed. */
void guards_bind(const struct stop_conditions *guards, struct sweep *sweep);

/* Whether every condition of the section has a value, which takes two samples. Else why has a
 * phrase. */
bool stop_conditions_can_look(const struct stop_conditions *guards, struct str *why);

/* Whether the samples up to the last say that the experiment has to end; why then has a phrase.
 * turned: the knob has been turned by now. */
bool stop_conditions_met(struct stop_conditions *guards, bool turned, struct str *why);

/* Harm is judged from the last sample on, as soon as there are enough. */
void stop_conditions_begin_anew(struct stop_conditions *guards);

/* Whether what ended it is over: within its limit, and half as bad at most. *value is what it is
 * now; NAN where that is not known yet, and then it is not over. */
bool stop_conditions_over(const struct stop_conditions *guards, double *value);

/* Adds a note for each metric that guards no more. */
void stop_conditions_note(
	const struct stop_conditions *guards, void (*note)(void *arg, const char *text), void *arg);

#endif
