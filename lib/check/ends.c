/* SPDX-License-Identifier: GPL-2.0-only */
/* What has to happen for an accusation to end? */
#include "base/banned.h"

#include "base/str.h"
#include "check/check.h"
#include "check/ends.h"
#include "expr/eval.h"

static bool ends_accuses(const struct metric *metric)
{
	return metric->maybe.plain.set || metric->maybe.n || metric->bad.plain.set || metric->bad.n;
}

/* Whether a text of the check file has a number that passes by itself: an age, or a growth. */
static bool ends_passes(const char *text)
{
	static const char *const words[] = {"_age_", "uptime:", "delta(", "rate("};
	size_t i;

	for (i = 0; text && i < ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* Whether it is only judged, or only accuses, for some time. */
static bool ends_by_age(const struct metric *metric)
{
	size_t i;

	if (ends_passes(metric->value_text) || ends_passes(metric->enough_text))
		return true;
	for (i = 0; i < metric->n_howevers; i++)
		if (metric->howevers[i].cap == CAP_GOOD &&
			ends_passes(metric->howevers[i].when_text))
			return true;
	return false;
}

bool metric_never_ends(const struct metric *metric)
{
	return ends_accuses(metric) && !metric->ends && expr_is_of_life(metric->value) &&
		!ends_by_age(metric);
}

const char *metric_ends(const struct metric *metric)
{
	if (metric->ends)
		return metric->ends;
	if (!ends_accuses(metric))
		return NULL;
	if (expr_is_of_life(metric->value))
		return "by age: 'enough' and the howevers say when";
	if (metric->trace)
		return "with the first trace that finds it within its limits";
	if (expr_is_growth(metric->value))
		return "with the first run in which it is within its limits";
	return "when that is no longer so: the next run sees it";
}
