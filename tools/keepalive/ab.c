/* SPDX-License-Identifier: GPL-2.0-only */
/* How likely is such a difference by chance, and how large is it? */
#include "base/banned.h"

#include <math.h>
#include <stdbool.h>

#include "tools/keepalive/ab.h"
#include "tools/keepalive/round.h"
#include "base/str.h"
#include "stats/random.h"
#include "stats/tail_ratio.h"
#include "stats/proportion.h"

#define RESAMPLES 1000
#define CONFIDENCE 0.95

double ab_permutation_p(const double *a, size_t n_a, const double *b, size_t n_b)
{
	struct stats_permutation result;
	double values[AB_ROUNDS_MAX];
	bool marked[AB_ROUNDS_MAX];
	size_t i;

	if (!n_a || !n_b || n_a + n_b > AB_ROUNDS_MAX)
		return NAN;
	for (i = 0; i < n_a + n_b; i++) {
		values[i] = i < n_a ? a[i] : b[i - n_a];
		marked[i] = i < n_a;
	}
	return stats_permutation(values, marked, n_a + n_b, &result) ? NAN : result.p_greater;
}

/* What the library wants of rounds; the caller frees both arrays. */
struct columns {
	double *values;
	size_t *sizes;
	struct stats_rounds rounds;
};

static void fill_columns(struct columns *columns, const struct round *const *rounds, size_t n)
{
	size_t i, k, count = 0, room = 0;

	*columns = (struct columns){.sizes = mem_alloc((n + 1) * sizeof(*columns->sizes))};
	for (i = 0; i < n; i++) {
		columns->sizes[i] = rounds[i]->n;
		for (k = 0; k < rounds[i]->n; k++) {
			ARRAY_GROW(columns->values, count, room);
			columns->values[count++] = sample_seconds(&rounds[i]->samples[k]);
		}
	}
	columns->rounds = (struct stats_rounds){columns->values, columns->sizes, n};
}

static void free_columns(struct columns *columns)
{
	free(columns->values);
	free(columns->sizes);
}

struct ratio ab_tail_ratio(const struct round *const *a, size_t n_a, const struct round *const *b,
	size_t n_b, double q)
{
	struct ratio ratio = {NAN, NAN, NAN};
	struct stats_tail_ratio result = {0};
	struct stats_random random;
	struct columns x, y;

	if (!n_a || !n_b)
		return ratio;
	fill_columns(&x, a, n_a);
	fill_columns(&y, b, n_b);
	stats_random_seed(&random, 1);
	if (!stats_tail_ratio_bootstrap(
		    &x.rounds, &y.rounds, q, CONFIDENCE, RESAMPLES, &random, &result)) {
		ratio.estimate = result.ratio;
		if (result.have_interval) {
			ratio.low = result.interval.low;
			ratio.high = result.interval.high;
		}
	}
	free_columns(&x);
	free_columns(&y);
	return ratio;
}
