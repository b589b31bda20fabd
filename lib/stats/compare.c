/* SPDX-License-Identifier: GPL-2.0-only */
/* Has it changed, or is it only another hour? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/compare.h"
#include "stats/stats.h"
#include "base/str.h"
#include "stats/quantile.h"
#include "stats/proportion.h"
#include "stats/ranks.h"
#include "stats/trend.h"

#define LEAST 4
#define P_CHANGED 0.05
/* As many as stats_shift can pair with each other. */
#define MOST 1500

/* Every so-manieth value of a side. */
static double *thin(const double *values, size_t n, size_t *used)
{
	double *kept = mem_realloc_array(NULL, n + 1, sizeof(double));
	size_t step = (size_t)ceil(stats_redundancy(stats_autocorrelation(values, n), n) - 1e-9);
	size_t i;

	if (step < 1)
		step = 1;
	if (n / step > MOST)
		step = n / MOST + 1;
	*used = 0;
	for (i = 0; i < n; i += step)
		kept[(*used)++] = values[i];
	return kept;
}

static double compared_median(const double *values, size_t n)
{
	double *sorted = mem_realloc_array(NULL, n + 1, sizeof(double)), median;

	memcpy(sorted, values, n * sizeof(double));
	stats_sort(sorted, n);
	median = stats_median(sorted, n);
	free(sorted);
	return median;
}

static bool all_positive(const double *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!(values[i] > 0))
			return false;
	return true;
}

static int compared_check(const double *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return -EINVAL;
	return 0;
}

static int test_values(
	const double *a, size_t n_a, const double *b, size_t n_b, struct compared *out)
{
	struct stats_ranks ranks;
	struct stats_shift shift;
	int err = stats_mann_whitney(a, n_a, b, n_b, &ranks);

	out->ratio = all_positive(a, n_a) && all_positive(b, n_b);
	if (!err)
		err = out->ratio ? stats_ratio(a, n_a, b, n_b, 0.95, &shift)
				 : stats_shift(a, n_a, b, n_b, 0.95, &shift);
	if (err)
		return err;
	out->tested = true;
	out->p = ranks.p;
	out->effect = shift.estimate;
	out->have_interval = shift.have_interval;
	out->low = shift.interval.low;
	out->high = shift.interval.high;
	return 0;
}

static size_t hits_of(const double *values, size_t n)
{
	size_t i, hits = 0;

	for (i = 0; i < n; i++)
		hits += values[i] > 0.5;
	return hits;
}

static int test_shares(
	const double *a, size_t n_a, const double *b, size_t n_b, struct compared *out)
{
	struct stats_interval interval;
	size_t hits_a = hits_of(a, n_a), hits_b = hits_of(b, n_b);
	int err = stats_fisher(hits_a, n_a, hits_b, n_b, &out->p);

	if (!err)
		err = stats_share_difference(hits_b, n_b, hits_a, n_a, 0.95, &interval);
	if (err)
		return err;
	out->tested = out->have_interval = true;
	out->effect = (double)hits_b / (double)n_b - (double)hits_a / (double)n_a;
	out->low = interval.low;
	out->high = interval.high;
	return 0;
}

static int compared_test(const double *a, size_t n_a, const double *b, size_t n_b,
	struct compared *out,
	int (*test)(const double *, size_t, const double *, size_t, struct compared *))
{
	double *thin_a, *thin_b;
	int err = compared_check(a, n_a) ? -EINVAL : compared_check(b, n_b);

	*out = (struct compared){
		.n_a = n_a, .n_b = n_b, .p = 1, .adjusted = 1, .middle_a = NAN, .middle_b = NAN};
	if (err)
		return err;
	out->middle_a = compared_median(a, n_a);
	out->middle_b = compared_median(b, n_b);
	if (n_a < LEAST || n_b < LEAST)
		return 0;
	/* With fewer than four that are independent nothing is tested. */
	thin_a = thin(a, n_a, &out->used_a);
	thin_b = thin(b, n_b, &out->used_b);
	err = out->used_a < LEAST || out->used_b < LEAST
		? 0
		: test(thin_a, out->used_a, thin_b, out->used_b, out);
	free(thin_a);
	free(thin_b);
	return err;
}

int compared_values(const double *a, size_t n_a, const double *b, size_t n_b, struct compared *out)
{
	return compared_test(a, n_a, b, n_b, out, test_values);
}

int compared_shares(const double *a, size_t n_a, const double *b, size_t n_b, struct compared *out)
{
	int err = compared_test(a, n_a, b, n_b, out, test_shares);

	if (n_a)
		out->middle_a = (double)hits_of(a, n_a) / (double)n_a;
	if (n_b)
		out->middle_b = (double)hits_of(b, n_b) / (double)n_b;
	return err;
}

static int compared_by_p(const void *a, const void *b)
{
	const struct compared *const *left = a, *const *right = b;

	return ((*left)->p > (*right)->p) - ((*left)->p < (*right)->p);
}

void compared_adjust(struct compared *const *list, size_t n)
{
	struct compared **sorted = mem_realloc_array(NULL, n + 1, sizeof(*sorted));
	size_t i, m = 0;
	double worst = 0;

	for (i = 0; i < n; i++)
		if (list[i]->tested)
			sorted[m++] = list[i];
	qsort(sorted, m, sizeof(struct compared *), compared_by_p);
	for (i = 0; i < m; i++) {
		worst = fmax(worst, fmin(1, sorted[i]->p * (double)(m - i)));
		sorted[i]->adjusted = worst;
	}
	free(sorted);
}

bool compared_changed(const struct compared *compared)
{
	double effect = compared->effect;

	if (!compared->tested || compared->adjusted >= P_CHANGED)
		return false;
	if (compared->ratio)
		return effect > 1 + COMPARED_MARGIN || effect < 1 / (1 + COMPARED_MARGIN);
	return fabs(effect) > COMPARED_MARGIN * fabs(compared->middle_a);
}
