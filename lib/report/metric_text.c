/* SPDX-License-Identifier: GPL-2.0-only */
/* How are a number's limits, its usual values and its forecast put into words? */
#include "base/banned.h"

#include <math.h>

#include "report/metric_text.h"
#include "report/report.h"
#include "base/str.h"
#include "base/unit.h"
#include "check/check.h"

static void metric_text_add_value(struct str *out, const char *label, double value, enum unit unit)
{
	str_add(out, label);
	value_for_people(out, value, unit);
}

static void metric_text_add_limit(struct str *out, const char *separator, const char *label,
	const struct limits *limits, double number, enum unit unit)
{
	enum op op;

	if (isnan(number) || !limits_op(limits, &op))
		return;
	str_addf(out, "%s%s %s ", separator, label, op_text(op));
	value_for_people(out, number, unit);
}

void metric_limits(struct str *out, const char *separator, const struct metric_result *result)
{
	const struct metric *metric = result->metric;

	metric_text_add_limit(
		out, separator, "acquit", &metric->acquit, result->acquit, metric->unit);
	metric_text_add_limit(out, separator, "maybe", &metric->maybe, result->maybe, metric->unit);
	metric_text_add_limit(out, separator, "bad", &metric->bad, result->bad, metric->unit);
	metric_text_add_limit(out, separator, "look", &metric->look, result->look, metric->unit);
	if (result->overruled != VERDICT_GOOD)
		str_addf(out, "%swas %s, overruled", separator, verdict_text(result->overruled));
	if (result->over)
		str_addf(out, "%sover when the trace looked", separator);
}

void metric_known(struct str *out, const char *separator, const struct metric_result *result)
{
	enum unit unit = result->metric->unit;

	if (result->normal.runs) {
		str_add(out, separator);
		metric_text_add_value(out, "usual here at this hour: ", result->normal.low, unit);
		metric_text_add_value(out, " to ", result->normal.high, unit);
	}
	if (result->forecast.known) {
		str_add(out, separator);
		metric_text_add_value(out, "at ", result->forecast.target, unit);
		metric_text_add_value(out, " in ", result->forecast.seconds, UNIT_SECONDS);
		metric_text_add_value(out, " (", result->forecast.low, UNIT_SECONDS);
		if (isfinite(result->forecast.high))
			metric_text_add_value(out, " to ", result->forecast.high, UNIT_SECONDS);
		else
			str_add(out, " or more");
		metric_text_add_value(out, ") if it goes on as in the last ",
			result->forecast.over_seconds, UNIT_SECONDS);
	}
}
