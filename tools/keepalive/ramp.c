/* SPDX-License-Identifier: GPL-2.0-only */
/* Do requests queue at this step of the ramp, and how many are served at once? */
#include "base/banned.h"

#include <math.h>

#include "tools/keepalive/comparison.h"
#include "tools/keepalive/ramp.h"

/*
 * Whether fewer than all of them were served at once, by their count and by the throughput, which
 * may have grown by no more than that from half as many connections.
 */
static bool some_wait(const struct comparison *x, const struct ramp_step *step, double before)
{
	const double at_once = step->served_at_once, connections = step->connections;

	return at_once > 0 && connections >= x->limits->ramp.wait_times_least * at_once &&
		step->per_second <
		before * at_once / (connections / 2) * (1 + x->limits->ramp.growth_least);
}

bool step_queues(const struct comparison *x, const struct ramp_step *step, double before)
{
	const double times = step->p50 / x->close_p50;

	return times >= x->limits->ramp.wait_times ||
		(times >= x->limits->ramp.wait_times_least &&
			(some_wait(x, step, before) ||
				step->per_second < before * (1 + x->limits->ramp.growth_least)));
}

unsigned int steps_served_at_once(const struct comparison *x)
{
	unsigned int most = 0;
	size_t i;

	if (!x->steps[x->n_steps - 1].served_at_once)
		return (unsigned int)fmax(
			1, round(x->per_second_max * x->alone_sum_seconds / (double)x->alone_n));
	for (i = 0; i < x->n_steps; i++)
		if (x->steps[i].served_at_once > most)
			most = x->steps[i].served_at_once;
	return most;
}
