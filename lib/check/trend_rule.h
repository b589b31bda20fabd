/* SPDX-License-Identifier: GPL-2.0-only */
/* Which metrics have a trend, and what it goes to. */
#ifndef TUESDAY_CHECK_TREND_RULE_H
#define TUESDAY_CHECK_TREND_RULE_H

#include <stdbool.h>

#include "base/unit.h"

struct arena;
struct metric;
struct trend_rule;

/* A copy that lies in the arena with its text. */
struct trend_rule *trend_rule_copy(struct arena *arena, const struct trend_rule *rule);

/*
 * Whether its course can be followed: a limit that is of one moment, is no trace, and is no time,
 * which would be a forecast itself. Without regard to what its file says of the trend.
 */
bool metric_can_have_trend(const struct metric *metric);

/* 1: it accuses above its limits, -1: below them, 0: neither. */
int metric_side(const struct metric *metric);

/* What full means: 1 for a share with limits below 1, else the limit that is bad, else maybe; NAN
 * where there is none. side as above, maybe and bad the limits in force. */
double limit_full(enum unit unit, int side, double maybe, double bad);

/* How much of the way to its limit a value has gone, 0 to 1; NAN where that is not known. */
double limit_way(enum unit unit, int side, double value, double full);

#endif
