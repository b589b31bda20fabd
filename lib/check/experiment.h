/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an [experiment NAME] section of a check file declares: one thing to change, one number to
 * watch, and when not to. It is only run where a person asked for it. The course of an experiment
 * is in experiment/ab_test.h.
 */
#ifndef TUESDAY_CHECK_EXPERIMENT_H
#define TUESDAY_CHECK_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "check/seen.h"
#include "expr/parse.h"

struct sweep;

/* What a section says when it has no key of that name: they belong to the method, and no verdict
 * hangs on any of them alone. Why these: docs/writing-checks.md. */
#define EXPERIMENT_MARGIN 0.05
#define EXPERIMENT_ROUNDS 50
#define EXPERIMENT_MEASURE_SECONDS 2.0
#define EXPERIMENT_SETTLE_SECONDS 1.0
#define EXPERIMENT_BOUND 2.0

/* Pairs of the control, in which nothing is changed: as many as it takes to find a difference at
 * all where there must be none. */
#define EXPERIMENT_CONTROL_PAIRS 8

/* A risk of 5 loses data or cannot be undone: nobody's yes is enough. */
#define EXPERIMENT_RISK_MAX 5

/* refuse.NAME.when and .say, or guard.NAME.when and .say. The texts are those of the settings. */
struct experiment_rule {
	const char *name;
	struct condition *when;
	const char *when_text, *say;
};

struct experiment_rules {
	struct experiment_rule *list;
	size_t n, room;
};

/* The texts are those of the check's settings, NULL where there is none, and the rest is in its
 * arena. */
struct experiment {
	const char *name;
	const char *question;
	const char *knob, *set;		    /* a file, and what to write there */
	const char *undo, *also;	    /* what puts it back; files that it changes too */
	const char *save, *apply, *restore; /* or command lines */
	const char *hold;		    /* or a device to hold open, with set written to it */
	bool survives_reboot;
	bool clears;		/* it takes all of what the check is about away */
	const char *takes_away; /* that part, for people: "the L2ARC" */
	const char *moves;	/* error metrics of its check that turning moves, between blanks */
	const char *program;	/* or one of ours that asks, and changes nothing */
	const char *label;	/* what people call the knob */
	/* Of {instance}, where that is no instance of a metric: "cgroup", that of the process to
	 * blame, or else of the thread that this metric of the check has; "route", by which the
	 * remote to blame is reached, or else the default one. */
	const char *about, *suspect;
	struct expr *observe; /* NULL: the command, or only what the command line names */
	const char *observe_text;
	const char *metric; /* a command whose number is watched where nobody names another */
	bool lower_is_better;
	const char *say, *say_worse; /* phrases with {effect} */
	double margin;		     /* a ratio: a smaller effect does not matter */
	unsigned int rounds;	     /* pairs, at most */
	double measure_seconds, settle_seconds;
	double bound; /* a factor: worse by more ends the experiment */
	int risk;     /* 1..5 */
	const char *warning, *needs, *proves, *source, *however;
	const char *refused; /* why it is never run */
	enum seen_how seen;  /* see check/seen.h: experiment_seen() */
	struct experiment_rules refuse, guards;
	const char *file; /* where the section stands */
	int line;
};

/* Calls each with every reference that a condition or the watched number has. */
void experiment_each_leaf(const struct experiment *experiment,
	void (*each)(void *arg, struct expr_leaf *leaf), void *arg);

/* Whether turning the knob itself moves this metric of the check, by the section's 'moves'. */
bool experiment_moves(const struct experiment *experiment, const char *metric);

/* Binds them in the sweep: for one that will be run. */
void experiment_bind(const struct experiment *experiment, struct sweep *sweep);

/*
 * How many seconds it takes at most, turning and putting back included, where a phase is measured
 * for measure_seconds: it is ended when they are over, and the knob is put back.
 */
double experiment_seconds(const struct experiment *experiment, double measure_seconds);

/* "noticeably slower" for 3. */
const char *experiment_risk_text(int risk);

/* Whether it has a number to watch, or asks, without one that somebody has to name. */
bool experiment_runs_as_it_is(const struct experiment *experiment);

/* Whether it is about one instance, which has to be known before it can be run. */
bool experiment_wants_instance(const struct experiment *experiment);

/*
 * Whether set is a value in terms of the old one: "old * 2", "old / 2", "old + 8", "old - 8", "x2".
 * *wrong is set to a phrase where it looks like one and is none, and to NULL otherwise.
 */
bool experiment_set_is_relative(const char *set, const char **wrong);

/*
 * The new value that set means for the old one: the first of its alternatives ("none or bfq") that
 * is another value. Relative ones are rounded to whole numbers, as knobs are. Returns 0 with an
 * owned text in *out; -EALREADY where the old value is what would be set; -EINVAL where the old
 * value is no number and set is relative; -ERANGE where the result is negative or beyond 2^53.
 */
int experiment_new_value(const struct experiment *experiment, const char *old, char **out);

#endif
