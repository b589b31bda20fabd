/* SPDX-License-Identifier: GPL-2.0-only */
/* When is a limit reached, if it goes on as in the windows of this run? */
#ifndef TUESDAY_JUDGE_LIMIT_TREND_H
#define TUESDAY_JUDGE_LIMIT_TREND_H

#include <stddef.h>

#include "base/culprit.h"
#include "report/report.h"

struct expr_context;
struct limit_trend;
struct metric;
struct value;

/*
 * Follows a metric over the samples of whole. last is its value over all of it, which has to
 * outlive this. NULL where it has no course that can be followed, or too few samples were taken.
 * The samples between the first and the last are evaluated only where one may near its limit.
 */
struct limit_trend *limit_trend_new(
	const struct metric *metric, const struct expr_context *whole, const struct value *last);
void limit_trend_free(struct limit_trend *trend);

/*
 * The forecast of instance number i, whose limits in force are maybe and bad; not known where it
 * does not grow steadily towards its limit (stats/growth.h), or comes to rest before it. due where
 * that is within the time of the check file, as far as so few seconds are to be believed.
 */
struct forecast limit_trend_of(struct limit_trend *trend, size_t i, double maybe, double bad);

/* Whether a limit has gone so much of its way as its trend.from names, and is followed at all. */
bool limit_is_near(const struct metric_result *result);

/* Whose has grown most, by the metric's trend.grower; false: nobody known, and out is not touched.
 */
bool limit_trend_grower(
	const struct metric *metric, const struct expr_context *whole, struct culprit *out);

#endif
