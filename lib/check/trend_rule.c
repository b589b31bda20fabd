/* SPDX-License-Identifier: GPL-2.0-only */
/* Has a metric a course that can be followed, and where does it lead? */
#include "base/banned.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "check/check.h"
#include "check/trend_rule.h"
#include "expr/eval.h"

struct trend_rule *trend_rule_copy(struct arena *arena, const struct trend_rule *rule)
{
	struct trend_rule *copy = arena_alloc(arena, sizeof(*copy));

	*copy = *rule;
	if (copy->source)
		copy->source = arena_copy(arena, copy->source, strlen(copy->source));
	return copy;
}

/* What accuses from 0 on is here or not, and does not come nearer. */
static bool trend_rule_is_of_presence(const struct metric *metric)
{
	const struct expr_context context = {.cpus = NAN};
	const struct limit *limit =
		metric->bad.plain.set ? &metric->bad.plain : &metric->maybe.plain;
	struct value value;
	bool none;

	if (!limit->set || !limit->expr || !expr_is_constant(limit->expr))
		return false;
	value = expr_eval(limit->expr, &context);
	none = value_of(&value, NULL) <= 0;
	value_free(&value);
	return none;
}

bool metric_can_have_trend(const struct metric *metric)
{
	return metric->class == CLASS_LIMIT && !metric->trace && metric->unit != UNIT_SECONDS &&
		metric->value && expr_is_gauge(metric->value) && !trend_rule_is_of_presence(metric);
}

int metric_side(const struct metric *metric)
{
	enum op op;

	if (!limits_op(&metric->bad, &op) && !limits_op(&metric->maybe, &op))
		return 0;
	return op == OP_GT || op == OP_GE ? 1 : op == OP_LT || op == OP_LE ? -1 : 0;
}

double limit_full(enum unit unit, int side, double maybe, double bad)
{
	double limit = isnan(bad) ? maybe : bad;

	if (!side || isnan(limit))
		return NAN;
	return unit == UNIT_RATIO && side > 0 && limit < 1 ? 1 : limit;
}

double limit_way(enum unit unit, int side, double value, double full)
{
	if (side > 0)
		return full > 0 ? value / full : (double)NAN;
	/* Only a share has a value that it comes down from. */
	return side < 0 && unit == UNIT_RATIO && full < 1 ? (1 - value) / (1 - full) : (double)NAN;
}
