/* SPDX-License-Identifier: GPL-2.0-only */
/* How long does a request take, and how many a second? */
#include "base/banned.h"

#include <math.h>
#include <stdint.h>

#include "tools/keepalive/open_loop.h"
#include "tools/keepalive/round.h"
#include "base/str.h"
#include "stats/quantile.h"

#define NS 1e9
#define ENOUGH_SHARE 0.9
/* Equal requests end in bunches, as many as are served at once, which are not to be cut. */
#define BUNCH_TIMES 1.05

double pace_mean_seconds(const struct round *round, size_t *n)
{
	double sum = 0;
	size_t i;

	*n = 0;
	for (i = 0; i < round->n; i++) {
		if (round->samples[i].error)
			continue;
		sum += sample_seconds(&round->samples[i]);
		(*n)++;
	}
	return *n ? sum / (double)*n : NAN;
}

double pace_opening_p50(const struct round *round)
{
	double *seconds = mem_alloc((round->n + 1) * sizeof(*seconds)), median;
	size_t i, n = 0;

	for (i = 0; i < round->n; i++)
		if (round->samples[i].opened_ns && !round->samples[i].retried)
			seconds[n++] =
				(double)(round->samples[i].opened_ns - round->samples[i].begun_ns) /
				NS;
	stats_sort(seconds, n);
	median = stats_quantile(seconds, n, 0.5);
	free(seconds);
	return median;
}

double pace_kept_share(const struct round *round)
{
	size_t i, kept = 0;

	for (i = 0; i < round->n; i++)
		kept += round->samples[i].reused && !round->samples[i].error;
	return round->answered > 1 ? (double)kept / (double)(round->answered - 1) : NAN;
}

double pace_per_second(const struct round *round)
{
	double *seconds = mem_alloc((round->n + 1) * sizeof(*seconds)), until;
	size_t i, n = 0, enough, first;

	for (i = 0; i < round->n; i++)
		if (!round->samples[i].error)
			seconds[n++] = (double)(round->samples[i].done_ns - round->start_ns) / NS;
	stats_sort(seconds, n);
	first = (size_t)ceil(ENOUGH_SHARE * (double)n);
	enough = first;
	while (enough && enough < n && seconds[enough] <= BUNCH_TIMES * seconds[first - 1])
		enough++;
	until = enough ? seconds[enough - 1] : 0;
	free(seconds);
	return until > 0 ? (double)enough / until : NAN;
}

/* Of the first n, those that took longer than so many seconds. */
static unsigned int count_longer(const struct round *round, unsigned int n, double seconds)
{
	unsigned int i, longer = 0;

	for (i = 0; i < n; i++)
		longer += sample_seconds(&round->samples[i]) > seconds;
	return longer;
}

unsigned int pace_served_at_once(
	const struct round *round, unsigned int n, double alone_seconds, double times)
{
	uint64_t last_begun_ns = 0, first_done_ns = UINT64_MAX;
	unsigned int i, soon, slow;

	if (n > round->n)
		return 0;
	for (i = 0; i < n; i++) {
		const struct sample *sample = &round->samples[i];

		if (sample->error || !sample->begun_ns)
			return 0;
		if (sample->begun_ns > last_begun_ns)
			last_begun_ns = sample->begun_ns;
		if (sample->done_ns < first_done_ns)
			first_done_ns = sample->done_ns;
	}
	soon = n - count_longer(round, n, times * alone_seconds);
	if (!soon || last_begun_ns >= first_done_ns)
		return 0;
	slow = count_longer(round, n, ((double)n / soon + times) * alone_seconds);
	return (unsigned int)lround((double)n * soon / (n - slow));
}
