/* SPDX-License-Identifier: GPL-2.0-only */
/* Who was served before whom? */
#include "base/banned.h"

#include <math.h>

#include "tools/keepalive/service_order.h"
#include "tools/keepalive/round.h"
#include "base/str.h"
#include "stats/quantile.h"

/* For one round: per sample, in the order of samples. */
struct passing {
	size_t *older;	   /* still unanswered when this one was answered */
	size_t *overtaken; /* answered before this one, though younger */
	uint64_t waiting;  /* all that were unanswered at any answer, summed */
};

/* Everything of the rounds that a quantile is asked of. */
struct gathered {
	double *waits;
	double *overtaken;
	size_t n_victims, room_waits, room_overtaken;
	size_t *runs;
	size_t n_runs, room_runs;
	size_t *cut;
	size_t n_cut, room_cut;
	uint64_t older, waiting;
};

double *seconds_of_rounds(const struct round *const *rounds, size_t n, size_t *count)
{
	double *seconds = NULL;
	size_t room = 0, i, k;

	*count = 0;
	for (i = 0; i < n; i++) {
		for (k = 0; k < rounds[i]->n; k++) {
			ARRAY_GROW(seconds, *count, room);
			seconds[(*count)++] = sample_seconds(&rounds[i]->samples[k]);
		}
	}
	stats_sort(seconds, *count);
	return seconds;
}

/* Whether i waited, with a connection, when j was answered. */
static bool waits_at(const struct sample *i, const struct sample *j)
{
	return i->begun_ns && i->begun_ns < j->done_ns && i->done_ns > j->done_ns;
}

static void find_passing(struct passing *passing, const struct round *round, uint64_t slack_ns)
{
	size_t i, j;

	passing->older = mem_zalloc((round->n + 1) * sizeof(size_t));
	passing->overtaken = mem_zalloc((round->n + 1) * sizeof(size_t));
	passing->waiting = 0;
	for (j = 0; j < round->n; j++) {
		const struct sample *answered = &round->samples[j];

		if (answered->error)
			continue;
		for (i = 0; i < round->n; i++) {
			if (!waits_at(&round->samples[i], answered))
				continue;
			passing->waiting++;
			if (round->samples[i].begun_ns + slack_ns >= answered->begun_ns)
				continue;
			passing->older[j]++;
			passing->overtaken[i]++;
		}
	}
}

static void order_add_run(struct gathered *all, size_t length, bool cut)
{
	if (length < 2)
		return;
	if (cut) {
		ARRAY_GROW(all->cut, all->n_cut, all->room_cut);
		all->cut[all->n_cut++] = length;
	} else {
		ARRAY_GROW(all->runs, all->n_runs, all->room_runs);
		all->runs[all->n_runs++] = length;
	}
}

/* The next sample on the same connection, or n. Samples of a connection are in order. */
static size_t next_on(const struct round *round, size_t i)
{
	size_t k;

	for (k = i + 1; k < round->n; k++)
		if (round->samples[k].connection == round->samples[i].connection)
			return k;
	return round->n;
}

static void find_runs(
	struct gathered *all, const struct round *round, const struct passing *passing)
{
	size_t i;

	for (i = 0; i < round->n; i++) {
		size_t length = 1, last = i, next;

		if (!round->samples[i].connection ||
			(passing->older[i] && round->samples[i].reused))
			continue; /* a part of the run before */
		for (next = next_on(round, i); next < round->n && passing->older[next];
			next = next_on(round, next)) {
			last = next;
			length++;
		}
		order_add_run(all, length, next == round->n && round->samples[last].kept);
	}
}

static void order_add_round(struct gathered *all, struct order *out, const struct round *round,
	const struct passing *passing)
{
	size_t i;

	all->waiting += passing->waiting;
	for (i = 0; i < round->n; i++) {
		out->answered += !round->samples[i].error;
		out->starved += round->samples[i].released;
		out->overtakers += passing->older[i] != 0;
		all->older += passing->older[i];
		if (!passing->overtaken[i])
			continue;
		if (all->n_victims == all->room_waits) {
			size_t n = all->n_victims;

			ARRAY_GROW(all->waits, n, all->room_waits);
			ARRAY_GROW(all->overtaken, n, all->room_overtaken);
		}
		all->waits[all->n_victims] = sample_seconds(&round->samples[i]);
		all->overtaken[all->n_victims++] = (double)passing->overtaken[i];
	}
}

static void count_runs(struct order *out, const size_t *runs, size_t n)
{
	size_t i, k;

	out->runs_whole = n;
	for (i = 0; i < n; i++) {
		size_t same = 0;

		for (k = 0; k < n; k++)
			same += runs[k] == runs[i];
		if (same > out->runs || (same == out->runs && runs[i] > out->run_mode)) {
			out->runs = same;
			out->run_mode = runs[i];
		}
		out->run_max = runs[i] > out->run_max ? runs[i] : out->run_max;
	}
}

void order_of_rounds(
	struct order *out, const struct round *const *rounds, size_t n, uint64_t slack_ns)
{
	struct gathered all = {0};
	struct passing passing;
	size_t i;

	*out = (struct order){0};
	for (i = 0; i < n; i++) {
		find_passing(&passing, rounds[i], slack_ns);
		order_add_round(&all, out, rounds[i], &passing);
		find_runs(&all, rounds[i], &passing);
		free(passing.older);
		free(passing.overtaken);
	}
	stats_sort(all.waits, all.n_victims);
	stats_sort(all.overtaken, all.n_victims);
	out->index_ratio = all.waiting ? (double)all.older / (double)all.waiting : NAN;
	out->victims = all.n_victims;
	out->victim_wait_p50_seconds = stats_quantile(all.waits, all.n_victims, 0.5);
	out->victim_wait_max_seconds = stats_quantile(all.waits, all.n_victims, 1);
	if (all.n_victims) {
		out->overtaken_by_p50 = (size_t)stats_quantile(all.overtaken, all.n_victims, 0.5);
		out->overtaken_by_max = (size_t)stats_quantile(all.overtaken, all.n_victims, 1);
	}
	if (all.n_runs)
		count_runs(out, all.runs, all.n_runs);
	else
		count_runs(out, all.cut, all.n_cut);
	out->runs_cut = !all.n_runs && all.n_cut;
	free(all.waits);
	free(all.overtaken);
	free(all.runs);
	free(all.cut);
}
