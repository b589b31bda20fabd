/* SPDX-License-Identifier: GPL-2.0-only */
/* How often did a profiler look? */
#include "base/banned.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/number_map.h"
#include "base/str.h"
#include "heatmap/heatmap.h"
#include "heatmap/tick.h"

#define ROWS 100 /* where nothing asks for another number */
#define ROWS_SAMPLED 200
#define LEAST_GAPS 20
#define NEAR 0.02   /* two gaps are the same if they differ by less */
#define WHOLE 0.005 /* a frequency is a whole number of Hz if it is as near as that */
/* Gaps of an idle CPU, or of a thread that slept, are no ticks: so many of all have to be. */
#define SHARE_OF_GAPS 0.4
#define TICKS_IN_ROW 10 /* so many in a row, and one more or less is no stripe */

static int tick_by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t tick_gaps(const struct tick_look *looks, size_t n, uint64_t *gaps)
{
	struct number_map places = {0};
	uint64_t *last = mem_alloc((n + 1) * sizeof(*last));
	size_t n_places = 0, n_gaps = 0;

	for (size_t i = 0; i < n; i++) {
		size_t place;

		if (!number_map_get(&places, looks[i].place, &place)) {
			place = n_places++;
			number_map_add(&places, looks[i].place, place);
		} else if (looks[i].at_ns > last[place]) {
			gaps[n_gaps++] = looks[i].at_ns - last[place];
		}
		last[place] = looks[i].at_ns;
	}
	number_map_free(&places);
	free(last);
	return n_gaps;
}

/* How many gaps are as long as the one at that place, and their mean. */
static size_t tick_near(const uint64_t *gaps, size_t n, size_t at, double *mean)
{
	const double gap = (double)gaps[at];
	size_t from = at, to = at;
	double sum = 0;

	while (from > 0 && (double)gaps[from - 1] >= gap * (1 - NEAR))
		from--;
	while (to < n && (double)gaps[to] <= gap * (1 + NEAR))
		sum += (double)gaps[to++];
	for (size_t i = from; i < at; i++)
		sum += (double)gaps[i];
	*mean = sum / (double)(to - from);
	return to - from;
}

uint64_t heatmap_tick(const struct tick_look *looks, size_t n)
{
	uint64_t *gaps = mem_alloc((n + 1) * sizeof(*gaps)), tick = 0;
	const size_t n_gaps = tick_gaps(looks, n, gaps);
	double best = 0, mean = 0, hertz;
	size_t most = 0;

	if (n_gaps)
		qsort(gaps, n_gaps, sizeof(*gaps), tick_by_size);
	for (size_t i = 1; n_gaps >= LEAST_GAPS && i < 20; i++) {
		const size_t count = tick_near(gaps, n_gaps, n_gaps * i / 20, &mean);

		if (count > most) {
			most = count;
			best = mean;
		}
	}
	free(gaps);
	if (most < LEAST_GAPS || (double)most < SHARE_OF_GAPS * (double)n_gaps)
		return 0;
	/* A profiler is told a number of Hz. */
	hertz = 1e9 / best;
	if (hertz > 0.5 && fabs(hertz - round(hertz)) < WHOLE * hertz)
		best = 1e9 / round(hertz);
	tick = (uint64_t)(best + 0.5);
	return tick;
}

uint32_t heatmap_tick_rows(uint64_t period_ns, uint64_t tick_ns)
{
	const double ticks = tick_ns ? round((double)period_ns / (double)tick_ns) : 0;
	uint32_t rows = ROWS_SAMPLED;

	if (ticks < 1)
		return tick_ns ? 1 : ROWS;
	if (ticks >= (double)ROWS * TICKS_IN_ROW)
		return ROWS;
	while (rows > 1 && ((uint64_t)ticks % rows || rows > ticks))
		rows--;
	/* Few divisors: then many ticks in a row do nearly as well. */
	if (rows < 20 && ticks >= 20 * TICKS_IN_ROW)
		return (uint32_t)(ticks / TICKS_IN_ROW);
	return rows;
}
