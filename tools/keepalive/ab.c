/* SPDX-License-Identifier: GPL-2.0-only */
/* How likely is such a difference by chance, and how large is it? */
#include <math.h>
#include <stdint.h>

#include "ab.h"
#include "order.h"
#include "round.h"
#include "str.h"

#define REPLICATES 1000
/* Sums that differ by less are the same sum in another order of its terms. */
#define TIE 1e-12

/* The sum of the values whose bit is set. */
static double sum_of(const double *values, size_t n, uint32_t bits)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (bits >> i & 1)
			sum += values[i];
	return sum;
}

double ab_permutation_p(const double *a, size_t n_a, const double *b, size_t n_b)
{
	const size_t n = n_a + n_b;
	double values[AB_ROUNDS_MAX], actual;
	size_t ways = 0, as_large = 0;
	uint32_t bits;

	if (!n_a || !n_b || n > AB_ROUNDS_MAX)
		return NAN;
	memcpy(values, a, n_a * sizeof(*a));
	memcpy(values + n_a, b, n_b * sizeof(*b));
	actual = sum_of(values, n, (1u << n_a) - 1);
	/* For given sizes the mean of a side grows with its sum. */
	for (bits = 0; bits < 1u << n; bits++) {
		if ((size_t)__builtin_popcount(bits) != n_a)
			continue;
		ways++;
		as_large += sum_of(values, n, bits) >= actual - TIE;
	}
	return (double)as_large / (double)ways;
}

/* splitmix64. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)(((unsigned __int128)random_next(state) * n) >> 64);
}

/* The quantile of one draw; room holds as many values as a draw can have. */
static double draw_quantile(
	const struct round *const *rounds, size_t n, double q, double *room, uint64_t *state)
{
	size_t i, k, count = 0;

	for (i = 0; i < n; i++) {
		const struct round *round = rounds[random_below(state, n)];

		for (k = 0; k < round->n; k++)
			room[count++] =
				sample_seconds(&round->samples[random_below(state, round->n)]);
	}
	sort_doubles(room, count);
	return quantile_of(room, count, q);
}

static double *make_room(const struct round *const *rounds, size_t n)
{
	size_t i, most = 1;

	for (i = 0; i < n; i++)
		most = rounds[i]->n > most ? rounds[i]->n : most;
	return mem_alloc(n * most * sizeof(double));
}

static double quantile_of_rounds(const struct round *const *rounds, size_t n, double q)
{
	size_t count;
	double *seconds = seconds_of_rounds(rounds, n, &count);
	const double value = quantile_of(seconds, count, q);

	free(seconds);
	return value;
}

struct ratio ab_tail_ratio(const struct round *const *a, size_t n_a, const struct round *const *b,
	size_t n_b, double q)
{
	struct ratio ratio = {NAN, NAN, NAN};
	double drawn[REPLICATES], *room_a, *room_b;
	uint64_t state = 1;
	size_t i;

	if (!n_a || !n_b)
		return ratio;
	ratio.estimate = quantile_of_rounds(a, n_a, q) / quantile_of_rounds(b, n_b, q);
	room_a = make_room(a, n_a);
	room_b = make_room(b, n_b);
	for (i = 0; i < REPLICATES; i++) {
		const double tail = draw_quantile(a, n_a, q, room_a, &state);

		drawn[i] = tail / draw_quantile(b, n_b, q, room_b, &state);
	}
	free(room_a);
	free(room_b);
	if (!isfinite(ratio.estimate))
		return (struct ratio){NAN, NAN, NAN};
	sort_doubles(drawn, REPLICATES);
	ratio.low = quantile_of(drawn, REPLICATES, 0.025);
	ratio.high = quantile_of(drawn, REPLICATES, 0.975);
	return ratio;
}
