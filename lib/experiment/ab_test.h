/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The course of an experiment: a control without any change, then pairs of phases in random order,
 * until the answer is clear or the rounds are used up. It knows neither knob nor clock: both are
 * whoever calls, so that the same code runs against a simulated machine.
 */
#ifndef TUESDAY_EXPERIMENT_AB_TEST_H
#define TUESDAY_EXPERIMENT_AB_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "report/report.h"

/* As many pairs as it takes to find a difference at all where there must be none. */
#define AB_TEST_CONTROL_PAIRS 8

struct ab_test;

struct ab_test_plan {
	double margin; /* a ratio: a smaller effect does not matter */
	bool lower_is_better;
	unsigned int rounds; /* pairs, at most */
	double bound;	     /* worse by this factor in a phase ends it */
	uint64_t seed;	     /* of the random order */
	/* Turns the knob, or turns it back. Returns 0; anything else ends the course. */
	int (*turn)(void *arg, bool on);
	/*
	 * Waits for the knob to take effect if settle says so, and measures. Returns 0 with
	 * *value, which is NAN where there was no number; anything else ends the course.
	 */
	int (*measure)(void *arg, bool settle, double *value);
	/* Told after every pair; or NULL. */
	void (*progress)(void *arg, const struct ab_test *course);
	void *arg;
};

/* Why a course ended. */
enum ab_test_end {
	AB_TEST_DECIDED,
	AB_TEST_ROUNDS,	   /* used up */
	AB_TEST_NOT_QUIET, /* the control found a difference */
	AB_TEST_NO_NUMBER, /* too many phases without a number */
	AB_TEST_BOUND,	   /* the watched number got too bad */
	AB_TEST_BROKEN,	   /* turn or measure ended it */
};

/* What is known by now. NAN is not known. */
struct ab_test {
	enum ab_test_end end;
	enum answer answer; /* CHANGED, SAME or INCONCLUSIVE */
	int error;	    /* with AB_TEST_BROKEN: what turn or measure returned */
	bool in_control;
	unsigned int pairs, control_pairs;
	unsigned int empty;	  /* pairs without a number, which do not count */
	double effect, low, high; /* ratio, positive is better; of the interval of 95 %. INFINITY
				     where the number was 0 before */
	double noise;		  /* relative spread of one measurement */
	double before, meanwhile; /* medians */
};

/* Runs one. The knob is where turn left it: whoever calls puts it back. */
void ab_test_run(const struct ab_test_plan *plan, struct ab_test *out);

#endif
