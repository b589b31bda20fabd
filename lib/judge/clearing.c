/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a check that is good cleared, and if not, why not? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "base/unit.h"
#include "check/check.h"
#include "expr/eval.h"
#include "judge/clearing.h"
#include "judge/judge.h"
#include "judge/metric.h"
#include "judge/summary.h"
#include "sample/sweep.h"
#include "trace/result.h"
#include "trace/spec.h"

/* All that the deciding of one check needs. */
struct clearing {
	const struct check *check;
	const struct judge_context *context;
	const struct check_result *result;
};

/* Whether a metric stands in the way of clearing when it could not be judged, or not whole. */
static bool clearing_counts(const struct metric_result *metric)
{
	return metric->metric->class != CLASS_CAUSE || metric->acquits;
}

static const char *limits_text(const struct limits *limits)
{
	return limits->plain.text ? limits->plain.text
		: limits->n	  ? limits->by_class[0].text
				  : NULL;
}

/* "< 5 %": the number in force, or the limit as it is written where there is none. */
static void add_clearing_limit(struct str *out, const struct metric *metric, double acquit)
{
	enum op op;

	if (isnan(acquit) || !limits_op(&metric->acquit, &op)) {
		str_add(out, limits_text(&metric->acquit));
		return;
	}
	str_addf(out, "%s ", op_text(op));
	value_for_people(out, acquit, metric->unit);
}

static void add_burst(struct str *out, const struct clearing *clearing, const struct doubt *doubt)
{
	const struct sweep *sweep = clearing->context->sweep;
	size_t samples = sweep_samples(sweep);
	double seconds = samples ? sweep_seconds(sweep, clearing->context->from, samples - 1) : 0;
	double window = doubt->windows ? seconds / doubt->windows : 0;

	str_addf(out, " for %.3g of %.3g s", window * doubt->windows_over, seconds);
}

/* What stands between a metric and clearing: its number is not on the side that clears. */
static char *clearing_say_doubt(const struct clearing *clearing, const struct metric_result *metric)
{
	const struct doubt *doubt = &metric->doubt;
	struct str out = STR_INIT;

	summary_add_value(&out, metric, clearing->result, doubt->label, doubt->value);
	if (doubt->kind == DOUBT_BURST) {
		add_burst(&out, clearing, doubt);
	} else if (doubt->kind == DOUBT_AFTERWARDS) {
		str_add(&out, "; whether it was over when the trace looked is not known");
	} else if (limits_text(&metric->metric->acquit)) {
		str_add(&out, " (cleared only ");
		add_clearing_limit(&out, metric->metric, doubt->acquit);
		str_addc(&out, ')');
	}
	return str_take(&out);
}

static char *clearing_why_doubted(const struct clearing *clearing)
{
	const struct check_result *result = clearing->result;
	const struct metric_result *gravest = NULL;
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		if (result->metrics[i].doubt.kind > (gravest ? gravest->doubt.kind : DOUBT_NONE))
			gravest = &result->metrics[i];
	return gravest ? clearing_say_doubt(clearing, gravest) : NULL;
}

/* What only a trace can tell, and none told. */
static char *clearing_why_unanswered(const struct clearing *clearing)
{
	const struct check_result *result = clearing->result;
	size_t i;

	if (!result->unanswered)
		return NULL;
	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];
		struct str out = STR_INIT;

		if (!metric->looks)
			continue;
		summary_add_value(&out, metric, result, metric->label, metric->value);
		return str_take(&out);
	}
	return mem_strdup("only a trace can tell, and none did");
}

static char *clearing_why_missing(const struct clearing *clearing)
{
	const struct check_result *result = clearing->result;
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if (metric->verdict != VERDICT_UNKNOWN || metric->metric->class == CLASS_CAUSE ||
			metric_is_absent(metric->metric, clearing->context->sweep))
			continue;
		return mem_printf("%s could not be judged: %s", metric->metric->name,
			metric->missing ? metric->missing : "it has no value");
	}
	return NULL;
}

/* What a trace may not have seen, or NULL. The caller frees. */
static char *trace_why_in_part(const char *name, const struct trace_result *trace)
{
	if (trace_away_text(trace))
		return mem_printf("trace %s %s", name, trace_away_text(trace));
	if (trace_is_cut(trace))
		return mem_printf("trace %s ran for %.2g s of %.2g s", name, trace_seconds(trace),
			trace_asked_seconds(trace));
	if (trace_lost_instances(trace) || trace_lost_share(trace) > 0)
		return mem_printf("trace %s did not see all: %s", name,
			trace_lost_text(trace) ? trace_lost_text(trace) : "events were lost");
	if (trace_is_fallback(trace))
		return mem_printf(
			"trace %s had to look by %s, which sees less", name, trace_method(trace));
	return NULL;
}

static char *clearing_why_traced_in_part(const struct clearing *clearing)
{
	const struct check_result *result = clearing->result;
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric *metric = result->metrics[i].metric;
		const struct trace_result *trace =
			metric_trace(clearing->check, metric, clearing->context);
		char *why = trace && metric->class != CLASS_CAUSE
			? trace_why_in_part(metric->trace, trace)
			: NULL;

		if (why)
			return why;
	}
	return NULL;
}

struct in_part {
	const struct sweep *sweep;
	const char *why;
};

static void find_in_part(void *arg, int reference)
{
	struct in_part *in_part = arg;

	if (!in_part->why)
		in_part->why = sweep_partial(in_part->sweep, reference);
}

/* A verdict over some network namespaces is not one over all. */
static char *clearing_why_read_in_part(const struct clearing *clearing)
{
	const struct check_result *result = clearing->result;
	struct in_part in_part = {clearing->context->sweep, NULL};
	size_t i;

	for (i = 0; i < result->n_metrics && !in_part.why; i++)
		if (clearing_counts(&result->metrics[i]))
			expr_each_reference(
				result->metrics[i].metric->value, find_in_part, &in_part);
	return in_part.why ? mem_strdup(in_part.why) : NULL;
}

/* Whether any metric of the class had work and was judged. */
static bool had_work(const struct check_result *result, enum metric_class class)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if (metric->metric->class == class && !metric->idle &&
			metric->verdict == VERDICT_GOOD &&
			(class != CLASS_CAUSE || metric->acquits))
			return true;
	}
	return false;
}

static bool clearing_has_class(const struct check_result *result, enum metric_class class)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		if (result->metrics[i].metric->class == class &&
			result->metrics[i].verdict != VERDICT_SKIP)
			return true;
	return false;
}

/* What is full but not yet over is no answer to whether somebody waits. */
static char *clearing_why_no_work(const struct clearing *clearing)
{
	const struct check_result *result = clearing->result;
	bool harm =
		clearing_has_class(result, CLASS_HARM) || clearing_has_class(result, CLASS_ERROR);

	if (result->idle || had_work(result, CLASS_HARM) || had_work(result, CLASS_ERROR) ||
		had_work(result, CLASS_CAUSE))
		return NULL;
	if (harm)
		return mem_strdup(
			"nothing that could do harm was at work: only limits were looked at");
	if (had_work(result, CLASS_LIMIT))
		return NULL;
	return mem_strdup("it has nothing but context, which clears nothing");
}

void clearing_decide(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	/* The strongest reason first: what was seen, what was not, what was seen in part. */
	static char *(*const why_not[])(const struct clearing *clearing) = {
		clearing_why_doubted,
		clearing_why_unanswered,
		clearing_why_missing,
		clearing_why_traced_in_part,
		clearing_why_read_in_part,
		clearing_why_no_work,
	};
	const struct clearing clearing = {check, context, result};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(why_not) && !result->reason; i++)
		result->reason = why_not[i](&clearing);
	result->exonerated = !result->reason;
}
