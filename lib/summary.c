/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a verdict said in one line? */
#include <math.h>

#include "result.h"
#include "str.h"
#include "summary.h"
#include "writer.h"

#define PHRASES_MAX 2

static void add_culprit(struct str *out, const struct check_result *result)
{
	const struct culprit *culprit = &result->culprits[0];

	if (!result->n_culprits)
		str_add(out, "somebody");
	else if (*culprit->id)
		str_addf(out, "%s (%s %s)", culprit->name,
			strcmp(culprit->kind, "process") == 0 ? "pid" : culprit->kind, culprit->id);
	else
		str_add(out, culprit->name);
}

/* Metrics that accuse say so; of the others only one that exonerates has something to say. */
static bool speaks_for(const struct metric_result *metric)
{
	return metric->verdict == VERDICT_GOOD && metric->acquits;
}

static const char *phrase_of(const struct metric_result *metric, bool exonerates)
{
	return exonerates && metric->metric->clear ? metric->metric->clear : metric->metric->say;
}

/* Replaces {value} {instance} {who} {limit} in the phrase of a metric. */
static void add_phrase(
	struct str *out, const struct metric_result *metric, const struct check_result *result)
{
	const char *at = phrase_of(metric, speaks_for(metric));
	double limit = isnan(metric->maybe) ? metric->bad : metric->maybe;

	while (*at) {
		if (str_starts(at, "{value}")) {
			value_for_people(out, metric->value, metric->metric->unit);
			at += strlen("{value}");
		} else if (str_starts(at, "{limit}")) {
			value_for_people(out, limit, metric->metric->unit);
			at += strlen("{limit}");
		} else if (str_starts(at, "{instance}")) {
			str_add(out, *metric->label ? metric->label : "none");
			at += strlen("{instance}");
		} else if (str_starts(at, "{who}")) {
			add_culprit(out, result);
			at += strlen("{who}");
		} else {
			str_addc(out, *at++);
		}
	}
}

static bool add_metric(
	struct str *out, const struct metric_result *metric, const struct check_result *result)
{
	bool mute = !phrase_of(metric, speaks_for(metric));

	if (metric->idle || isnan(metric->value))
		return false;
	if (metric->verdict == VERDICT_GOOD && (mute || !metric->acquits))
		return false;
	if (out->len)
		str_add(out, ", ");
	if (!mute) {
		add_phrase(out, metric, result);
		return true;
	}
	/* Who accuses must say something. */
	str_addf(out, "%s is ", metric->metric->name);
	value_for_people(out, metric->value, metric->metric->unit);
	return true;
}

/* Phrases of the metrics at one verdict, traced ones first: they have the last word. */
static size_t add_at(
	struct str *out, const struct check_result *result, enum verdict verdict, size_t most)
{
	size_t n = 0, i;
	int traced;

	for (traced = 1; traced >= 0; traced--) {
		for (i = 0; i < result->n_metrics && n < most; i++) {
			const struct metric_result *metric = &result->metrics[i];

			if (metric->verdict == verdict && !traced == !metric->metric->trace)
				n += add_metric(out, metric, result);
		}
	}
	return n;
}

/* Numbers that accused and were overruled are said too: that is the point of going deeper. */
static void add_overruled(struct str *out, const struct check_result *result)
{
	struct str phrases = STR_INIT;
	enum verdict verdict = VERDICT_BAD;

	if (!add_at(&phrases, result, VERDICT_BAD, 1)) {
		verdict = VERDICT_MAYBE;
		add_at(&phrases, result, VERDICT_MAYBE, 1);
	}
	if (phrases.len)
		str_addf(out, "; counters said %s (%s), the trace overrules", verdict_text(verdict),
			phrases.text);
	str_free(&phrases);
}

static char *say_evidence(const struct check_result *result)
{
	struct str out = STR_INIT;
	size_t i;

	if (result->idle)
		str_add(&out, "nothing to do");
	for (i = 0; i < result->n_metrics; i++)
		if (result->metrics[i].acquits)
			add_metric(&out, &result->metrics[i], result);
	if (!out.len)
		str_add(&out, "within its limits");
	return str_take(&out);
}

void summarize(struct check_result *result)
{
	struct str out = STR_INIT;
	size_t n = 0;

	switch (result->verdict) {
	case VERDICT_BAD:
	case VERDICT_MAYBE:
		n = add_at(&out, result, result->verdict, PHRASES_MAX);
		if (result->verdict == VERDICT_BAD && n < PHRASES_MAX)
			n += add_at(&out, result, VERDICT_MAYBE, PHRASES_MAX - n);
		break;
	case VERDICT_GOOD:
		if (result->idle)
			str_add(&out, "idle");
		n = add_at(&out, result, VERDICT_GOOD, PHRASES_MAX);
		if (result->tier == TIER_TRACE)
			add_overruled(&out, result);
		break;
	case VERDICT_UNKNOWN:
	case VERDICT_SKIP:
		str_add(&out, result->reason ? result->reason : "");
		break;
	}
	if (!out.len)
		str_add(&out, n ? "" : "within its limits");
	result->summary = str_take(&out);
	if (result->exonerated)
		result->evidence = say_evidence(result);
}
