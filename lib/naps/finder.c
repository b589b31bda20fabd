/* SPDX-License-Identifier: GPL-2.0-only */
/* How does one tell from looks at a CPU clock when nobody ran? */
#include "base/banned.h"

#include "naps/finder.h"

#define MARK_NS 500000000ull
#define KNOWN_NS 1000000000ull /* a share of less time than this is none */

static uint64_t nap_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void nap_finder_mark(struct nap_finder *finder)
{
	const struct nap_mark *last =
		&finder->marks[(finder->next_mark + NAP_MARKS - 1) % NAP_MARKS];

	if (finder->n_marks && finder->time_ns < last->time_ns + MARK_NS)
		return;
	finder->marks[finder->next_mark] =
		(struct nap_mark){finder->time_ns, finder->cpu_ns, finder->napped_ns};
	finder->next_mark = (finder->next_mark + 1) % NAP_MARKS;
	if (finder->n_marks < NAP_MARKS)
		finder->n_marks++;
}

static void nap_finder_begin(struct nap_finder *finder, uint64_t time_ns, uint64_t cpu_ns)
{
	*finder = (struct nap_finder){.time_ns = time_ns, .cpu_ns = cpu_ns, .left_ns = time_ns};
	nap_finder_mark(finder);
}

bool nap_finder_pause(const struct nap_finder *finder, struct nap_pause *pause)
{
	*pause = (struct nap_pause){.begin_ns = finder->left_ns,
		.end_ns = finder->time_ns,
		.first_ns = finder->still_ns,
		.last_ns = finder->time_ns};
	return finder->still_ns != 0;
}

enum nap_seen nap_finder_look(
	struct nap_finder *finder, uint64_t time_ns, uint64_t cpu_ns, struct nap_pause *pause)
{
	const uint64_t before_ns = finder->time_ns, ran_ns = cpu_ns - finder->cpu_ns;
	bool paused;

	if (!before_ns || cpu_ns < finder->cpu_ns || time_ns <= before_ns) {
		nap_finder_begin(finder, time_ns, cpu_ns);
		return NAP_RUNS;
	}
	if (!ran_ns) {
		if (!finder->still_ns)
			finder->still_ns = before_ns;
		finder->stills++;
		finder->time_ns = time_ns;
		return NAP_STILL;
	}
	paused = nap_finder_pause(finder, pause);
	if (paused)
		pause->end_ns = time_ns - nap_least(ran_ns, time_ns - before_ns);
	finder->left_ns = before_ns + nap_least(ran_ns, time_ns - before_ns);
	finder->still_ns = 0;
	finder->stills = 0;
	finder->time_ns = time_ns;
	finder->cpu_ns = cpu_ns;
	nap_finder_mark(finder);
	return paused ? NAP_ENDED : NAP_RUNS;
}

void nap_finder_forgive(struct nap_finder *finder, const struct nap_pause *pause)
{
	finder->napped_ns += pause->last_ns - pause->first_ns;
}

double nap_finder_busy(const struct nap_finder *finder)
{
	const size_t oldest = (finder->next_mark + NAP_MARKS - finder->n_marks) % NAP_MARKS;
	const struct nap_mark *mark = &finder->marks[oldest];
	const uint64_t until_ns = finder->still_ns ? finder->still_ns : finder->time_ns;
	uint64_t awake_ns;

	if (!finder->n_marks ||
		until_ns < mark->time_ns + (finder->napped_ns - mark->napped_ns) + KNOWN_NS)
		return -1;
	awake_ns = until_ns - mark->time_ns - (finder->napped_ns - mark->napped_ns);
	return (double)(finder->cpu_ns - mark->cpu_ns) / (double)awake_ns;
}
