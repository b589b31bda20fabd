/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An experiment turned round: not "is it better without", but "how much worse does a little harm
 * make it". A suspect is given a small known harm in several strengths, in random order, and the
 * slope of the user's number over the strength says how much he matters: 1 means that one percent
 * less for him is one percent more or less of the number, 0 clears him.
 *
 * Each round has every strength once, none among them, so that what drifts from round to round is
 * in none of their slopes: of the slopes of all rounds the mean is taken, with Student's interval
 * of 95 %. It knows neither knob nor clock: both are whoever calls.
 */
#ifndef TUESDAY_EXPERIMENT_NUDGE_H
#define TUESDAY_EXPERIMENT_NUDGE_H

#include <stddef.h>
#include <stdint.h>

#define NUDGE_STRENGTHS 4 /* the first is none */
#define NUDGE_ROUNDS_MAX 100
#define NUDGE_ROUNDS_LEAST 4 /* fewer have no interval worth the name */

struct nudge_course;

struct nudge_course_plan {
	double most;	     /* the largest strength: 0.2 takes a fifth away */
	unsigned int rounds; /* NUDGE_ROUNDS_LEAST to NUDGE_ROUNDS_MAX */
	double margin;	     /* a slope within it, and no other in the interval, clears */
	uint64_t seed;	     /* of the order */
	/* Gives the harm, 0: takes it away. Returns 0; anything else ends the course. */
	int (*harm)(void *arg, double strength);
	/* Waits for it to take effect, and measures. Returns 0 with *value, NAN where there was no
	 * number; anything else ends the course. */
	int (*measure)(void *arg, double *value);
	/* Told after every phase with the part of the course that is over; or NULL. */
	void (*progress)(void *arg, double share);
	void *arg;
};

enum nudge_answer {
	NUDGE_MATTERS,	/* the interval leaves zero out */
	NUDGE_CLEARED,	/* zero is in it, and all of it within the margin */
	NUDGE_UNCLEAR,	/* zero is in it, and so is what would matter */
	NUDGE_NO_NUMBER /* too few rounds had all of their numbers */
};

struct nudge_course {
	enum nudge_answer answer;
	int error;		       /* that harm or measure ended it with, or 0 */
	unsigned int rounds;	       /* that have a slope */
	unsigned int empty;	       /* that lack a number */
	double slope, low, high;       /* of the interval; NAN: not known */
	double before;		       /* the mean of the number without harm */
	double means[NUDGE_STRENGTHS]; /* of it at each strength; NAN */
	double strengths[NUDGE_STRENGTHS];
};

void nudge_run(const struct nudge_course_plan *plan, struct nudge_course *out);

/* The least-squares slope of n values over their strengths; NAN where these are all the same. */
double nudge_slope(const double *strengths, const double *values, size_t n);

#endif
