// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often are the statistics wrong? Simulated with fixed seeds; the rates are printed, and
 * docs/statistics.md has them. An error rate may exceed its promise only as far as chance lets one
 * case in a thousand do. Built optimised, for the time that it takes.
 */
#include "base/banned.h"

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

static double normal(struct stats_random *random)
{
	return 100 + 10 * random_normal(random);
}

static double lognormal(struct stats_random *random)
{
	return exp(0.8 * random_normal(random));
}

static double pareto(struct stats_random *random)
{
	return pow(1 - random_uniform(random), -1 / 1.5);
}

/* Not half and half: the median would lie in the gap. */
static double bimodal(struct stats_random *random)
{
	double mode = random_uniform(random) < 0.4 ? 10 : 20;

	return mode + random_normal(random);
}

static double ticks(struct stats_random *random)
{
	return round(10 + 1.5 * random_normal(random));
}

static const struct {
	const char *name;
	double (*draw)(struct stats_random *random);
} shapes[] = {
	{"normal", normal},
	{"lognormal", lognormal},
	{"Pareto 1.5", pareto},
	{"bimodal", bimodal},
	{"ticks", ticks},
};

static void fill(struct stats_random *random, size_t shape, double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = shapes[shape].draw(random);
}

/* So few errors that a true rate of promise would have fewer in 999 of 1000 cases. */
static bool at_most(size_t errors, size_t trials, double promise)
{
	return stats_binomial_cdf((long)errors - 1, (long)trials, promise) <= 0.999;
}

static void false_alarms(size_t shape, size_t n)
{
	enum { TRIALS = 2000 };
	struct stats_random random;
	size_t alarms = 0;
	double a[20], b[20];

	stats_random_seed(&random, 100 * n + shape);
	for (size_t i = 0; i < TRIALS; i++) {
		struct stats_ranks ranks = {0};

		fill(&random, shape, a, n);
		fill(&random, shape, b, n);
		stats_mann_whitney(a, n, b, n, &ranks);
		alarms += ranks.p <= 0.05;
	}
	printf("# Mann-Whitney, %s, %zu and %zu alike: %.1f %% at p <= 0.05\n", shapes[shape].name,
		n, n, 100.0 * (double)alarms / TRIALS);
	ok(at_most(alarms, TRIALS, 0.05),
		"Mann-Whitney cries wolf at most 5 %% of the time: %s, %zu", shapes[shape].name, n);
}

static void quantile_coverage(size_t shape, double q, size_t n)
{
	enum { TRIALS = 1000, MANY = 100000 };
	static double many[MANY];
	struct stats_random random;
	size_t covered = 0;
	double truth;

	stats_random_seed(&random, 7000 + 100 * n + shape);
	fill(&random, shape, many, MANY);
	stats_sort(many, MANY);
	truth = stats_quantile(many, MANY, q);
	for (size_t i = 0; i < TRIALS; i++) {
		struct stats_interval interval = {NAN, NAN};

		fill(&random, shape, many, n);
		stats_sort(many, n);
		stats_quantile_interval(many, n, q, 0.95, &interval);
		covered += interval.low <= truth && truth <= interval.high;
	}
	printf("# interval of p%g, %s, n = %zu: covers %.1f %%\n", q * 100, shapes[shape].name, n,
		100.0 * (double)covered / TRIALS);
	ok(covered >= 0.93 * TRIALS, "the interval of p%g covers: %s", q * 100, shapes[shape].name);
}

static void ratio_coverage(void)
{
	enum { TRIALS = 1000, N = 10 };
	struct stats_random random;
	size_t covered = 0;
	double a[N], b[N];

	stats_random_seed(&random, 31);
	for (size_t i = 0; i < TRIALS; i++) {
		struct stats_shift ratio = {0};

		fill(&random, 1, a, N);
		fill(&random, 1, b, N);
		for (size_t j = 0; j < N; j++)
			b[j] *= 1.3;
		stats_ratio(a, N, b, N, 0.95, &ratio);
		covered += ratio.interval.low <= 1.3 && 1.3 <= ratio.interval.high;
	}
	printf("# Hodges-Lehmann ratio, lognormal, 10 and 10: covers %.1f %%\n",
		100.0 * (double)covered / TRIALS);
	ok(covered >= 0.93 * TRIALS, "the interval of a ratio covers");
}

/* Not simulated: the sum over all that can come. */
static void share_coverage(void)
{
	static const double shares[] = {0.02, 0.05, 0.1, 0.3, 0.5};
	double mean = 0;

	for (size_t i = 0; i < COUNT(shares); i++) {
		double p = shares[i], covers = 0;

		for (size_t hits = 0; hits <= 100; hits++) {
			struct stats_interval interval = {NAN, NAN};

			stats_share_interval(hits, 100, 0.95, &interval);
			if (interval.low <= p && p <= interval.high)
				covers += stats_binomial_cdf((long)hits, 100, p) -
					stats_binomial_cdf((long)hits - 1, 100, p);
		}
		printf("# Wilson, share %g, n = 100: covers %.1f %%\n", p, 100 * covers);
		mean += covers / COUNT(shares);
		ok(covers >= 0.93, "Wilson's interval covers a share of %g", p);
	}
	ok(mean >= 0.945, "and on average what it says");
}

static void tail_coverage(void)
{
	enum { TRIALS = 300, N = 500, BOOTSTRAPS = 60 };
	static double a[N], b[N];
	size_t sizes[] = {125, 125, 125, 125}, covered = 0, bootstrap = 0;
	struct stats_rounds of_a = {a, sizes, 4}, of_b = {b, sizes, 4};
	struct stats_random random;

	stats_random_seed(&random, 32);
	for (size_t i = 0; i < TRIALS; i++) {
		struct stats_tail_ratio tail = {0};

		fill(&random, 1, a, N);
		fill(&random, 1, b, N);
		if (i < BOOTSTRAPS) {
			stats_tail_ratio_bootstrap(&of_a, &of_b, 0.95, 0.95, 200, &random, &tail);
			bootstrap += tail.interval.low <= 1 && 1 <= tail.interval.high;
		}
		stats_sort(a, N);
		stats_sort(b, N);
		stats_tail_ratio(a, N, b, N, 0.99, 0.95, &tail);
		covered += tail.interval.low <= 1 && 1 <= tail.interval.high;
	}
	printf("# ratio of p99, lognormal, 500 and 500: covers %.1f %%\n",
		100.0 * (double)covered / TRIALS);
	printf("# bootstrap of the ratio of p95 over 4 rounds of 125: covers %.1f %%\n",
		100.0 * (double)bootstrap / BOOTSTRAPS);
	ok(covered >= 0.93 * TRIALS, "the interval of a ratio of tails covers");
	ok(bootstrap >= 0.85 * BOOTSTRAPS, "the bootstrap of a p95 from 500 values is not far off");
}

static void martingale(void)
{
	bool exact = true;

	for (size_t n = 1; n <= 16; n++) {
		double sum = 0;

		for (unsigned int sequence = 0; sequence < 1U << n; sequence++)
			sum += exp(stats_sign_log_e(n, (size_t)__builtin_popcount(sequence)));
		exact &= fabs(sum / (1U << n) - 1) < 1e-10;
	}
	ok(exact, "over all sequences of 1 to 16 signs the mean e-value is 1");
	ok(fabs(exp(stats_sign_log_e(8, 8)) - 256 / 9.0) < 1e-9 &&
			fabs(exp(stats_sign_log_e(7, 7)) - 16) < 1e-9,
		"8 of 8 is 28.4, 7 of 7 is 16");
}

static void peeking(void)
{
	enum { TRIALS = 4000, RANKED = 200, PAIRS = 200 };
	struct stats_random random;
	size_t alarms = 0, by_ranks = 0;
	double a[PAIRS], b[PAIRS];

	stats_random_seed(&random, 41);
	for (size_t i = 0; i < TRIALS; i++) {
		size_t heads = 0;
		bool alarm = false;

		for (size_t n = 1; n <= PAIRS; n++) {
			heads += stats_random_coin(&random);
			alarm |= stats_sign_log_e(n, heads) >= log(STATS_E_BOUND);
		}
		alarms += alarm;
	}
	for (size_t i = 0; i < RANKED; i++) {
		struct stats_ranks ranks = {.p = 1};

		fill(&random, 0, a, PAIRS);
		fill(&random, 0, b, PAIRS);
		for (size_t n = 5; n <= PAIRS && ranks.p > 0.05; n += 5)
			stats_mann_whitney(a, n, b, n, &ranks);
		by_ranks += ranks.p <= 0.05;
	}
	printf("# looked at after every pair to 200, nothing there: the e-value alarms %.1f %%, "
	       "Mann-Whitney every 5 pairs would %.1f %%\n",
		100.0 * (double)alarms / TRIALS, 100.0 * (double)by_ranks / RANKED);
	ok(at_most(alarms, TRIALS, 0.05),
		"peeking after every pair alarms at most 5 %% of the time");
}

/* One row: each measurement has this noise (lognormal), plus drift within a pair. */
struct scene {
	double ratio, noise, drift;
	size_t shape; /* 0: lognormal noise; else 1 + index into shapes, and ratio times that */
};

struct outcome {
	size_t answers[PAIRS_INCONCLUSIVE + 1], covered;
	double median_pairs;
};

enum { EXPERIMENTS = 1000, BUDGET = 200 };

static double measure(struct stats_random *random, const struct scene *scene)
{
	if (scene->shape)
		return shapes[scene->shape - 1].draw(random);
	return exp(scene->noise * random_normal(random));
}

static void experiment(
	struct stats_random *random, const struct scene *scene, struct stats_pairs *pairs)
{
	while (pairs->answer == PAIRS_GO_ON) {
		double baseline = measure(random, scene);
		double changed = scene->ratio * measure(random, scene);

		/* Whatever comes second is slower by the drift. */
		if (stats_random_coin(random))
			baseline *= 1 + scene->drift;
		else
			changed *= 1 + scene->drift;
		stats_pairs_add(pairs, fmax(baseline, 0), fmax(changed, 0));
	}
}

static void run(const struct scene *scene, struct outcome *outcome)
{
	static double lengths[EXPERIMENTS];
	struct stats_random random;

	*outcome = (struct outcome){0};
	stats_random_seed(&random, 51);
	for (size_t i = 0; i < EXPERIMENTS; i++) {
		struct stats_pairs_estimate estimate = {0};
		struct stats_pairs pairs;

		stats_pairs_init(&pairs, 0.05, BUDGET);
		experiment(&random, scene, &pairs);
		stats_pairs_estimate(&pairs, &estimate);
		outcome->answers[pairs.answer]++;
		outcome->covered += estimate.interval.low <= scene->ratio &&
			scene->ratio <= estimate.interval.high;
		lengths[i] = (double)pairs.n;
		stats_pairs_free(&pairs);
	}
	stats_sort(lengths, EXPERIMENTS);
	outcome->median_pairs = stats_median(lengths, EXPERIMENTS);
}

static double percent(size_t count)
{
	return 100.0 * (double)count / EXPERIMENTS;
}

static void show(const char *name, const struct outcome *outcome)
{
	printf("# %s: changed %.1f %%, same %.1f %%, inconclusive %.1f %%, %g pairs, covers %.1f "
	       "%%\n",
		name, percent(outcome->answers[PAIRS_CHANGED]),
		percent(outcome->answers[PAIRS_SAME]),
		percent(outcome->answers[PAIRS_INCONCLUSIVE]), outcome->median_pairs,
		percent(outcome->covered));
}

/* Least shares of the right answer, in percent, near what a study of the same rule measured. */
static void three_answers(void)
{
	static const struct {
		const char *name;
		struct scene scene;
		double changed, same; /* at least, percent */
	} rows[] = {
		{"A/A, noise 2 %", {1, 0.02, 0, 0}, 0, 98},
		{"A/A, noise 5 %", {1, 0.05, 0, 0}, 0, 93},
		{"A/A, noise 10 %", {1, 0.10, 0, 0}, 0, 0},
		{"A/A, noise 5 %, second slower by 10 %", {1, 0.05, 0.1, 0}, 0, 0},
		{"A/A, Pareto 1.5", {1, 0, 0, 3}, 0, 0},
		{"A/A, bimodal", {1, 0, 0, 4}, 0, 0},
		{"A/A, ticks", {1, 0, 0, 5}, 0, 0},
		{"+8 %, noise 2 %", {1.08, 0.02, 0, 0}, 95, 0},
		{"+8 %, noise 10 %", {1.08, 0.10, 0, 0}, 85, 0},
		{"-20 %, noise 10 %", {0.8, 0.10, 0, 0}, 99, 0},
	};
	struct outcome outcome;

	for (size_t i = 0; i < COUNT(rows); i++) {
		run(&rows[i].scene, &outcome);
		show(rows[i].name, &outcome);
		if (rows[i].scene.ratio == 1)
			ok(at_most(outcome.answers[PAIRS_CHANGED], EXPERIMENTS, 0.05),
				"at most 5 %% are called changed: %s", rows[i].name);
		else
			ok(at_most(outcome.answers[PAIRS_SAME], EXPERIMENTS, 0.05),
				"at most 5 %% are called the same: %s", rows[i].name);
		ok(percent(outcome.answers[PAIRS_CHANGED]) >= rows[i].changed &&
				percent(outcome.answers[PAIRS_SAME]) >= rows[i].same,
			"and the true answer is found: %s", rows[i].name);
		ok(at_most(EXPERIMENTS - outcome.covered, EXPERIMENTS, 0.05),
			"the interval covers when one stops: %s", rows[i].name);
	}
}

static void small_effect(void)
{
	struct scene small = {1.02, 0.05, 0, 0}, edge = {1.05, 0.05, 0, 0};
	struct outcome outcome;

	/* It does differ, so nothing promises 5 %: the estimate is beyond the margin by chance. */
	run(&small, &outcome);
	show("+2 %, noise 5 %", &outcome);
	ok(at_most(outcome.answers[PAIRS_CHANGED], EXPERIMENTS, 0.05),
		"what is within the margin is seldom called changed");
	run(&edge, &outcome);
	show("+5 %, the margin itself, noise 5 %", &outcome);
	ok(at_most(outcome.answers[PAIRS_SAME], EXPERIMENTS, 0.05),
		"what is at the margin is seldom called the same");
}

int main(void)
{
	for (size_t i = 0; i < COUNT(shapes); i++) {
		false_alarms(i, 4);
		false_alarms(i, 8);
		false_alarms(i, 20);
		quantile_coverage(i, 0.5, 20);
		quantile_coverage(i, 0.9, 60);
		quantile_coverage(i, 0.99, 400);
	}
	ratio_coverage();
	share_coverage();
	tail_coverage();
	martingale();
	peeking();
	three_answers();
	small_effect();
	return tap_done();
}
