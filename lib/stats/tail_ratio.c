// SPDX-License-Identifier: GPL-2.0-only
/* How much longer is one tail than the other? */
#include "base/banned.h"
#include "stats/stats.h"
#include "stats/tail_ratio.h"
#include "stats/random.h"
#include "stats/quantile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int positive(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(isfinite(values[i]) && values[i] > 0))
			return -EINVAL;
	return n ? 0 : -EINVAL;
}

static bool tail_ratio_sensible(double q, double confidence)
{
	return q > 0 && q < 1 && confidence > 0 && confidence < 1;
}

int stats_tail_ratio(const double *sorted_a, size_t n_a, const double *sorted_b, size_t n_b,
	double q, double confidence, struct stats_tail_ratio *result)
{
	double each = (1 + confidence) / 2; /* half the error for either side: Bonferroni */
	struct stats_interval a, b;

	if (!tail_ratio_sensible(q, confidence) || positive(sorted_a, n_a) ||
		positive(sorted_b, n_b))
		return -EINVAL;
	*result = (struct stats_tail_ratio){
		.ratio = stats_quantile(sorted_a, n_a, q) / stats_quantile(sorted_b, n_b, q),
	};
	if (stats_quantile_interval(sorted_a, n_a, q, each, &a) &&
		stats_quantile_interval(sorted_b, n_b, q, each, &b)) {
		result->have_interval = true;
		result->interval = (struct stats_interval){a.low / b.high, a.high / b.low};
	}
	return 0;
}

static size_t total(const struct stats_rounds *arm)
{
	size_t n = 0;

	for (size_t i = 0; i < arm->rounds; i++)
		n += arm->sizes[i];
	return n;
}

/* The most values that as many rounds, drawn with repetition, can have. */
static size_t tail_ratio_room(const struct stats_rounds *arm)
{
	size_t most = 0;

	for (size_t i = 0; i < arm->rounds; i++)
		most = arm->sizes[i] > most ? arm->sizes[i] : most;
	return most * arm->rounds;
}

static int filled(const struct stats_rounds *arm)
{
	for (size_t i = 0; i < arm->rounds; i++)
		if (!arm->sizes[i])
			return -EINVAL;
	return positive(arm->values, total(arm));
}

/* The quantile of one resample, drawn with repetition from rounds drawn with repetition. */
static double resample(
	const struct stats_rounds *arm, double q, struct stats_random *random, double *drawn)
{
	size_t n = 0;

	for (size_t i = 0; i < arm->rounds; i++) {
		size_t round = stats_random_below(random, arm->rounds), from = 0;

		for (size_t j = 0; j < round; j++)
			from += arm->sizes[j];
		for (size_t j = 0; j < arm->sizes[round]; j++)
			drawn[n++] =
				arm->values[from + stats_random_below(random, arm->sizes[round])];
	}
	stats_sort(drawn, n);
	return stats_quantile(drawn, n, q);
}

static double plain(const struct stats_rounds *arm, double q, double *drawn)
{
	size_t n = total(arm);

	for (size_t i = 0; i < n; i++)
		drawn[i] = arm->values[i];
	stats_sort(drawn, n);
	return stats_quantile(drawn, n, q);
}

int stats_tail_ratio_bootstrap(const struct stats_rounds *a, const struct stats_rounds *b, double q,
	double confidence, size_t resamples, struct stats_random *random,
	struct stats_tail_ratio *result)
{
	double *of_a = NULL, *of_b = NULL, *ratios = NULL;
	int err = -ENOMEM;

	if (!tail_ratio_sensible(q, confidence) || !resamples)
		return -EINVAL;
	if (filled(a) || filled(b))
		return -EINVAL;
	of_a = calloc(tail_ratio_room(a), sizeof(*of_a));
	of_b = calloc(tail_ratio_room(b), sizeof(*of_b));
	ratios = calloc(resamples, sizeof(*ratios));
	if (!of_a || !of_b || !ratios)
		goto out;
	result->ratio = plain(a, q, of_a) / plain(b, q, of_b);
	for (size_t i = 0; i < resamples; i++)
		ratios[i] = resample(a, q, random, of_a) / resample(b, q, random, of_b);
	stats_sort(ratios, resamples);
	result->have_interval = a->rounds > 1 && b->rounds > 1;
	result->interval.low = stats_quantile(ratios, resamples, (1 - confidence) / 2);
	result->interval.high = stats_quantile(ratios, resamples, (1 + confidence) / 2);
	err = 0;
out:
	free(of_a);
	free(of_b);
	free(ratios);
	return err;
}
