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

/*
 * So many phases without the change are worth one with it. What ends an experiment early was seen
 * in one phase; had it come by itself it would as well have come in any other, and so in the one
 * among twenty that was changed no more often than once in twenty times.
 */
#define AB_TEST_ALONE 19

struct ab_test;

struct ab_test_plan {
	double margin; /* a ratio: a smaller effect does not matter */
	bool lower_is_better;
	unsigned int rounds; /* pairs, at most */
	double bound;	     /* worse by this factor in a phase ends the pairs */
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
	AB_TEST_BOUND,	   /* the watched number got too bad: an answer where it did so alone */
	AB_TEST_GUARD,	   /* a guard ended it: what it proves is not known here */
	AB_TEST_BROKEN,	   /* turn or measure ended it */
};

/* What is known by now. NAN is not known. */
struct ab_test {
	enum ab_test_end end;
	enum answer answer; /* CHANGED, SAME or INCONCLUSIVE */
	int error;	    /* with AB_TEST_BROKEN: what turn or measure returned */
	bool in_control;
	unsigned int pairs, control_pairs;
	unsigned int empty; /* pairs without a number, which do not count */
	/* Ratio, positive is better; of the interval of 95 %. INFINITY where the number was 0
	 * before. low alone is NAN where it is only known that it is worse by high at least. */
	double effect, low, high;
	double noise;		  /* relative spread of one measurement */
	double before, meanwhile; /* medians */
};

/* Runs one. The knob is where turn left it: whoever calls puts it back. */
void ab_test_run(const struct ab_test_plan *plan, struct ab_test *out);

#endif
