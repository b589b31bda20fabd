/* SPDX-License-Identifier: GPL-2.0-only */
/* Is there anything left for what comes next? */
#include "base/banned.h"

#include <math.h>

#include "base/clock.h"
#include "tools/keepalive/limits_left.h"
#include "tools/keepalive/comparison.h"
#include "tools/keepalive/ports.h"

#define NS 1e9

double budget_elapsed(const struct comparison *x)
{
	return (double)(monotonic_ns() - x->start_ns) / NS;
}

uint64_t budget_deadline_ns(const struct comparison *x)
{
	return x->start_ns + (uint64_t)(x->limits->most.seconds * NS);
}

uint64_t budget_end_ns(const struct comparison *x)
{
	return budget_deadline_ns(x) + (uint64_t)(x->limits->most.overtime_seconds * NS);
}

bool budget_allows_round(struct comparison *x)
{
	if (x->stop || x->median_guard)
		return false;
	x->out_of_time |= monotonic_ns() >= budget_deadline_ns(x);
	x->out_of_requests |= (double)x->requests >= x->limits->most.requests;
	x->out_of_ports |=
		(double)x->connections_opened >= x->limits->guard.ports_most * ports_count();
	return !x->out_of_time && !x->out_of_requests && !x->out_of_ports;
}

/* A level that has been, had each of its rounds sent requests for the whole of its time. */
static double whole_seconds(const struct level *level)
{
	double seconds = level->seconds;
	size_t i;

	for (i = 0; i < level->n_rounds; i++) {
		const struct round *round = &level->rounds[i];
		const uint64_t issued_ns = round->issue_end_ns - round->start_ns;

		seconds += ((double)round->plan.issue_ns - (double)issued_ns) / NS;
	}
	return seconds;
}

bool budget_allows_level(const struct comparison *x)
{
	double seconds = 0;
	size_t i;

	for (i = 0; i < x->n_levels; i++)
		seconds = fmax(seconds, whole_seconds(x->levels[i]));
	return budget_elapsed(x) + seconds <= x->limits->most.seconds;
}
