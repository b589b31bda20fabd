/* SPDX-License-Identifier: GPL-2.0-only */
/* Which verdict do the metrics of a check give together, and which tier has the last word? */
#include <math.h>

#include "applies.h"
#include "foreign.h"
#include "judge.h"
#include "metric.h"
#include "procfs.h"
#include "sample.h"
#include "source.h"
#include "str.h"
#include "summary.h"
#include "trace.h"
#include "type.h"

#define CULPRITS_MAX 5

/* What the metrics of one tier say, harm and causes apart from errors and limits. */
struct tally {
	enum verdict harm;  /* harm and causes, as far as they may go by themselves */
	enum verdict raw;   /* the same before the cap that a deeper tier can lift */
	enum verdict event; /* errors and limits: no deeper tier overrules them */
	enum verdict final; /* harm that no trace can see, so that none overrules it */
	bool only_causes;   /* the check has nothing else, so that they answer its question */
	size_t judged;	    /* metrics other than causes that had work and a value */
	size_t idle;
	size_t missing;
};

static void worsen(enum verdict *a, enum verdict b)
{
	if (verdict_is_worse(b, *a))
		*a = b;
}

static void count_metric(struct tally *tally, const struct metric_result *result, enum verdict raw)
{
	enum metric_class class = result->metric->class;
	bool counts = class != CLASS_CAUSE || tally->only_causes;

	if (result->verdict == VERDICT_UNKNOWN) {
		tally->missing += counts;
		return;
	}
	if (result->idle) {
		tally->idle += counts;
		return;
	}
	tally->judged += counts;
	if (class == CLASS_ERROR || class == CLASS_LIMIT) {
		worsen(&tally->event, result->verdict);
	} else if (result->metric->final) {
		worsen(&tally->final, result->verdict);
	} else {
		worsen(&tally->harm, result->verdict);
		worsen(&tally->raw, raw);
	}
}

/* Whether the trace's silence says nothing: it lost most of what happened, and then what it saw
 * says nothing either; or it stood in for one that sees more, and then it may accuse only. */
static bool saw_too_little(const struct trace_result *trace, enum verdict verdict)
{
	if (!trace)
		return false;
	return trace_lost_share(trace) > 0.5 ||
		(trace_is_fallback(trace) && !verdict_is_worse(verdict, VERDICT_GOOD));
}

static bool has_only_causes(const struct check *check)
{
	size_t i;

	for (i = 0; i < check->n_metrics; i++)
		if (check->metrics[i]->class != CLASS_CAUSE)
			return false;
	return true;
}

static enum verdict combine(const struct tally *counters, const struct tally *traced)
{
	enum verdict verdict = counters->harm;

	if (traced->judged) {
		/* The trace has the last word on harm; if it agrees, the counters' number stands.
		 */
		verdict = traced->harm;
		if (verdict == VERDICT_MAYBE)
			worsen(&verdict, counters->raw);
	}
	worsen(&verdict, counters->event);
	worsen(&verdict, counters->final);
	worsen(&verdict, traced->event);
	return verdict;
}

/* With any_id another one of that name is the same: the id of a traced process is an example. */
static void add_culprit(struct check_result *result, const struct culprit *culprit, bool any_id)
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

static void add_traced_culprits(struct check_result *result, const struct trace_result *trace,
	const struct metric_result *metric)
{
	struct culprit found[CULPRITS_MAX];
	const struct instances *instances = trace_instances(trace);
	long instance =
		instances && *metric->instance ? instances_find(instances, metric->instance) : -1;
	size_t n = trace_culprits(trace, instance, found, CULPRITS_MAX), i;

	for (i = 0; i < n; i++)
		add_culprit(result, &found[i], true);
}

static void find_reference(void *arg, int reference)
{
	int *first = arg;

	if (*first < 0)
		*first = reference;
}

static void add_counted_culprit(struct check_result *result, const struct metric_result *metric,
	const struct judge_context *context)
{
	struct culprit culprit;
	int reference = -1;

	expr_each_reference(metric->metric->value, find_reference, &reference);
	if (reference < 0 || !*metric->instance)
		return;
	if (sweep_culprit(context->sweep, reference, metric->instance, &culprit))
		add_culprit(result, &culprit, false);
}

/* Where a number accuses and no metric says whom, every trace of the check is asked. */
static void add_any_traced_culprits(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	const struct metric_result whole = {.instance = ""};
	size_t i;

	for (i = 0; context->traces && i < check->n_traces; i++) {
		const struct trace_result *trace =
			traces_find(context->traces, check->name, check->traces[i]->name);

		if (trace && !trace_missing(trace))
			add_traced_culprits(result, trace, &whole);
	}
}

static bool accuses(const struct metric_result *metric)
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
		const struct metric_result *metric = &result->metrics[i];
		const struct trace_result *trace = metric_trace(check, metric->metric, context);

		if (metric->verdict == weight && trace)
			add_traced_culprits(result, trace, metric);
	}
	for (i = 0; i < result->n_metrics; i++)
		if (result->metrics[i].verdict == weight)
			add_counted_culprit(result, &result->metrics[i], context);
}

static void add_text(char ***list, size_t *n, const char *text)
{
	size_t i;

	if (!text || !*text)
		return;
	for (i = 0; i < *n; i++)
		if (!strcmp((*list)[i], text))
			return;
	*list = mem_realloc_array(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = mem_strdup(text);
}

static void add_howevers(struct check_result *result, const struct applied *applied)
{
	bool heavy = false;
	size_t i;

	for (i = 0; i < applied->n; i++)
		add_text(&result->howevers, &result->n_howevers, applied->list[i]);
	for (i = 0; i < result->n_metrics; i++)
		heavy |= result->metrics[i].verdict == result->verdict;
	/* A verdict that a trace has confirmed may be worse than any metric by itself. */
	for (i = 0; i < result->n_metrics; i++)
		if (accuses(&result->metrics[i]) &&
			verdict_is_worse(result->verdict, VERDICT_GOOD) &&
			(!heavy || result->metrics[i].verdict == result->verdict))
			add_text(&result->howevers, &result->n_howevers,
				result->metrics[i].metric->however);
}

struct partial {
	const struct sweep *sweep;
	struct check_result *result;
};

static void add_partial(void *arg, int reference)
{
	struct partial *partial = arg;

	add_text(&partial->result->howevers, &partial->result->n_howevers,
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

static void add_next(const struct check *check, struct check_result *result)
{
	const char *at = check->next ? check->next : "";
	char *explain;

	if (result->verdict != VERDICT_MAYBE && result->verdict != VERDICT_BAD)
		return;
	while (*at) {
		size_t len = strcspn(at, ",");
		char *command = mem_strndup(at, len);
		char *end = command + strlen(command);
		const char *start = command + strspn(command, " \t");

		while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
			*--end = 0;
		add_text(&result->next, &result->n_next, start);
		free(command);
		at += len + (at[len] == ',');
	}
	explain = mem_printf("tuesday explain %s", check->name);
	add_text(&result->next, &result->n_next, explain);
	free(explain);
}

static int note_found(void *arg, const char *path, const char *star)
{
	(void)path;
	(void)star;
	*(bool *)arg = true;
	return 1;
}

static bool is_there(struct procfs *fs, const char *path)
{
	bool found = false;

	if (!strchr(path, '*'))
		return procfs_exists(fs, path);
	procfs_glob(fs, path, note_found, &found);
	return found;
}

/* The first needed path that is not there, or NULL. The caller frees. */
static char *missing_need(const struct check *check, struct procfs *fs)
{
	const char *at = check->needs ? check->needs : "";

	for (;;) {
		size_t len;
		char *path;

		at += strspn(at, " \t");
		len = strcspn(at, " \t");
		if (!len)
			return NULL;
		path = mem_strndup(at, len);
		if (!is_there(fs, path))
			return path;
		free(path);
		at += len;
	}
}

char *judge_why_skipped(const struct check *check, struct procfs *fs)
{
	char *path, *why = applies_not(check, fs);

	if (why)
		return why;
	path = missing_need(check, fs);
	if (path)
		why = mem_printf("no %s here", path);
	free(path);
	return why;
}

static enum confidence confidence_of(const struct check_result *result,
	const struct tally *counters, const struct tally *traced, double lost)
{
	enum confidence confidence = CONFIDENCE_LOW;
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if (metric->verdict == result->verdict && !metric->idle &&
			!metric->metric->judgement)
			confidence = CONFIDENCE_MEDIUM;
	}
	if (traced->judged)
		confidence = lost > 0.1 ? CONFIDENCE_LOW
			: lost > 0	? CONFIDENCE_MEDIUM
					: CONFIDENCE_HIGH;
	if (counters->missing > counters->judged + counters->idle && confidence > CONFIDENCE_LOW)
		confidence--;
	return confidence;
}

/* Judges every metric of the check, tallies it by tier, and returns the largest share lost. */
static double judge_metrics(const struct check *check, const struct judge_context *context,
	struct check_result *result, struct tally *counters, struct tally *traced,
	struct applied *applied)
{
	double lost = 0;
	size_t i;

	result->metrics = mem_zalloc((check->n_metrics + 1) * sizeof(*result->metrics));
	for (i = 0; i < check->n_metrics; i++) {
		const struct metric *metric = check->metrics[i];
		struct metric_result *out = &result->metrics[result->n_metrics];
		const struct trace_result *trace = metric_trace(check, metric, context);
		enum verdict raw;

		if (metric->trace && !trace)
			continue;
		result->n_metrics++;
		metric_judge(check, metric, context, out, &raw, applied);
		if (trace && trace_lost_share(trace) > lost)
			lost = trace_lost_share(trace);
		if (saw_too_little(trace, out->verdict))
			out->acquits = false;
		else
			count_metric(metric->trace ? traced : counters, out, raw);
	}
	return lost;
}

/* Traces that were asked for and could not run, and what would have to be granted. */
static void note_missing_traces(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	size_t i;

	for (i = 0; context->traces && i < check->n_traces && !result->missing; i++) {
		const struct trace_result *trace =
			traces_find(context->traces, check->name, check->traces[i]->name);

		if (trace && trace_missing(trace))
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
			add_text(&result->howevers, &result->n_howevers, trace_lost_text(trace));
	}
}

static bool anything_acquits(const struct check_result *result, bool traced)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		if (result->metrics[i].acquits && (!traced || result->metrics[i].metric->trace))
			return true;
	return false;
}

/* unknown where nothing could be judged; good (idle) where there was nothing to do. */
static void conclude(
	struct check_result *result, const struct tally *counters, const struct tally *traced)
{
	bool overruled = traced->judged && verdict_is_worse(counters->harm, VERDICT_GOOD);

	result->verdict = combine(counters, traced);
	result->tier = traced->judged ? TIER_TRACE : TIER_COUNTERS;
	if (!counters->judged && !traced->judged &&
		!verdict_is_worse(result->verdict, VERDICT_GOOD)) {
		if (counters->idle && counters->idle >= counters->missing)
			result->idle = true;
		else
			result->verdict = VERDICT_UNKNOWN;
	}
	if (result->verdict == VERDICT_GOOD)
		result->exonerated = result->idle || anything_acquits(result, overruled);
}

static void explain_unknown(struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics && !result->reason; i++)
		if (result->metrics[i].missing)
			result->reason = mem_strdup(result->metrics[i].missing);
	if (!result->reason)
		result->reason = mem_strdup("none of its numbers could be had");
}

static char *why_skipped(const struct check *check, const struct judge_context *context)
{
	if (!context->skip_known)
		return judge_why_skipped(check, context->fs);
	return context->skipped ? mem_strdup(context->skipped) : NULL;
}

void judge_check(
	const struct check *check, const struct judge_context *context, struct check_result *result)
{
	struct tally counters = {0}, traced = {0};
	struct applied applied = {0};
	double lost;

	memset(result, 0, sizeof(*result));
	result->check = check;
	result->reason = why_skipped(check, context);
	if (result->reason) {
		result->verdict = VERDICT_SKIP;
		result->summary = mem_strdup(result->reason);
		return;
	}
	if (check->foreign) {
		foreign_judge(check, context->fs, result);
		add_next(check, result);
		return;
	}
	counters.only_causes = has_only_causes(check);
	lost = judge_metrics(check, context, result, &counters, &traced, &applied);
	conclude(result, &counters, &traced);
	if (result->verdict == VERDICT_UNKNOWN)
		explain_unknown(result);
	result->confidence = confidence_of(result, &counters, &traced, lost);
	result->culprits = mem_zalloc(CULPRITS_MAX * sizeof(*result->culprits));
	if (verdict_is_worse(result->verdict, VERDICT_GOOD) && result->verdict != VERDICT_UNKNOWN) {
		name_culprits(check, context, result, result->verdict);
		name_culprits(check, context, result, VERDICT_MAYBE);
		if (!result->n_culprits)
			add_any_traced_culprits(check, context, result);
	}
	add_howevers(result, &applied);
	add_unseen(context->sweep, result);
	add_next(check, result);
	note_missing_traces(check, context, result);
	add_trace_costs(check, context, result);
	note_methods(check, context, result);
	summarize(result);
	free(applied.list);
}

bool judge_wants_trace(const struct check_result *result, bool deep)
{
	if (!result->check->n_traces || result->verdict == VERDICT_SKIP)
		return false;
	return deep || result->verdict == VERDICT_MAYBE || result->verdict == VERDICT_BAD;
}

void judge_report(struct report *report)
{
	size_t i;

	/* What a refused check file would have looked at, nobody looked at. */
	report->verdict = report->n_errors ? VERDICT_UNKNOWN : VERDICT_SKIP;
	for (i = 0; i < report->n_checks; i++)
		worsen(&report->verdict, report->checks[i].verdict);
	type_derive(report);
}
