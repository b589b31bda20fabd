/* SPDX-License-Identifier: GPL-2.0-only */
/* Which verdict do the metrics of a check give together, and which tier has the last word? */
#include "base/banned.h"

#include <math.h>

#include "judge/plugin_check.h"
#include "judge/clearing.h"
#include "judge/judge.h"
#include "judge/limit_trend.h"
#include "judge/metric.h"
#include "capture/capture.h"
#include "sample/sweep.h"
#include "sample/source.h"
#include "base/str.h"
#include "judge/steps.h"
#include "judge/who.h"
#include "judge/words.h"
#include "judge/summary.h"
#include "judge/trace_evidence.h"
#include "report/incident.h"
#include "sample/instances.h"
#include "check/check.h"
#include "expr/eval.h"
#include "trace/result.h"
#include "trace/culprits.h"
#include "trace/spec.h"

#define CULPRITS_MAX 5

/* What the metrics of one tier say, harm and causes apart from errors and limits. */
struct tally {
	enum verdict harm;  /* harm and causes: of counters what remains after the traces */
	enum verdict event; /* errors and limits: no trace overrules them */
	enum verdict past;  /* of the time since the run before */
	bool only_causes;   /* the check has nothing else, so that they answer its question */
	size_t judged;	    /* metrics other than causes that had work and a value */
	bool answered; /* by a cause that has a side that is well: it clears, or asks for a trace */
	size_t idle;
	size_t missing;
};

static void worsen(enum verdict *a, enum verdict b)
{
	if (verdict_is_worse(b, *a))
		*a = b;
}

/* Whether a number without limits that accuse says all the same that something is well. */
static bool has_good_side(const struct metric *metric)
{
	enum op op;

	return metric->clears || limits_op(&metric->look, &op);
}

static void count_metric(struct tally *tally, const struct metric_result *result)
{
	enum metric_class class = result->metric->class;
	bool counts = class != CLASS_CAUSE || tally->only_causes;

	if (result->verdict == VERDICT_SKIP)
		return;
	if (result->verdict == VERDICT_UNKNOWN) {
		tally->missing += counts;
		return;
	}
	if (result->idle) {
		tally->idle += counts;
		return;
	}
	tally->judged += counts;
	tally->answered |= has_good_side(result->metric);
	if (class == CLASS_ERROR || class == CLASS_LIMIT)
		worsen(&tally->event, result->remains);
	else
		worsen(&tally->harm, result->remains);
}

static bool has_only_causes(const struct check *check)
{
	size_t i;

	for (i = 0; i < check->n_metrics; i++)
		if (check->metrics[i]->class != CLASS_CAUSE)
			return false;
	return true;
}

static enum verdict combine_tallies(const struct tally *counters, const struct tally *traced)
{
	enum verdict verdict = counters->harm;

	worsen(&verdict, counters->event);
	worsen(&verdict, traced->harm);
	worsen(&verdict, traced->event);
	return verdict;
}

/* With any_id another one of that name is the same: the id of a traced process is an example. */
static void judge_add_culprit(
	struct check_result *result, const struct culprit *culprit, bool any_id)
{
	size_t i;

	for (i = 0; i < result->n_culprits; i++)
		if (!strcmp(result->culprits[i].kind, culprit->kind) &&
			!strcmp(result->culprits[i].name, culprit->name) &&
			(any_id || !strcmp(result->culprits[i].id, culprit->id)))
			return;
	if (result->n_culprits == CULPRITS_MAX)
		return;
	result->culprits[result->n_culprits++] = *culprit;
}

/* Returns the first of them in *first, if there is one. */
static void add_traced_culprits(struct check_result *result, const struct trace_result *trace,
	const struct metric_result *metric, struct culprit *first)
{
	struct culprit found[CULPRITS_MAX];
	const struct instances *instances = trace_instances(trace);
	long instance =
		instances && *metric->instance ? instances_find(instances, metric->instance) : -1;
	size_t n = trace_culprits(trace, instance, found, CULPRITS_MAX), i;

	if (n)
		*first = found[0];
	for (i = 0; i < n; i++)
		judge_add_culprit(result, &found[i], true);
}

static void find_reference(void *arg, int reference)
{
	int *first = arg;

	if (*first < 0)
		*first = reference;
}

/*
 * Who did most meanwhile, of all others: his part of what all have done is his share. What nothing
 * can be told of names nobody, and so does a machine where the others did nothing.
 */
static bool find_rival(const struct metric_result *metric, const struct judge_context *context,
	struct culprit *out)
{
	struct expr_context of_run = {
		.sweep = context->sweep,
		.from = context->from,
		.to = sweep_samples(context->sweep) - 1,
		.cpus = context->cpus,
	};
	struct value value = expr_eval(metric->metric->rival, &of_run);
	double most = 0, all = 0;
	const char *name = NULL;
	bool found;
	size_t i;

	for (i = 0; value.instances && i < value.n; i++) {
		const char *instance = instances_name(value.instances, i);

		if (isnan(value.v[i]) || str_matches(instance, metric->metric->ignore))
			continue;
		all += value.v[i];
		if (!strcmp(instance, metric->instance) || value.v[i] <= most)
			continue;
		most = value.v[i];
		name = instance;
	}
	found = name && value.reference >= 0 &&
		sweep_culprit(context->sweep, value.reference, name, out);
	if (found)
		out->share = most / all;
	value_free(&value);
	return found;
}

static void add_counted_culprit(struct check_result *result, struct metric_result *metric,
	const struct judge_context *context)
{
	const char *group = expr_group(metric->metric->value);
	struct culprit culprit;
	int reference = -1;

	/* Who made it grow is known by name. */
	if (metric->forecast.due && *metric->who.kind) {
		judge_add_culprit(result, &metric->who, false);
		return;
	}
	expr_each_reference(metric->metric->value, find_reference, &reference);
	if (reference < 0 || !*metric->instance)
		return;
	if (group) {
		culprit = (struct culprit){.share = -1};
		snprintf(culprit.kind, sizeof(culprit.kind), "%s", group);
		snprintf(culprit.name, sizeof(culprit.name), "%s", metric->instance);
	} else if (metric->metric->rival
			? !find_rival(metric, context, &culprit)
			: !sweep_culprit(context->sweep, reference, metric->instance, &culprit)) {
		return;
	}
	metric->who = culprit;
	judge_add_culprit(result, &culprit, false);
}

/* Where a number accuses and no metric says whom, every trace of the check is asked. */
static void add_any_traced_culprits(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	const struct metric_result whole = {.instance = ""};
	struct culprit first;
	size_t i;

	for (i = 0; context->traces && i < check->n_traces; i++) {
		const struct trace_result *trace =
			traces_find(context->traces, check->name, check->traces[i]->name);

		if (trace && !trace_missing(trace))
			add_traced_culprits(result, trace, &whole, &first);
	}
}

static bool judge_accuses(const struct metric_result *metric)
{
	return metric->verdict == VERDICT_MAYBE || metric->verdict == VERDICT_BAD;
}

/* Whom the accusing metrics point at: those of the verdict's own weight first, traced before
 * counted. */
static void name_culprits(const struct check *check, const struct judge_context *context,
	struct check_result *result, enum verdict weight)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		struct metric_result *metric = &result->metrics[i];
		const struct trace_result *trace = metric_trace(check, metric->metric, context);

		if (metric->verdict == weight && trace)
			add_traced_culprits(result, trace, metric, &metric->who);
	}
	for (i = 0; i < result->n_metrics; i++)
		if (result->metrics[i].verdict == weight)
			add_counted_culprit(result, &result->metrics[i], context);
	for (i = 0; i < result->n_past; i++)
		if (result->past[i].verdict == weight)
			add_counted_culprit(result, &result->past[i], context);
}

static void judge_name_instance(const struct judge_context *context, const struct metric *metric,
	const char *instance, struct culprit *who)
{
	int reference = -1;

	expr_each_reference(metric->value, find_reference, &reference);
	if (reference >= 0)
		sweep_culprit(context->sweep, reference, instance, who);
}

/* Whom a limit points at that is well: it may be earlier runs that accuse it. */
static void judge_name_near(const struct judge_context *context, struct check_result *result)
{
	size_t i, k;

	for (i = 0; i < result->n_metrics; i++) {
		struct metric_result *metric = &result->metrics[i];

		if (metric->verdict == VERDICT_GOOD && *metric->instance && limit_is_near(metric))
			judge_name_instance(
				context, metric->metric, metric->instance, &metric->who);
		for (k = 0; k < metric->n_near; k++)
			judge_name_instance(context, metric->metric, metric->near[k].instance,
				&metric->near[k].who);
	}
}

/* Whom that points at which keeps a good check from being cleared: the reason names him. */
static void name_doubted(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	struct culprit found;
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		struct metric_result *metric = &result->metrics[i];
		const struct trace_result *trace = metric_trace(check, metric->metric, context);
		const struct instances *instances = trace ? trace_instances(trace) : NULL;

		if (trace && metric->doubt.kind != DOUBT_NONE &&
			trace_culprits(trace,
				instances ? instances_find(instances, metric->instance) : -1,
				&found, 1))
			metric->who = found;
	}
}

static void judge_add_howevers(struct check_result *result, const struct applied *applied)
{
	bool heavy = false;
	size_t i;

	for (i = 0; i < applied->n; i++)
		texts_add_once(&result->howevers, &result->n_howevers, applied->list[i]);
	for (i = 0; i < result->n_metrics; i++)
		heavy |= result->metrics[i].verdict == result->verdict;
	/* A verdict that a trace has confirmed may be worse than any metric by itself. */
	for (i = 0; i < result->n_metrics; i++)
		if (judge_accuses(&result->metrics[i]) &&
			verdict_is_worse(result->verdict, VERDICT_GOOD) &&
			(!heavy || result->metrics[i].verdict == result->verdict))
			texts_add_once(&result->howevers, &result->n_howevers,
				result->metrics[i].metric->however);
	for (i = 0; i < result->n_past; i++)
		if (result->past[i].verdict == result->verdict)
			texts_add_once(&result->howevers, &result->n_howevers,
				result->past[i].metric->however);
}

struct partial {
	const struct sweep *sweep;
	struct check_result *result;
};

static void add_partial(void *arg, int reference)
{
	struct partial *partial = arg;

	texts_add_once(&partial->result->howevers, &partial->result->n_howevers,
		sweep_partial(partial->sweep, reference));
}

/* What a source saw only a part of: a verdict over some network namespaces is not one over all. */
static void add_unseen(const struct sweep *sweep, struct check_result *result)
{
	struct partial partial = {sweep, result};
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		expr_each_reference(result->metrics[i].metric->value, add_partial, &partial);
}

/* Whether all that accuses was over when the traces looked, so that they know nothing of it. */
static bool judge_is_over(const struct check_result *result)
{
	bool over = false;
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if (metric->idle || !judge_accuses(metric))
			continue;
		if (!metric->over)
			return false;
		over = true;
	}
	return over;
}

static enum confidence judge_confidence_of(const struct check_result *result,
	const struct tally *counters, const struct tally *traced, double lost)
{
	enum confidence confidence = CONFIDENCE_LOW;
	size_t i;

	for (i = 0; i < result->n_metrics + result->n_past; i++) {
		const struct metric_result *metric = i < result->n_metrics
			? &result->metrics[i]
			: &result->past[i - result->n_metrics];

		if (metric->verdict == result->verdict && !metric->idle &&
			!metric->metric->judgement)
			confidence = CONFIDENCE_MEDIUM;
	}
	if (traced->judged && !judge_is_over(result))
		confidence = lost > 0.1 ? CONFIDENCE_LOW
			: lost > 0	? CONFIDENCE_MEDIUM
					: CONFIDENCE_HIGH;
	if (counters->missing > counters->judged + counters->idle && confidence > CONFIDENCE_LOW)
		confidence--;
	return confidence;
}

struct tallies {
	struct tally counters, traced;
	struct trace_evidences evidences; /* of the traces, each for itself */
	double lost;			  /* the largest share that a trace lost */
};

/* Which texts held this metric back, each once: there may be one for each instance. */
static void judge_keep_applied(
	struct metric_result *out, const struct applied *applied, size_t from)
{
	struct metric_words *words = &out->words;
	size_t i, k;

	for (i = from; i < applied->n; i++) {
		for (k = 0; k < words->n_applied; k++)
			if (words->applied[k] == applied->list[i])
				break;
		if (k < words->n_applied)
			continue;
		words->applied = mem_realloc_array(
			words->applied, words->n_applied + 1, sizeof(*words->applied));
		words->applied[words->n_applied++] = applied->list[i];
	}
}

static void judge_metric(const struct check *check, const struct judge_context *context,
	const struct metric *metric, struct metric_result *out, struct tallies *tallies,
	struct applied *applied)
{
	const struct trace_result *trace = metric_trace(check, metric, context);
	bool in_part = trace && (trace_is_cut(trace) || trace_away_text(trace));
	double lost = !trace ? 0 : in_part ? 1 : trace_lost_share(trace);
	struct tally of_trace = {0};
	struct trace_evidence *evidence;
	size_t before = applied->n;

	metric_judge(check, metric, context, &tallies->evidences, out, NULL, applied);
	judge_keep_applied(out, applied, before);
	if (lost > tallies->lost)
		tallies->lost = lost;
	if (trace && !trace_verdict_counts(trace, out->verdict)) {
		out->acquits = false;
		return;
	}
	count_metric(metric->trace ? &tallies->traced : &tallies->counters, out);
	evidence = metric->trace ? trace_evidence_find(&tallies->evidences, metric->trace) : NULL;
	if (!evidence)
		return;
	count_metric(&of_trace, out);
	evidence->judged |= of_trace.judged > 0;
	worsen(&evidence->harm, of_trace.harm);
}

/* Whether a metric of the trace tells instances apart. Only one with `enough` does: without it an
 * instance that was not observed cannot be told from one whose value is zero. */
static bool tells_apart(const struct check *check, const struct judge_context *context,
	const struct trace_evidences *evidences, const struct trace_evidence *evidence)
{
	size_t i;

	for (i = 0; i < check->n_metrics; i++) {
		const struct metric *metric = check->metrics[i];
		const struct trace_result *trace = metric_trace(check, metric, context);

		if (metric->class == CLASS_HARM && metric->enough && trace &&
			trace_instances(trace) &&
			trace_evidence_find(evidences, metric->trace) == evidence)
			return true;
	}
	return false;
}

static void begin_evidences(const struct check *check, const struct judge_context *context,
	struct trace_evidences *evidences)
{
	size_t i;

	evidences->list = mem_zalloc((check->n_traces + 1) * sizeof(*evidences->list));
	evidences->n = check->n_traces;
	for (i = 0; i < check->n_traces; i++) {
		evidences->list[i].trace = check->traces[i]->name;
		evidences->list[i].always = check->traces[i]->always;
	}
	for (i = 0; i < check->n_traces; i++)
		evidences->list[i].apart =
			tells_apart(check, context, evidences, &evidences->list[i]);
}

/* What a sentinel was to see and did not is not known; of other traces nobody has asked yet, or
 * they say themselves why they could not run. */
static bool is_not_asked(
	const struct check *check, const struct metric *metric, const struct judge_context *context)
{
	return metric->trace && !metric_is_sentinels(check, metric) &&
		!metric_trace(check, metric, context);
}

/* Judges every metric of the check and tallies it by tier: first what is traced, for what the
 * counters say is held against it. */
static void judge_metrics(const struct check *check, const struct judge_context *context,
	struct check_result *result, struct tallies *tallies, struct applied *applied)
{
	size_t i, n = 0;
	int traced;

	result->metrics = mem_zalloc((check->n_metrics + 1) * sizeof(*result->metrics));
	begin_evidences(check, context, &tallies->evidences);
	for (traced = 1; traced >= 0; traced--) {
		for (i = n = 0; i < check->n_metrics; i++) {
			const struct metric *metric = check->metrics[i];

			if (is_not_asked(check, metric, context))
				continue;
			n++;
			if (!metric->trace == !traced)
				judge_metric(check, context, metric, &result->metrics[n - 1],
					tallies, applied);
		}
	}
	result->n_metrics = n;
	for (i = 0; i < n; i++) {
		result->looks |= result->metrics[i].looks;
		result->unanswered |= result->metrics[i].unseen;
	}
}

/* What this run's own windows have accused of as much already is not said twice. */
static bool is_said(const struct check_result *result, const struct metric_result *past)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];
		enum verdict said = metric->verdict;

		if (metric->metric != past->metric)
			continue;
		worsen(&said, metric->overruled);
		return !metric->idle && !verdict_is_worse(past->verdict, said) &&
			(judge_accuses(metric) || metric->overruled != VERDICT_GOOD);
	}
	return false;
}

/* The time since the run before can only add to what is accused: no metric of it exonerates. */
static void judge_past(const struct check *check, const struct judge_context *context,
	struct check_result *result, struct tally *counters, struct applied *applied)
{
	size_t i;

	if (!sweep_has_earlier(context->sweep))
		return;
	result->past = mem_zalloc((check->n_metrics + 1) * sizeof(*result->past));
	for (i = 0; i < check->n_metrics; i++) {
		struct metric_result *out = &result->past[result->n_past];

		if (!metric_judge_past(check, check->metrics[i], context, out, applied))
			continue;
		if (is_said(result, out)) {
			metric_result_free(out);
			continue;
		}
		worsen(&counters->past, out->verdict);
		result->n_past++;
	}
}

/* Traces that were asked for and could not run, and what would have to be granted. */
static void note_missing_traces(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	size_t i;

	for (i = 0; context->traces && i < check->n_traces && !result->missing; i++) {
		const struct trace_result *trace =
			traces_find(context->traces, check->name, check->traces[i]->name);

		if (trace && trace_missing(trace) && !check->traces[i]->always)
			result->missing = mem_printf(
				"trace %s: %s", check->traces[i]->name, trace_missing(trace));
	}
}

/* "runq by sched_switch and …": a fallback sees less than what it stands in for. */
static void note_methods(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; context->traces && i < check->n_traces; i++) {
		const struct trace_result *trace =
			traces_find(context->traces, check->name, check->traces[i]->name);

		if (!trace || trace_missing(trace))
			continue;
		str_addf(&text, "%s%s by %s", text.len ? "; " : "", check->traces[i]->name,
			trace_method(trace));
	}
	if (text.len)
		result->method = str_take(&text);
	str_free(&text);
}

static void judge_add_cut_trace(
	struct check_result *result, const struct trace_result *trace, const char *name)
{
	char *text =
		mem_printf("trace %s ran only %.2g s of %.2g s: too short to rule anything out",
			name, trace_seconds(trace), trace_asked_seconds(trace));

	texts_add_once(&result->howevers, &result->n_howevers, text);
	free(text);
}

static void judge_add_away_trace(
	struct check_result *result, const struct trace_result *trace, const char *name)
{
	char *text = mem_printf("trace %s %s: it rules nothing out", name, trace_away_text(trace));

	texts_add_once(&result->howevers, &result->n_howevers, text);
	free(text);
}

static void add_trace_costs(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	size_t i;

	for (i = 0; context->traces && i < check->n_traces; i++) {
		const struct trace_result *trace =
			traces_find(context->traces, check->name, check->traces[i]->name);
		struct trace_cost cost;

		if (!trace || trace_missing(trace))
			continue;
		cost = trace_cost(trace);
		result->cost.cpu_ns += cost.start_ns + cost.run_ns;
		result->cost.bpf_ns += cost.run_ns;
		result->cost.bpf_known |= cost.known;
		/* They run side by side. */
		if (trace_seconds(trace) * 1e9 > (double)result->cost.trace_ns)
			result->cost.trace_ns = (uint64_t)(trace_seconds(trace) * 1e9);
		if (trace_lost_text(trace))
			texts_add_once(
				&result->howevers, &result->n_howevers, trace_lost_text(trace));
		if (trace_away_text(trace))
			judge_add_away_trace(result, trace, check->traces[i]->name);
		else if (trace_is_cut(trace))
			judge_add_cut_trace(result, trace, check->traces[i]->name);
	}
}

/* Whether those that were read had nothing to do. For want of a sentinel a check whose counters are
 * idle is not unknown, only not cleared. */
static bool had_nothing_to_do(const struct tally *counters, const struct tally *traced)
{
	if (counters->idle)
		return counters->idle >= counters->missing;
	return traced->idle && traced->idle >= counters->missing + traced->missing;
}

/* Whether a sentinel looked until its events were too many. It has seen a part then, as many events
 * as it may have in a second, and that it is no more than a part is why it clears nobody. */
static bool saw_a_part(const struct check *check, const struct judge_context *context)
{
	size_t i;

	for (i = 0; context->traces && i < check->n_traces; i++) {
		const struct trace_result *trace =
			traces_find(context->traces, check->name, check->traces[i]->name);

		if (trace && !trace_missing(trace) && trace_away_text(trace))
			return true;
	}
	return false;
}

/* unknown where nothing could be judged; good (idle) where there was nothing to do. */
static void judge_conclude(const struct check *check, const struct judge_context *context,
	struct check_result *result, const struct tallies *tallies)
{
	const struct tally *counters = &tallies->counters, *traced = &tallies->traced;

	result->verdict = combine_tallies(counters, traced);
	result->only_past = verdict_is_worse(counters->past, VERDICT_GOOD) &&
		verdict_is_worse(counters->past, result->verdict) &&
		!verdict_is_worse(result->verdict, VERDICT_GOOD);
	worsen(&result->verdict, counters->past);
	result->tier = traced->judged ? TIER_TRACE : TIER_COUNTERS;
	if (!counters->judged && !traced->judged &&
		!verdict_is_worse(result->verdict, VERDICT_GOOD)) {
		if (had_nothing_to_do(counters, traced))
			result->idle = true;
		else if (!counters->answered && !saw_a_part(check, context))
			result->verdict = VERDICT_UNKNOWN;
	}
	/* What the trace was to tell, nothing else does. */
	if (result->unanswered)
		result->idle = false;
}

/* Whether the numbers that the check is known by are of what is not here. */
static bool headline_is_absent(const struct sweep *sweep, const struct check_result *result)
{
	const char *headline = result->check->headline;
	bool any = false;
	size_t i;

	for (i = 0; headline && i < result->n_metrics; i++) {
		const struct metric *metric = result->metrics[i].metric;

		if (!str_matches(metric->name, headline))
			continue;
		if (!metric_is_absent(metric, sweep))
			return false;
		any = true;
	}
	return any;
}

/* Whether all that it lacks, or what it is about, is lacking since there is no such thing here, or
 * was not for all of the time: then it does not apply. */
static bool is_about_nothing(const struct sweep *sweep, const struct check_result *result)
{
	bool any = headline_is_absent(sweep, result);
	size_t i;

	if (any)
		return true;
	for (i = 0; i < result->n_metrics; i++) {
		const struct metric *metric = result->metrics[i].metric;

		any |= result->metrics[i].verdict == VERDICT_SKIP;
		if (metric->class == CLASS_CAUSE || result->metrics[i].verdict != VERDICT_UNKNOWN)
			continue;
		if (!metric_is_absent(metric, sweep) && !metric_came_or_went(metric, sweep))
			return false;
		any = true;
	}
	return any;
}

/* Why a check is unknown is what it lacks, and not what is not here; of what is context, or of what
 * there is none of, only where there is nothing else. */
static const char *reason_of_metrics(const struct sweep *sweep, const struct check_result *result)
{
	const char *reason = NULL;
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if (!metric->missing ||
			(metric->verdict == VERDICT_SKIP && result->verdict != VERDICT_SKIP))
			continue;
		if (metric->metric->class != CLASS_CAUSE &&
			(result->verdict == VERDICT_SKIP ||
				!metric_is_absent(metric->metric, sweep)))
			return metric->missing;
		reason = reason ? reason : metric->missing;
	}
	return reason;
}

static void explain_unknown(const struct sweep *sweep, struct check_result *result)
{
	const char *reason = reason_of_metrics(sweep, result);

	result->reason = mem_strdup(reason ? reason : "none of its metrics could be read");
}

void judge_check(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	struct tallies tallies = {0};
	struct applied applied = {0};

	memset(result, 0, sizeof(*result));
	result->check = check;
	result->since = context->since;
	if (check->foreign) {
		foreign_judge(check, context->fs, result);
		judge_add_steps(check, result);
		return;
	}
	tallies.counters.only_causes = has_only_causes(check);
	judge_metrics(check, context, result, &tallies, &applied);
	judge_past(check, context, result, &tallies.counters, &applied);
	judge_conclude(check, context, result, &tallies);
	if (result->verdict == VERDICT_UNKNOWN) {
		if (!tallies.counters.only_causes && is_about_nothing(context->sweep, result))
			result->verdict = VERDICT_SKIP;
		explain_unknown(context->sweep, result);
	}
	result->confidence =
		judge_confidence_of(result, &tallies.counters, &tallies.traced, tallies.lost);
	result->culprits = mem_zalloc(CULPRITS_MAX * sizeof(*result->culprits));
	if (result->verdict == VERDICT_MAYBE || result->verdict == VERDICT_BAD) {
		name_culprits(check, context, result, result->verdict);
		name_culprits(check, context, result, VERDICT_MAYBE);
		if (!result->n_culprits)
			add_any_traced_culprits(check, context, result);
	}
	judge_describe_who(context->fs, result);
	judge_add_howevers(result, &applied);
	add_unseen(context->sweep, result);
	judge_add_steps(check, result);
	note_missing_traces(check, context, result);
	add_trace_costs(check, context, result);
	note_methods(check, context, result);
	if (result->verdict == VERDICT_GOOD) {
		judge_name_near(context, result);
		name_doubted(check, context, result);
		clearing_decide(check, context, result);
	}
	summarize(result);
	judge_add_words(result);
	trace_evidences_free(&tallies.evidences);
	free(applied.list);
}

void judge_tell_accused(struct check_result *result, const struct metric_result *metric)
{
	if (metric->metric->however && *metric->metric->however)
		texts_add_once(&result->howevers, &result->n_howevers, metric->metric->however);
	if (*metric->who.kind && result->culprits)
		judge_add_culprit(result, &metric->who, false);
	judge_add_steps(result->check, result);
	judge_add_words(result);
}

/* Whether it has a trace that runs when it is asked. */
static bool has_trace_to_ask(const struct check *check)
{
	size_t i;

	for (i = 0; i < check->n_traces; i++)
		if (!check->traces[i]->always)
			return true;
	return false;
}

bool judge_wants_trace(const struct check_result *result, bool deep)
{
	if (!has_trace_to_ask(result->check) || result->verdict == VERDICT_SKIP)
		return false;
	/* No trace can see what is over. */
	return deep || result->looks ||
		(!result->only_past &&
			(result->verdict == VERDICT_MAYBE || result->verdict == VERDICT_BAD));
}

void judge_report(struct report *report)
{
	report->verdict = report_worst(report);
	incident_derive_type(report);
}
