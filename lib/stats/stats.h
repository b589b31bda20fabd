/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics for verdicts: is it different, by how much, and how sure are we?
 *
 * Pure functions on arrays of doubles: no I/O, no global, no clock, no hidden randomness (whoever
 * needs chance brings a seeded struct stats_random). Arrays stay the caller's and unchanged unless
 * a comment says "sorts". Which one is used where, and its measured error rates:
 * docs/statistics.md; the measuring itself is tests/unit/stats.c.
 *
 * Functions that may fail return 0 or a negative errno: -EINVAL for an argument that makes no sense
 * (NaN among the values, a share above 1, no values), -ENOMEM, -E2BIG. A result is then not
 * touched.
 */
#ifndef TUESDAY_STATS_H
#define TUESDAY_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both ends included; in the unit of the values. */
struct stats_interval {
	double low, high;
};

/* ---- Chance (stats_random.c) ---- */

/* xoshiro256** (Blackman and Vigna, 2018); not for secrets. The same seed gives the same numbers.
 */
struct stats_random {
	uint64_t state[4];
};

void stats_random_seed(struct stats_random *random, uint64_t seed);
uint64_t stats_random_next(struct stats_random *random);
/* Uniform in [0, 1); standard normal; uniform integer in [0, limit), limit > 0. */
double stats_random_uniform(struct stats_random *random);
double stats_random_normal(struct stats_random *random);
uint64_t stats_random_below(struct stats_random *random, uint64_t limit);
/* Order of a pair: true if the changed side comes first. One fair coin a pair, never blocks. */
bool stats_random_coin(struct stats_random *random);

/* ---- Special functions (stats_special.c) ---- */

/* Standard normal: share below z, and its inverse (0 < p < 1, else NAN). */
double stats_normal_cdf(double z);
double stats_normal_quantile(double p);
/* Student's t with so many degrees of freedom (> 0): its quantile, 0 < p < 1, else NAN. */
double stats_student_quantile(double p, double degrees);
/* Regularised incomplete beta function I_x(a, b), a and b > 0, 0 <= x <= 1; else NAN. */
double stats_ibeta(double a, double b, double x);
/* P(at most k of n), each with probability p. 0 for k < 0, 1 for k >= n. */
double stats_binomial_cdf(long k, long n, double p);
/* Natural logarithm of n over k; -INFINITY where k > n. */
double stats_log_choose(size_t n, size_t k);

/* ---- Quantiles (stats_quantile.c) ---- */

/* Ascending, in place. */
void stats_sort(double *values, size_t n);
/* Of sorted values: the one of rank ceil(q n), as hist_quantile() has it; NAN for n = 0. */
double stats_quantile(const double *sorted, size_t n, double q);
/* Of sorted values: the middle one, or the mean of the middle two; NAN for n = 0. */
double stats_median(const double *sorted, size_t n);

/*
 * Distribution-free interval of the quantile q (0 < q < 1) from sorted values: between two order
 * statistics, each tail of the binomial at most (1 - confidence)/2, so it covers at least as often
 * as it says, whatever the distribution, if the values are independent. False, and the interval
 * untouched, where n is below stats_quantile_least(): no bound exists, print "no bound".
 */
bool stats_quantile_interval(const double *sorted, size_t n, double q, double confidence,
	struct stats_interval *interval);
/* The least n with a two-sided bound: p50 6, p90 36, p95 72, p99 368, p99.9 3688 at 0.95. */
size_t stats_quantile_least(double q, double confidence);

/*
 * Ratio a/b of the quantile q of two samples (sorts neither: both are sorted already, all values
 * > 0). Each side's interval has half the allowed error, so the ratio's interval covers at least
 * the confidence for independent values. have_interval is false where n is too small on a side.
 */
struct stats_tail_ratio {
	double ratio;
	bool have_interval;
	struct stats_interval interval;
};
int stats_tail_ratio(const double *sorted_a, size_t n_a, const double *sorted_b, size_t n_b,
	double q, double confidence, struct stats_tail_ratio *result);

/*
 * The same for requests that came in rounds, whose values are alike within a round: two-level
 * bootstrap (rounds, then values of each), resamples times. A percentile bootstrap of a tail covers
 * too seldom when n is small (p99 of n = 300: 81 %): only beside stats_tail_ratio() or for
 * n >= 1000. values holds the rounds one after another, sizes[i] values of round i; an empty round
 * is -EINVAL. With one round on a side there is no interval.
 */
struct stats_rounds {
	const double *values;
	const size_t *sizes;
	size_t rounds;
};
int stats_tail_ratio_bootstrap(const struct stats_rounds *a, const struct stats_rounds *b, double q,
	double confidence, size_t resamples, struct stats_random *random,
	struct stats_tail_ratio *result);

/* ---- Means (stats_share.c) ---- */

/*
 * Mean of a few values that are independent and nearly normal, such as the means of long windows,
 * and its interval by Student's t (1908). n >= 2 finite values, else -EINVAL. From their sum and
 * sum of squares: stats_sums_interval(); -EINVAL too for sums that no values have.
 */
struct stats_mean {
	double mean;
	struct stats_interval interval;
};
int stats_mean_interval(
	const double *values, size_t n, double confidence, struct stats_mean *result);
int stats_sums_interval(
	double sum, double square_sum, size_t n, double confidence, struct stats_mean *result);

/* ---- Two unpaired samples (stats_ranks.c) ---- */

struct stats_ranks {
	double u;	  /* pairs (a, b) with b > a, a tie counts half: of n_a * n_b */
	double p_greater; /* were b not greater than a, so large a u or larger came with this p */
	double p_less;
	double p;   /* two-sided */
	bool exact; /* by the exact distribution: no ties and n_a + n_b <= 50 */
};

/*
 * Mann-Whitney, exact or normal with continuity and tie correction. For one look at a sample of a
 * size fixed beforehand: looked at again and again it is wrong in 28 % of all A/A cases. Values may
 * be infinite. With 3 against 3 it cannot reach p < 0.05; 4 against 4 reaches 0.029.
 */
int stats_mann_whitney(
	const double *a, size_t n_a, const double *b, size_t n_b, struct stats_ranks *result);
/* Ways to get U = u without ties: fills counts[0 .. n_a*n_b]; n_a + n_b <= 50, else -E2BIG. */
int stats_mann_whitney_counts(size_t n_a, size_t n_b, double *counts);

/*
 * Hodges-Lehmann: the median of all b - a (shift) or b / a (ratio), with the interval that belongs
 * to Mann-Whitney (Lehmann 1975). have_interval is false where the samples are too small for it.
 * Ratio wants all values > 0. At most 4 million pairs, else -E2BIG: thin the samples.
 */
struct stats_shift {
	double estimate;
	bool have_interval;
	struct stats_interval interval;
};
int stats_shift(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
	struct stats_shift *result);
int stats_ratio(const double *a, size_t n_a, const double *b, size_t n_b, double confidence,
	struct stats_shift *result);

/* ---- Shares and exact tests (stats_share.c) ---- */

/* Wilson's interval of hits of n (1927). */
int stats_share_interval(size_t hits, size_t n, double confidence, struct stats_interval *interval);
/* Of share a minus share b: Newcombe's hybrid score interval (1998, method 10). */
int stats_share_difference(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double confidence,
	struct stats_interval *interval);
/* Fisher's exact test of two shares, two-sided: all tables at most as likely as this one. */
int stats_fisher(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double *p);
/* The same one-sided: the tables with as many hits of a as this one, or more. Quick for large n. */
int stats_fisher_greater(size_t hits_a, size_t n_a, size_t hits_b, size_t n_b, double *p);

/*
 * Exact permutation test: does the mean of the values marked exceed that of the others by chance?
 * Over all ways to mark as many of n (the rounds of an A/B test): p_greater is the share of them
 * whose difference is at least as large, p that of its size in either direction. 8 rounds, 4 a
 * side: 70 ways, least p_greater 0.014. n <= 22, else -E2BIG.
 */
struct stats_permutation {
	double difference; /* mean of the marked minus mean of the others */
	double p_greater, p;
	size_t ways;
};
int stats_permutation(
	const double *values, const bool *marked, size_t n, struct stats_permutation *result);

/* ---- A course of values (stats_trend.c) ---- */

/*
 * Theil-Sen: the median of the slopes of all pairs, per unit of time, with Sen's interval (1968),
 * which is widened by (1 + r)/(1 - r) in variance, r being the lag-1 autocorrelation of what is
 * left (Bayley and Hammersley 1946): values that follow each other say less than as many
 * independent ones. level + slope * time is the line. Up to 29 % of wild values do not move it.
 * times ascend; n from 3 to 2000, else -EINVAL or -E2BIG. have_interval is false where n is too
 * small for it.
 */
struct stats_trend {
	double slope, level;
	bool have_interval;
	struct stats_interval interval;
};
int stats_trend(const double *times, const double *values, size_t n, double confidence,
	struct stats_trend *result);

/* Lag-1 autocorrelation, 0 where nothing varies; and (1 + r)/(1 - r), at least 1, at most n/2. */
double stats_autocorrelation(const double *values, size_t n);
double stats_redundancy(double autocorrelation, size_t n);

/* ---- Paired experiments, looked at after every pair (stats_pairs.c) ---- */

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
