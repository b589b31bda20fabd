/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a verdict said in one line? */
#include "base/banned.h"

#include <math.h>

#include "report/report.h"
#include "base/plural.h"
#include "base/str.h"
#include "judge/summary.h"
#include "base/unit.h"
#include "check/check.h"
#include "expr/parse.h"

#define PHRASES_MAX 2

/* What the id of a culprit is called: that of a process, at fault or victim, is its pid, and that
 * of a cgroup the pid of one of its processes. */
static const char *summary_id_text(const struct culprit *culprit)
{
	bool process = !strcmp(culprit->kind, "process") || !strcmp(culprit->kind, "victim") ||
		!strcmp(culprit->kind, "cgroup");

	return process ? "pid" : culprit->kind;
}

/* Whom the metric points at, or else whom the check does. */
static void summary_add_culprit(
	struct str *out, const struct metric_result *metric, const struct check_result *result)
{
	const struct culprit *culprit = *metric->who.kind ? &metric->who : &result->culprits[0];

	if (culprit != &metric->who && !result->n_culprits)
		str_add(out, "somebody");
	else if (*culprit->id)
		str_addf(out, "%s (%s %s)", culprit->name, summary_id_text(culprit), culprit->id);
	else
		str_add(out, culprit->name);
}

/* Metrics that accuse say so; of the others only one that exonerates has something to say. */
static bool speaks_for(const struct metric_result *metric)
{
	return metric->verdict == VERDICT_GOOD && metric->acquits;
}

/* Where nothing is said to clear, only the phrase of an accusation is there: it would be read as
 * one. */
static const char *clearing_phrase(const struct metric *metric)
{
	enum op op;

	return metric->clear ? metric->clear : limits_op(&metric->acquit, &op) ? metric->say : NULL;
}

static const char *phrase_of(const struct metric_result *metric, bool exonerates)
{
	return exonerates ? clearing_phrase(metric->metric) : metric->metric->say;
}

/* Which instance and which of its values a phrase is about. */
struct subject {
	const char *label;
	double value;
};

/* What exonerates is said of the worst window, what accuses of what lasted. */
static struct subject subject_of(const struct metric_result *metric)
{
	bool of_worst = speaks_for(metric) && !isnan(metric->worst);

	return (struct subject){metric->label, of_worst ? metric->worst : metric->value};
}

/* Whether people read "1" and nothing else for the value: neither "1/s" nor "1 %". */
static bool subject_is_one(struct subject subject, enum unit unit)
{
	struct str text = STR_INIT;
	bool one;

	value_for_people(&text, subject.value, unit);
	one = !strcmp(str_text(&text), "1");
	str_free(&text);
	return one;
}

/* "98/s", and "98" where the noun has the unit: "98 connections/s". */
static void add_value(struct str *out, double value, enum unit unit, const char *behind)
{
	static const char per_second[] = "/s";
	struct str text = STR_INIT;
	size_t len;

	value_for_people(&text, value, unit);
	len = strlen(str_text(&text));
	if (unit == UNIT_PER_SECOND && plural_noun_is_rate(behind) &&
		str_ends(str_text(&text), per_second))
		len -= strlen(per_second);
	str_addn(out, str_text(&text), len);
	str_free(&text);
}

/* Replaces {value} {instance} {who} {limit} in the phrase of a metric, and "error(s)" by what the
 * value asks for. */
static void add_phrase(struct str *out, const char *phrase, const struct metric_result *metric,
	const struct check_result *result, struct subject subject)
{
	const char *at = phrase;
	double limit = isnan(metric->maybe) ? metric->bad : metric->maybe;
	bool one = subject_is_one(subject, metric->metric->unit);

	while (*at) {
		size_t form = plural_take(out, at, one);

		if (form) {
			at += form;
			continue;
		}
		if (str_starts(at, "{value}")) {
			at += strlen("{value}");
			add_value(out, subject.value, metric->metric->unit, at);
		} else if (str_starts(at, "{limit}")) {
			value_for_people(out, limit, metric->metric->unit);
			at += strlen("{limit}");
		} else if (str_starts(at, "{instance}")) {
			str_add(out, *subject.label ? subject.label : "none");
			at += strlen("{instance}");
		} else if (str_starts(at, "{who}")) {
			summary_add_culprit(out, metric, result);
			at += strlen("{who}");
		} else {
			str_addc(out, *at++);
		}
	}
}

/* Who accuses must say something, with a phrase or without. */
static void add_phrase_or_number(struct str *out, const char *phrase,
	const struct metric_result *metric, const struct check_result *result,
	struct subject subject)
{
	if (phrase) {
		add_phrase(out, phrase, metric, result, subject);
		return;
	}
	str_addf(out, "%s is ", metric->metric->name);
	value_for_people(out, subject.value, metric->metric->unit);
}

/* "sshd (pid 812) has 84 % of its open files in use; at this rate full in 12 min" */
static void summary_add_due(
	struct str *out, const struct metric_result *metric, const struct check_result *result)
{
	const struct forecast *forecast = &metric->forecast;

	str_add(out, "; at this rate ");
	if (metric->metric->unit == UNIT_RATIO && forecast->target >= 1)
		str_add(out, "full");
	else
		value_for_people(out, forecast->target, metric->metric->unit);
	str_add(out, " in ");
	value_for_people(out, forecast->seconds, UNIT_SECONDS);
	/* A phrase with an instance has said whose it is. */
	if (!*metric->instance && *metric->who.kind) {
		str_add(out, ", mostly by ");
		summary_add_culprit(out, metric, result);
	}
}

static void summary_add_number(
	struct str *out, const struct metric_result *metric, const struct check_result *result)
{
	add_phrase_or_number(
		out, phrase_of(metric, speaks_for(metric)), metric, result, subject_of(metric));
	if (metric->forecast.due && !speaks_for(metric))
		summary_add_due(out, metric, result);
}

void summary_add_accusation(
	struct str *out, const struct metric_result *metric, const struct check_result *result)
{
	summary_add_number(out, metric, result);
	if (metric->over)
		str_add(out, " (it was over when the trace looked)");
}

void summary_add_value(struct str *out, const struct metric_result *metric,
	const struct check_result *result, const char *label, double value)
{
	add_phrase_or_number(out, metric->metric->say, metric, result,
		(struct subject){label ? label : "", value});
}

static bool summary_add_metric(
	struct str *out, const struct metric_result *metric, const struct check_result *result)
{
	bool mute = !phrase_of(metric, speaks_for(metric));

	if (metric->idle || isnan(metric->value))
		return false;
	if (metric->verdict == VERDICT_GOOD && (mute || !metric->acquits))
		return false;
	if (out->len)
		str_add(out, "; ");
	summary_add_number(out, metric, result);
	if (metric->over)
		str_add(out, " (it was over when the trace looked)");
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
				n += summary_add_metric(out, metric, result);
		}
	}
	return n;
}

/* What was since the run before and is not said of this run. */
static size_t add_past(
	struct str *out, const struct check_result *result, enum verdict verdict, size_t most)
{
	size_t n = 0, i;

	for (i = 0; i < result->n_past && n < most; i++) {
		struct str phrase = STR_INIT;

		if (result->past[i].verdict == verdict &&
			summary_add_metric(&phrase, &result->past[i], result)) {
			str_add(out, out->len ? "; " : "");
			if (!n++)
				str_addf(out, "since %s: ",
					result->since ? result->since : "the last run");
			str_add(out, str_text(&phrase));
		}
		str_free(&phrase);
	}
	return n;
}

/* Numbers that accused and were overruled are said too: that is the point of going deeper. */
static void add_overruled(struct str *out, const struct check_result *result)
{
	const struct metric_result *worst = NULL;
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if (metric->verdict == VERDICT_GOOD && metric->overruled != VERDICT_GOOD &&
			(!worst || verdict_is_worse(metric->overruled, worst->overruled)))
			worst = metric;
	}
	if (!worst)
		return;
	str_addf(out, "; counters suggested %s (", verdict_text(worst->overruled));
	summary_add_number(out, worst, result);
	str_add(out, "), ruled out by the trace");
}

/* What a trace should have told, and nothing else does. */
static void add_unanswered(struct str *out, const struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if (!metric->looks || !metric->metric->say)
			continue;
		str_add(out, "; ");
		summary_add_number(out, metric, result);
	}
}

/* How near a metric is to the limit within which it clears: 1 at the limit, 0 far from it. */
static double evidence_nearness(const struct metric_result *metric)
{
	double limit = isnan(metric->acquit) ? metric->maybe : metric->acquit;
	double value = subject_of(metric).value;
	enum op op;
	bool below;

	if (isnan(limit) ||
		!limits_op(isnan(metric->acquit) ? &metric->metric->maybe : &metric->metric->acquit,
			&op))
		return 0;
	below = op == OP_LT || op == OP_LE;
	below ^= isnan(metric->acquit);
	if (below)
		return limit > 0 ? value / limit : 0;
	return value > 0 ? limit / value : 0;
}

/* Whether a is weaker evidence than b: nearer to its limit or, of equals, with a phrase and of a
 * class that says more. */
static bool evidence_is_weaker(const struct metric_result *a, const struct metric_result *b)
{
	double near_a = evidence_nearness(a), near_b = evidence_nearness(b);

	if (near_a > near_b || near_a < near_b)
		return near_a > near_b;
	if (!phrase_of(a, true) != !phrase_of(b, true))
		return phrase_of(a, true) != NULL;
	return a->metric->class < b->metric->class;
}

/* The weakest of what exonerates and has not been said yet, or NULL; of all, or of what has a
 * phrase. */
static const struct metric_result *weakest_evidence(
	const struct check_result *result, const bool *said, bool all)
{
	const struct metric_result *weakest = NULL;
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if (!speaks_for(metric) || metric->idle || isnan(metric->value) || said[i])
			continue;
		if (!all && !phrase_of(metric, true))
			continue;
		if (!weakest || evidence_is_weaker(metric, weakest))
			weakest = metric;
	}
	return weakest;
}

/* A chain is as strong as its weakest link: that is what is told of what is well. */
static void summary_add_evidence(
	struct str *out, const struct check_result *result, size_t most, bool all)
{
	bool *said = mem_zalloc((result->n_metrics + 1) * sizeof(*said));
	const struct metric_result *weakest;
	size_t n;

	for (n = 0; n < most; n++) {
		weakest = weakest_evidence(result, said, all);
		if (!weakest)
			break;
		said[weakest - result->metrics] = true;
		str_add(out, out->len ? "; " : "");
		summary_add_number(out, weakest, result);
	}
	free(said);
}

static char *say_evidence(const struct check_result *result)
{
	struct str out = STR_INIT;

	if (result->idle)
		str_add(&out, "nothing to do");
	else
		summary_add_evidence(&out, result, 1, true);
	if (!out.len)
		str_add(&out, "within its limits");
	return str_take(&out);
}

void summarize(struct check_result *result)
{
	struct str out = STR_INIT;
	size_t n;

	switch (result->verdict) {
	case VERDICT_BAD:
	case VERDICT_MAYBE:
		n = add_at(&out, result, result->verdict, PHRASES_MAX);
		n += add_past(&out, result, result->verdict, n < PHRASES_MAX ? PHRASES_MAX - n : 0);
		if (result->verdict == VERDICT_BAD && n < PHRASES_MAX)
			n += add_at(&out, result, VERDICT_MAYBE, PHRASES_MAX - n);
		break;
	case VERDICT_GOOD:
		if (result->idle)
			str_add(&out, "idle");
		summary_add_evidence(&out, result, PHRASES_MAX, false);
		if (!out.len)
			str_add(&out, "within its limits");
		if (result->tier == TIER_TRACE)
			add_overruled(&out, result);
		if (result->unanswered)
			add_unanswered(&out, result);
		break;
	case VERDICT_UNKNOWN:
	case VERDICT_SKIP:
		str_add(&out, result->reason ? result->reason : "");
		break;
	}
	result->summary = str_take(&out);
	if (result->exonerated)
		result->evidence = say_evidence(result);
}
