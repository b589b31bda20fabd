// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do the statistics give what the literature's tables and plain enumeration give? Built optimised,
 * as the arithmetic is that ships.
 */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "stats/stats.h"
#include "tests/unit/random.h"
#include "tests/unit/tap.h"
#include "stats/random.h"
#include "stats/distribution.h"
#include "stats/quantile.h"
#include "stats/tail_ratio.h"
#include "stats/proportion.h"
#include "stats/ranks.h"
#include "stats/sequential.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool near(double value, double expected, double error)
{
	return fabs(value - expected) <= error;
}

static void random_numbers(void)
{
	struct stats_random a = {{1, 2, 3, 4}}, b;
	uint64_t seen[3] = {0};
	size_t heads = 0;

	ok(stats_random_next(&a) == 11520 && stats_random_next(&a) == 0 &&
			stats_random_next(&a) == 1509978240 &&
			stats_random_next(&a) == 1215971899390074240,
		"xoshiro256** from 1 2 3 4 gives its published numbers");
	stats_random_seed(&a, 1234567);
	ok(a.state[0] == 6457827717110365317, "SplitMix64 of 1234567 gives its published number");
	stats_random_seed(&b, 1234567);
	ok(stats_random_next(&a) == stats_random_next(&b), "the same seed gives the same numbers");
	for (int i = 0; i < 30000; i++) {
		seen[stats_random_below(&a, 3)]++;
		heads += stats_random_coin(&a);
	}
	/* Five standard deviations: 82 and 87. */
	ok(near((double)seen[0], 10000, 410) && near((double)seen[1], 10000, 410) &&
			near((double)seen[2], 10000, 410),
		"one of three comes a third of the time");
	ok(near((double)heads, 15000, 435), "the coin is fair");
}

static void table(const char *what, double value, double expected, double error)
{
	ok(near(value, expected, error), "%s is %.10g", what, expected);
}

static void special_functions(void)
{
	double t = 2.228139, f = 3.325835;

	table("normal(1.96)", stats_normal_cdf(1.96), 0.9750021048517795, 1e-14);
	ok(near(stats_normal_cdf(-5) / 2.866515718791939e-07, 1, 1e-12),
		"normal(-5) is 2.8665e-07");
	table("the normal quantile of 0.975", stats_normal_quantile(0.975), 1.959963984540054,
		1e-13);
	table("the normal quantile of 0.999", stats_normal_quantile(0.999), 3.090232306167813,
		1e-12);
	table("the normal quantile of 0.5", stats_normal_quantile(0.5), 0, 1e-15);
	ok(isnan(stats_normal_quantile(0)) && isnan(stats_normal_quantile(1)) &&
			isnan(stats_normal_quantile(NAN)),
		"0, 1 and NaN have no normal quantile");
	table("I_0.5(0.5, 0.5)", stats_ibeta(0.5, 0.5, 0.5), 0.5, 1e-14);
	table("I_0.3(2, 3)", stats_ibeta(2, 3, 0.3), 0.3483, 1e-14);
	table("I_0.2(1, 7)", stats_ibeta(1, 7, 0.2), 1 - pow(0.8, 7), 1e-14);
	table("Student's t 2.228 for 10", stats_ibeta(5, 0.5, 10 / (10 + t * t)), 0.05, 1e-6);
	table("Student's t of 0.975 for 10", stats_student_quantile(0.975, 10), 2.228139, 1e-6);
	table("Student's t of 0.025 for 1", stats_student_quantile(0.025, 1), -12.7062, 1e-4);
	table("Student's t of 0.5 for 3", stats_student_quantile(0.5, 3), 0, 1e-6);
	table("Fisher's F 3.326 for 5, 10", stats_ibeta(5, 2.5, 10 / (10 + 5 * f)), 0.05, 1e-6);
	ok(isnan(stats_ibeta(0, 1, 0.5)) && isnan(stats_ibeta(1, 1, 2)) &&
			isnan(stats_ibeta(1, NAN, 0.5)) && stats_ibeta(2, 2, 0) == 0 &&
			stats_ibeta(2, 2, 1) == 1,
		"outside its domain the incomplete beta function is NaN");
	table("at most 3 of 10 heads", stats_binomial_cdf(3, 10, 0.5), 176 / 1024.0, 1e-14);
	ok(stats_binomial_cdf(-1, 10, 0.5) == 0 && stats_binomial_cdf(10, 10, 0.5) == 1,
		"fewer than 0 never come, at most n always");
	table("hands of poker", exp(stats_log_choose(52, 5)), 2598960, 1e-6);
	ok(isinf(stats_log_choose(3, 4)), "four of three cannot be chosen");
}

static void quantiles(void)
{
	static const double q[] = {0.5, 0.9, 0.95, 0.99, 0.999};
	static const size_t least[] = {6, 36, 72, 368, 3688};
	double values[368] = {3, 1, 2, 4}, infinite[] = {1, INFINITY, INFINITY, INFINITY};
	struct stats_interval interval = {-1, -1};

	stats_sort(values, 4);
	ok(values[0] == 1 && values[3] == 4, "values are sorted");
	ok(stats_median(values, 4) == 2.5 && stats_median(values, 3) == 2,
		"medians are in the middle");
	ok(stats_quantile(values, 4, 0.5) == 2 && stats_quantile(values, 4, 0.51) == 3 &&
			stats_quantile(values, 4, 0) == 1 && stats_quantile(values, 4, 1) == 4 &&
			stats_quantile(values, 4, 7) == 4,
		"a quantile is the value of rank ceil(q n)");
	ok(isnan(stats_median(values, 0)) && isnan(stats_quantile(values, 0, 0.5)),
		"nothing has no quantile");
	ok(isinf(stats_median(infinite, 4)), "an infinite median is infinite, not NaN");
	for (size_t i = 0; i < COUNT(q); i++)
		ok(stats_quantile_least(q[i], 0.95) == least[i], "p%g needs %zu values", q[i] * 100,
			least[i]);
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (double)i + 1;
	ok(!stats_quantile_interval(values, 367, 0.99, 0.95, &interval) && interval.low == -1,
		"367 values have no two-sided bound of p99");
	ok(stats_quantile_interval(values, 368, 0.99, 0.95, &interval) && interval.high == 368,
		"368 values have one");
	/* Conover's table of the sign test: 2 of 10 is at 0.0547/2, so ranks 2 and 9. */
	ok(stats_quantile_interval(values, 10, 0.5, 0.95, &interval) && interval.low == 2 &&
			interval.high == 9,
		"ten values: the median is between the second and the ninth");
	ok(!stats_quantile_interval(values, 368, 1, 0.95, &interval) &&
			!stats_quantile_interval(values, 368, NAN, 0.95, &interval),
		"there is no bound of p100 or of NaN");
}

/* U of a marking: how many unmarked (a) are below each marked (b). */
static size_t u_of(unsigned int mark, size_t n)
{
	size_t u = 0, a = 0;

	for (size_t i = 0; i < n; i++) {
		if (mark >> i & 1)
			u += a;
		else
			a++;
	}
	return u;
}

/* All markings of n_a + n_b ranks, counted by their U. */
static void brute_force(size_t n_a, size_t n_b, double *counts)
{
	for (size_t u = 0; u <= n_a * n_b; u++)
		counts[u] = 0;
	for (unsigned int mark = 0; mark < 1U << (n_a + n_b); mark++)
		if ((size_t)__builtin_popcount(mark) == n_b)
			counts[u_of(mark, n_a + n_b)]++;
}

/* Every sample of n_a and n_b ranks has the p that counting gives. */
static bool p_is_exact(size_t n_a, size_t n_b, const double *counts)
{
	for (unsigned int mark = 0; mark < 1U << (n_a + n_b); mark++) {
		double a[6], b[6], below = 0, above = 0, all = 0;
		size_t i_a = 0, i_b = 0, u = u_of(mark, n_a + n_b);
		struct stats_ranks ranks;

		if ((size_t)__builtin_popcount(mark) != n_b)
			continue;
		for (size_t i = 0; i < n_a + n_b; i++)
			*(mark >> i & 1 ? &b[i_b++] : &a[i_a++]) = (double)i;
		for (size_t i = 0; i <= n_a * n_b; i++) {
			all += counts[i];
			below += i <= u ? counts[i] : 0;
			above += i >= u ? counts[i] : 0;
		}
		if (stats_mann_whitney(a, n_a, b, n_b, &ranks) || !ranks.exact ||
			ranks.u != (double)u || !near(ranks.p_less, below / all, 1e-12) ||
			!near(ranks.p_greater, above / all, 1e-12) ||
			!near(ranks.p, fmin(1, 2 * fmin(below, above) / all), 1e-12))
			return false;
	}
	return true;
}

static void mann_whitney_exact(void)
{
	static const size_t sizes[] = {5, 8, 10, 20}, critical[] = {2, 13, 23, 127};
	double counts[626], brute[37];
	bool same = true, exact = true;

	for (size_t n_a = 1; n_a <= 6; n_a++) {
		for (size_t n_b = 1; n_b <= 6; n_b++) {
			brute_force(n_a, n_b, brute);
			same &= !stats_mann_whitney_counts(n_a, n_b, counts);
			for (size_t u = 0; u <= n_a * n_b; u++)
				same &= counts[u] == brute[u];
			exact &= p_is_exact(n_a, n_b, brute);
		}
	}
	ok(same, "the distribution of U equals plain counting for all sizes to 6 and 6");
	ok(exact, "and so does every p, of either side and both");
	for (size_t i = 0; i < COUNT(sizes); i++) {
		double all = exp(stats_log_choose(2 * sizes[i], sizes[i])), below = 0;

		stats_mann_whitney_counts(sizes[i], sizes[i], counts);
		for (size_t u = 0; u <= critical[i]; u++)
			below += counts[u];
		ok(below / all <= 0.025 && (below + counts[critical[i] + 1]) / all > 0.025,
			"the table's critical U of %zu and %zu is %zu", sizes[i], sizes[i],
			critical[i]);
	}
	ok(stats_mann_whitney_counts(26, 25, counts) == -E2BIG, "51 values are too many to count");
}

static void mann_whitney_odd(void)
{
	double a[] = {1, 1, 2}, b[] = {1, 2, 3}, wrong[] = {1, NAN};
	double low[] = {1, 2, 3, 4}, high[] = {15, 16, 17, INFINITY};
	struct stats_ranks ranks;
	struct stats_shift shift;

	ok(!stats_mann_whitney(a, 3, b, 3, &ranks) && !ranks.exact && ranks.u == 6.5,
		"a tie counts half, and makes p normal");
	ok(!stats_mann_whitney(a, 2, a, 2, &ranks) && ranks.p == 1, "all equal is p = 1");
	ok(!stats_mann_whitney(low, 4, high, 4, &ranks) && near(ranks.p, 2 / 70.0, 1e-12),
		"four against four reaches 0.029, infinite values too");
	ok(stats_mann_whitney(wrong, 2, b, 3, &ranks) == -EINVAL &&
			stats_mann_whitney(a, 0, b, 3, &ranks) == -EINVAL,
		"NaN and nothing are refused");
	high[3] = 18;
	ok(!stats_shift(low, 4, high, 4, 0.95, &shift) && shift.estimate == 14 &&
			shift.have_interval && shift.interval.low == 11 &&
			shift.interval.high == 17,
		"the shift of two samples, 14, has the whole range for an interval at 4 and 4");
	ok(!stats_ratio(low, 3, high, 3, 0.95, &shift) && !shift.have_interval,
		"three and three have none");
	ok(stats_ratio((double[]){0, 1}, 2, high, 3, 0.95, &shift) == -EINVAL &&
			stats_shift(low, 0, high, 3, 0.95, &shift) == -EINVAL &&
			stats_shift(low, 3, high, 0, 0.95, &shift) == -EINVAL,
		"no ratio to zero, none of nothing");
}

static bool interval_is(struct stats_interval interval, double low, double high)
{
	return near(interval.low, low, 5e-5) && near(interval.high, high, 5e-5);
}

/* Newcombe, Statistics in Medicine 17 (1998): 857-872 for one share, 873-890 for two. */
static void shares(void)
{
	struct stats_interval interval;
	double p;

	ok(!stats_share_interval(81, 263, 0.95, &interval) && interval_is(interval, 0.2553, 0.3662),
		"Wilson of 81/263 as in Newcombe's table");
	ok(!stats_share_interval(15, 148, 0.95, &interval) && interval_is(interval, 0.0624, 0.1605),
		"and of 15/148");
	ok(!stats_share_interval(0, 20, 0.95, &interval) && interval_is(interval, 0, 0.1611) &&
			interval.low == 0,
		"and of 0/20");
	ok(stats_share_interval(3, 2, 0.95, &interval) == -EINVAL &&
			stats_share_interval(0, 0, 0.95, &interval) == -EINVAL &&
			stats_share_interval(1, 2, NAN, &interval) == -EINVAL,
		"more hits than tries, none, and NaN are refused");
	ok(!stats_share_difference(56, 70, 48, 80, 0.95, &interval) &&
			interval_is(interval, 0.0524, 0.3339),
		"the difference of 56/70 and 48/80 as in Newcombe's table");
	ok(!stats_share_difference(9, 10, 3, 10, 0.95, &interval) &&
			interval_is(interval, 0.1705, 0.8090),
		"and of 9/10 and 3/10");
	ok(!stats_fisher(3, 4, 1, 4, &p) && near(p, 34 / 70.0, 1e-9),
		"the lady tasting tea: 0.486");
	ok(!stats_fisher(4, 4, 0, 4, &p) && near(p, 2 / 70.0, 1e-9), "had she known all: 0.029");
	ok(!stats_fisher(0, 9, 0, 9, &p) && near(p, 1, 1e-9), "no hits differ in nothing");
	ok(stats_fisher(5, 4, 0, 4, &p) == -EINVAL, "more hits than tries are refused");
}

static void permutation(void)
{
	double values[] = {9, 1, 2, 8, 7, 3, 4, 6},
	       equal[8] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
	bool marked[23] = {true, false, false, true, true, false, false, true};
	double many[23] = {0};
	struct stats_permutation result;

	ok(!stats_permutation(values, marked, 8, &result) && result.ways == 70 &&
			near(result.p_greater, 1 / 70.0, 1e-12) &&
			near(result.p, 2 / 70.0, 1e-12) && near(result.difference, 5, 1e-12),
		"four rounds above four others: 0.014 of 70 ways");
	for (size_t i = 0; i < 8; i++)
		values[i] = -values[i];
	ok(!stats_permutation(values, marked, 8, &result) && result.p_greater == 1,
		"four below are certainly not above");
	ok(!stats_permutation(equal, marked, 8, &result) && result.p == 1 && result.p_greater == 1,
		"equal rounds differ in nothing");
	ok(!stats_permutation(many, marked, 22, &result) && result.ways == 7315,
		"all ways are counted, 4 of 22");
	ok(stats_permutation(many, marked, 23, &result) == -E2BIG &&
			stats_permutation(many, marked + 8, 8, &result) == -EINVAL &&
			stats_permutation(values, marked, 0, &result) == -EINVAL &&
			stats_permutation((double[]){NAN, 1}, marked, 2, &result) == -EINVAL,
		"too many rounds, one side only, none, and NaN are refused");
}

static void tails(void)
{
	double a[400], b[400];
	size_t sizes[] = {100, 100, 100, 100}, empty[] = {400, 0};
	struct stats_rounds of_a = {a, sizes, 4}, of_b = {b, sizes, 4}, bad = {a, empty, 2};
	struct stats_tail_ratio result;
	struct stats_random random;

	stats_random_seed(&random, 5);
	for (size_t i = 0; i < 400; i++) {
		a[i] = 3 * ((double)i + 100);
		b[i] = (double)i + 100;
	}
	ok(!stats_tail_ratio(a, 400, b, 400, 0.95, 0.95, &result) && result.ratio == 3 &&
			result.have_interval && result.interval.low < 3 && result.interval.high > 3,
		"a tail three times as long has a ratio of three within its interval");
	ok(!stats_tail_ratio(a, 400, b, 400, 0.99, 0.95, &result) && !result.have_interval,
		"400 values a side bound no ratio of p99");
	ok(!stats_tail_ratio_bootstrap(&of_a, &of_b, 0.95, 0.95, 200, &random, &result) &&
			result.ratio == 3 && result.have_interval && result.interval.low < 3 &&
			result.interval.high > 3,
		"the bootstrap over rounds agrees");
	ok(stats_tail_ratio_bootstrap(&bad, &of_b, 0.95, 0.95, 9, &random, &result) == -EINVAL &&
			stats_tail_ratio_bootstrap(&of_a, &of_b, 0.95, 0.95, 0, &random, &result) ==
				-EINVAL,
		"an empty round and no resamples are refused");
	b[0] = 0;
	ok(stats_tail_ratio(a, 400, b, 400, 0.95, 0.95, &result) == -EINVAL, "no ratio to zero");
}

/* The answer after count pairs alike. */
static enum stats_pairs_answer after(size_t count, double baseline, double changed)
{
	enum stats_pairs_answer answer;
	struct stats_pairs pairs;

	stats_pairs_init(&pairs, 0.05, 20);
	for (size_t i = 0; i < count; i++)
		stats_pairs_add(&pairs, baseline, changed);
	answer = pairs.answer;
	stats_pairs_free(&pairs);
	return answer;
}

static void pairs_answers(void)
{
	ok(after(7, 1, 2) == PAIRS_GO_ON && after(8, 1, 2) == PAIRS_CHANGED &&
			after(8, 2, 1) == PAIRS_CHANGED,
		"eight pairs of a double or a half are a change, seven are not yet");
	ok(after(8, 1, 1) == PAIRS_SAME && after(8, 0, 0) == PAIRS_SAME &&
			after(8, 1, 1.04) == PAIRS_SAME,
		"eight equal pairs are the same, of zeros too, or within the margin");
	ok(after(8, 0, 3) == PAIRS_CHANGED && after(8, 3, 0) == PAIRS_CHANGED,
		"from nothing to something and back is a change");
	ok(after(19, 1, 1.05) == PAIRS_GO_ON && after(20, 1, 1.05) == PAIRS_INCONCLUSIVE,
		"at the margin itself nothing is proven, and the budget ends it");
}

static void pairs_odd(void)
{
	struct stats_pairs_estimate estimate;
	struct stats_pairs pairs;

	ok(stats_pairs_init(&pairs, 0, 20) == -EINVAL &&
			stats_pairs_init(&pairs, NAN, 20) == -EINVAL &&
			stats_pairs_init(&pairs, 0.05, 7) == -EINVAL &&
			stats_pairs_init(&pairs, 0.05, STATS_PAIRS_MAX + 1) == -EINVAL,
		"no margin, and budgets too small or too large, are refused");
	stats_pairs_free(&pairs);
	stats_pairs_init(&pairs, 0.05, 8);
	ok(stats_pairs_estimate(&pairs, &estimate) == -EINVAL, "no pair, no estimate");
	ok(stats_pairs_add(&pairs, -1, 1) == -EINVAL &&
			stats_pairs_add(&pairs, 1, NAN) == -EINVAL &&
			stats_pairs_add(&pairs, INFINITY, 1) == -EINVAL && pairs.n == 0,
		"negative, NaN and infinite measurements are refused and not counted");
	for (int i = 0; i < 7; i++)
		stats_pairs_add(&pairs, 10, 20 + i);
	ok(!stats_pairs_estimate(&pairs, &estimate) && estimate.ratio == 2.3 &&
			!estimate.have_interval,
		"seven pairs have a median and no interval");
	stats_pairs_add(&pairs, 0, 1);
	ok(!stats_pairs_estimate(&pairs, &estimate) && estimate.have_interval &&
			estimate.interval.low == 2 && isinf(estimate.interval.high) &&
			isfinite(estimate.noise),
		"eight have their whole range, to infinity if one began at zero");
	ok(stats_pairs_add(&pairs, 1, 1) == -ENOSPC && pairs.n == 8, "the budget is kept");
	stats_pairs_free(&pairs);
	stats_pairs_free(&pairs);
	stats_pairs_init(&pairs, 0.05, 8);
	stats_pairs_add(&pairs, 0, 1);
	ok(!stats_pairs_estimate(&pairs, &estimate) && isinf(estimate.ratio) &&
			isnan(estimate.noise),
		"an infinite ratio has no noise");
	stats_pairs_free(&pairs);
}

/* Ten windows of normal noise, and how often the interval holds the true mean. */
static void means(void)
{
	struct stats_mean mean = {0};
	struct stats_random random;
	double values[10] = {2, 4};
	int covered = 0;

	stats_random_seed(&random, 17);
	ok(!stats_mean_interval(values, 2, 0.95, &mean) && mean.mean == 3 &&
			fabs(mean.interval.high - 3 - 12.7062) < 1e-3,
		"the mean of two values has the wide interval of one degree of freedom");
	ok(stats_mean_interval(values, 1, 0.95, &mean) == -EINVAL &&
			stats_mean_interval(values, 0, 0.95, &mean) == -EINVAL &&
			stats_sums_interval(2, 1, 2, 0.95, &mean) == -EINVAL &&
			stats_sums_interval(NAN, 1, 2, 0.95, &mean) == -EINVAL,
		"one value, none, or sums of no values have no interval");
	for (int trial = 0; trial < 4000; trial++) {
		for (int i = 0; i < 10; i++)
			values[i] = 1e6 + random_normal(&random);
		stats_mean_interval(values, 10, 0.95, &mean);
		covered += mean.interval.low <= 1e6 && mean.interval.high >= 1e6;
	}
	/* 4000 trials of 0.95: 3800 with a standard deviation of 14. */
	ok(covered > 3745 && covered < 3855, "95 %% of its intervals hold the mean (%d of 4000)",
		covered);
}

int main(void)
{
	random_numbers();
	special_functions();
	means();
	quantiles();
	mann_whitney_exact();
	mann_whitney_odd();
	shares();
	permutation();
	tails();
	pairs_answers();
	pairs_odd();
	return tap_done();
}
