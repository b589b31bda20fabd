/* SPDX-License-Identifier: GPL-2.0-only */
/* How many requests are served at once. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_RAMP_H
#define TUESDAY_TOOLS_KEEPALIVE_RAMP_H

#include <stdbool.h>

struct comparison;
struct ramp_step;

/*
 * Whether requests queue at the connections of a step; before: the throughput of the step before
 * it, with half as many. By the median: a few slow requests more or less change the throughput of a
 * short round, and the tail, but hardly that. Where the throughput does not grow since there is a
 * queue, the median does (Little's law). With 8 of which 5 are served at once it is two service
 * times, of which noise may take a little, and the throughput grows by a quarter: there the count
 * says that some wait. Pure.
 */
bool step_queues(const struct comparison *experiment, const struct ramp_step *step, double before);

/*
 * How many are served at once, by the steps taken, of which the last one queues. By counting, since
 * one slow request in twenty changes the mean of so few, and so what follows from it, by a half.
 * What disturbs a step makes its count smaller, so the largest stands. Where the step that queues
 * cannot be counted, by Little's law. Pure.
 */
unsigned int steps_served_at_once(const struct comparison *experiment);

#endif
