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

	struct str text = STR_INIT;

	if (isnan(number) || !limits_op(limits, &op))
		return;
	value_for_people(&text, number, unit);
	/* "< <0.001 %" reads as a mistake. */
	str_addf(out, "%s%s %s %s", separator, label, op_text(op),
		str_text(&text) + (*str_text(&text) == '<'));
	str_free(&text);
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

/* Of what grows as straight as a ruler both ends are the same, and say nothing. */
static void metric_text_add_interval(struct str *out, const struct forecast *forecast)
{
	struct str low = STR_INIT, high = STR_INIT;

	value_for_people(&low, forecast->low, UNIT_SECONDS);
	if (isfinite(forecast->high))
		value_for_people(&high, forecast->high, UNIT_SECONDS);
	if (!high.len)
		str_addf(out, " (%s or more)", str_text(&low));
	else if (strcmp(str_text(&low), str_text(&high)) != 0)
		str_addf(out, " (%s to %s)", str_text(&low), str_text(&high));
	str_free(&low);
	str_free(&high);
}

static void metric_text_add_forecast(
	struct str *out, const char *separator, const struct forecast *forecast, enum unit unit)
{
	if (!forecast->known)
		return;
	str_add(out, separator);
	metric_text_add_value(out, "at ", forecast->target, unit);
	metric_text_add_value(out, " in ", forecast->seconds, UNIT_SECONDS);
	metric_text_add_interval(out, forecast);
	str_add(out,
		forecast->source == FORECAST_WINDOWS
			? " if it goes on as in the windows of this run, "
			: " if it goes on as in the last ");
	value_for_people(out, forecast->over_seconds, UNIT_SECONDS);
}

void metric_known(struct str *out, const char *separator, const struct metric_result *result)
{
	enum unit unit = result->metric->unit;

	if (result->normal.runs) {
		str_add(out, separator);
		metric_text_add_value(out, "usual here at this hour: ", result->normal.low, unit);
		metric_text_add_value(out, " to ", result->normal.high, unit);
	}
	metric_text_add_forecast(out, separator, &result->forecast, unit);
	metric_text_add_forecast(out, separator, &result->later, unit);
}
