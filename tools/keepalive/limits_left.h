/* SPDX-License-Identifier: GPL-2.0-only */
/* What may still be spent: of time, of requests, of the machine's ports. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_LIMITS_LEFT_H
#define TUESDAY_TOOLS_KEEPALIVE_LIMITS_LEFT_H

#include <stdbool.h>
#include <stdint.h>

struct comparison;

/* Seconds since the run began. */
double budget_elapsed(const struct comparison *experiment);

/* CLOCK_MONOTONIC: from when on no request is sent, and when what has no answer is abandoned, which
 * is overtime_seconds later. */
uint64_t budget_deadline_ns(const struct comparison *experiment);
uint64_t budget_end_ns(const struct comparison *experiment);

/* Whether there is room for another round; notes what is used up where there is not. */
bool budget_allows_round(struct comparison *experiment);

/* Whether there is time for another level: as long as the longest one so far, with its draining and
 * the tracer's start, would have been had requests been sent for all the time that was planned. */
bool budget_allows_level(const struct comparison *experiment);

#endif
