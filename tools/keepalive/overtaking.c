/* SPDX-License-Identifier: GPL-2.0-only */
/* Did anybody lie unread for longer than in fair order? */
#include "base/banned.h"

#include <math.h>
#include <stddef.h>

#include "tools/keepalive/limits.h"
#include "tools/keepalive/overtaking.h"
#include "tools/keepalive/witness.h"
#include "tools/keepalive/seen.h"

/* A thread went on with its connection, with connections kept and with them closed. */
static bool is_order(
	const struct seen *keep, const struct seen *close, const struct limits_of_run *limits)
{
	const double least = limits->judge.inside_least;

	return (double)keep->read >= least && (double)close->read >= least &&
		seen_continued_share(keep) >= limits->judge.inside_bad_least &&
		!seen_may_be_stuck(keep, limits) &&
		seen_continued_share(close) < limits->judge.inside_fair_most;
}

/* The largest multiple of a round's mean wait that one in twenty exceeded; NAN without a round. */
static double largest_multiple(const struct seen *seen, const struct limits_of_run *limits)
{
	double largest = NAN;
	size_t i;

	for (i = 0; i < seen->n_waits; i++) {
		const struct waits *waits = &seen->waits[i];

		if ((double)waits->read < limits->judge.inside_round_least ||
			waits->mean_seconds <= 0)
			continue;
		largest = fmax(largest, waits->p95_seconds / waits->mean_seconds);
	}
	return largest;
}

struct overtaken overtaken_judge(const struct seen *keep, const struct seen *close,
	const struct limits_of_run *limits, double service_seconds)
{
	const double multiple = largest_multiple(close, limits);
	const double least = fmax(
		limits->judge.harm_seconds_least, limits->judge.harm_times_least * service_seconds);
	struct overtaken out = {false, NAN, NAN};
	bool longer = true;
	size_t i;

	for (i = 0; i < keep->n_waits; i++) {
		const struct waits *waits = &keep->waits[i];
		const double fair = multiple * waits->mean_seconds;

		if ((double)waits->read < limits->judge.inside_round_least || !isfinite(fair))
			continue;
		longer &= waits->p95_seconds - fair > least &&
			waits->p95_seconds > limits->judge.ratio_bad_least * fair;
		if (isfinite(out.kept) && waits->p95_seconds - fair >= out.kept - out.fair)
			continue;
		out.kept = waits->p95_seconds;
		out.fair = fair;
	}
	out.harms = longer && isfinite(out.kept) && is_order(keep, close, limits) &&
		!seen_may_be_cpus(keep, limits);
	return out;
}
