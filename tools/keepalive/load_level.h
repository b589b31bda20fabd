/* SPDX-License-Identifier: GPL-2.0-only */
/* A level of load, judged. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_LOAD_LEVEL_H
#define TUESDAY_TOOLS_KEEPALIVE_LOAD_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arm;
struct comparison;
struct level;
struct limits_of_run;
struct round;

/* What all that is known of a level says, by the limits. The order is compared over as many of the
 * first requests of each round as the smallest was to have. Pure. */
void level_judge(struct level *level, const struct limits_of_run *limits, double service_seconds);

/* Whether nothing is known of order at this level, since hardly anything waited there: the ramp
 * that led to it was disturbed. */
bool level_is_idle(const struct comparison *experiment, const struct level *level);

/* The worst of what the levels say, and which one said it. One that drowned may accuse; if it came
 * to nothing, that takes nothing from what the others say. */
void comparison_conclude(struct comparison *experiment);

/* The facts of rounds of one kind. */
void arm_sum_up(struct arm *arm, const struct round *const *rounds, size_t n, uint64_t slack_ns);

#endif
