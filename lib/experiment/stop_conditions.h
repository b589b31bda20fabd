/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shall this experiment go on? The conditions of its own section, the metrics of the check `guard`,
 * and the error-class metrics of the check that it belongs to, looked at every second.
 *
 * What is beyond its limit before anything is changed cannot be the experiment's doing. Harm of
 * that kind is noted and guards no more; an error, or a condition of the section, ends it. What was
 * not, has to be twice as bad as it was at its worst before: the machine may be in trouble already,
 * that is why somebody experiments.
 */
#ifndef TUESDAY_EXPERIMENT_STOP_CONDITIONS_H
#define TUESDAY_EXPERIMENT_STOP_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

struct check;
struct checks;
struct experiment;
struct capture;
struct str;
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
};

/* Fills in the last three; the rest is the caller's. */
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

/* Adds a note for each metric that guards no more. */
void stop_conditions_note(
	const struct stop_conditions *guards, void (*note)(void *arg, const char *text), void *arg);

#endif
