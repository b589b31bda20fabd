/* SPDX-License-Identifier: GPL-2.0-only */
/* Paired experiments, looked at after every pair. */
#ifndef TUESDAY_STATS_SEQUENTIAL_H
#define TUESDAY_STATS_SEQUENTIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

/*
 * Logarithm of the sign test's e-value for s of n: E = 2^n / ((n+1) C(n,s)), the likelihood ratio
 * of a coin of unknown bias (uniform) to a fair one. Under a fair coin E is a martingale of mean 1,
 * so it ever reaches 20 with probability at most 1/20 (Ville 1939), however often one looks.
 * -INFINITY for s > n.
 */
double stats_sign_log_e(size_t n, size_t s);

enum stats_pairs_answer {
	PAIRS_GO_ON,	    /* add another pair */
	PAIRS_CHANGED,	    /* differs, and by more than the margin; the ratio says which way */
	PAIRS_SAME,	    /* the ratio is within the margin */
	PAIRS_INCONCLUSIVE, /* the budget is used up */
};

enum {
	STATS_PAIRS_MIN = 8, /* the least that can reach the bound: 8 of 8 is 28.4, 7 of 7 is 16 */
	STATS_PAIRS_MAX = 100000, /* the largest budget */
	STATS_E_BOUND = 20,	  /* error at most 5 % */
};

/* Owns sorted; made by stats_pairs_init(). */
struct stats_pairs {
	double *sorted; /* ratios changed/baseline, ascending; INFINITY for x/0 */
	size_t n, budget;
	double margin;
	enum stats_pairs_answer answer; /* the first other than PAIRS_GO_ON stays */
};

/*
 * margin > 0: ratios from 1/(1+margin) to 1+margin do not matter (0.05 is usual). budget pairs at
 * most, STATS_PAIRS_MIN to STATS_PAIRS_MAX. -EINVAL or -ENOMEM; stats_pairs_free() is always safe
 * after it, twice too.
 */
int stats_pairs_init(struct stats_pairs *pairs, double margin, size_t budget);
void stats_pairs_free(struct stats_pairs *pairs);

/*
 * One pair: two measurements near in time, in random order, both >= 0 and finite, else -EINVAL and
 * nothing is counted (also past the budget: -ENOSPC). Only ratios count: 0 and 0 is a ratio of 1;
 * from 0 to anything is infinite, a plain "more". A ratio equal to a bound counts against whatever
 * it would decide, so ties never hurry an answer. Answers by pairs->answer. The same judge does the
 * A/A control: PAIRS_CHANGED there means that the machine is not quiet.
 */
int stats_pairs_add(struct stats_pairs *pairs, double baseline, double changed);

struct stats_pairs_estimate {
	size_t n;
	double ratio; /* median of changed/baseline; may be INFINITY (from nothing to something) */
	bool have_interval;
	/*
	 * 95 %, always valid: all ratios that the e-value does not reject, so it covers the true
	 * median ratio at whatever moment one stops, and agrees with the answer.
	 */
	struct stats_interval interval;
	/*
	 * Relative spread of one measurement: 1.4826 * median absolute deviation of the ratios /
	 * ratio / sqrt(2), the standard deviation where noise is normal; NAN where ratio is 0 or
	 * infinite.
	 */
	double noise;
};
/* -EINVAL without a pair, -ENOMEM. */
int stats_pairs_estimate(const struct stats_pairs *pairs, struct stats_pairs_estimate *estimate);

#endif
