/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this number within its limits, for every disk, task and cgroup that it is about? */
#include <math.h>

#include "metric.h"
#include "sample.h"
#include "str.h"
#include "trace.h"

/* One instance on its way to a verdict. */
struct candidate {
	const char *name;
	const char *label;
	double value;
	double acquit, maybe, bad;
	enum verdict verdict, raw;
	bool acquits, capped, idle;
	unsigned int windows, windows_over;
};

/* All that the judging of one metric needs. */
struct judging {
	const struct metric *metric;
	const struct judge_context *context;
	struct expr_context whole; /* the first sample that counts to the last */
	struct value value;	   /* over the whole run */
	struct value *by_window;   /* one a window, only for sustained metrics */
	size_t windows;
	struct applied *applied;
};

static const struct trace_result *find_trace(
	const struct check *check, const struct metric *metric, const struct judge_context *context)
{
	if (!metric->trace || !context->traces)
		return NULL;
	return traces_find(context->traces, check->name, metric->trace);
}

const struct trace_result *metric_trace(
	const struct check *check, const struct metric *metric, const struct judge_context *context)
{
	const struct trace_result *result = find_trace(check, metric, context);

	return result && !trace_missing(result) ? result : NULL;
}

static struct expr_context context_for(const struct check *check, const struct metric *metric,
	const struct judge_context *context, size_t from, size_t to)
{
	const struct trace_result *trace = metric_trace(check, metric, context);

	return (struct expr_context){
		.check = check->name,
		.sweep = context->sweep,
		.from = from,
		.to = to,
		.cpus = context->cpus,
		.traces = context->traces,
		.window_seconds = trace ? trace_seconds(trace) : 0,
	};
}

static size_t last_sample(const struct sweep *sweep)
{
	size_t n = sweep_samples(sweep);

	return n ? n - 1 : 0;
}

/* A limit's number for an instance: NAN where it has none. */
static double limit_number(
	const struct limit *limit, const struct expr_context *context, const char *instance)
{
	struct value value;
	double number;

	if (!limit->set)
		return NAN;
	value = expr_eval(limit->expr, context);
	number = value_of(&value, instance);
	value_free(&value);
	return number;
}

static const struct limit *limit_of_class(const struct limits *limits, const char *class)
{
	size_t i;

	for (i = 0; class && i < limits->n; i++)
		if (limits->by_class[i].set && !strcmp(limits->by_class[i].class, class))
			return &limits->by_class[i];
	return NULL;
}

/*
 * The limit in force. The kernel's own comes first, where the kernel has one; then the instance's
 * class; then the plain one. A knob that stands at 0 is switched off and limits nothing.
 */
static const struct limit *limit_in_force(const struct limits *limits, const char *class,
	const struct expr_context *context, const char *instance, double *number)
{
	const struct limit *of_class = limit_of_class(limits, class);
	const struct limit *limit = &limits->plain;

	*number = limit_number(limit, context, instance);
	if (limit->set && !expr_is_constant(limit->expr)) {
		if (*number > 0)
			return limit;
		*number = NAN;
	}
	if (!of_class)
		return limit;
	*number = limit_number(of_class, context, instance);
	return of_class;
}

static bool beyond(const struct limit *limit, double value, double number)
{
	return limit->set && op_holds(limit->op, value, number);
}

/* Whether higher values are worse, told by the limits; most are. */
static bool higher_is_worse(const struct metric *metric)
{
	const struct limits *limits =
		metric->maybe.plain.set || metric->maybe.n ? &metric->maybe : &metric->bad;
	const struct limit *limit = limits->plain.set ? &limits->plain
		: limits->n			      ? &limits->by_class[0]
						      : NULL;

	if (limit)
		return limit->op != OP_LT && limit->op != OP_LE;
	return !metric->acquit.plain.set || metric->acquit.plain.op == OP_LT ||
		metric->acquit.plain.op == OP_LE;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The value that lasted: with sustained = K/N the K-th worst of the windows, K in proportion when
 * fewer windows were taken. NAN where not so many had a value.
 */
static double sustained_value(
	const struct judging *j, struct candidate *c, size_t instance, const struct limit *maybe)
{
	const struct metric *metric = j->metric;
	double *values = mem_realloc_array(NULL, j->windows, sizeof(double));
	size_t n = 0, w, need;
	double value = NAN;

	need = (metric->sustained_k * j->windows + metric->sustained_n - 1) / metric->sustained_n;
	need = need ? need : 1;
	for (w = 0; w < j->windows; w++) {
		struct expr_context context = j->whole;
		const struct value *window = &j->by_window[w];
		double v = instance < window->n ? window->v[instance] : NAN;

		context.from = j->whole.from + w;
		context.to = context.from + 1;
		if (isnan(v) ||
			(metric->enough && condition_holds(metric->enough, &context, c->name) != 1))
			continue;
		values[n++] = v;
		c->windows_over += beyond(maybe, v, c->maybe);
	}
	c->windows = (unsigned int)n;
	qsort(values, n, sizeof(double), compare_numbers);
	if (n >= need)
		value = higher_is_worse(metric) ? values[n - need] : values[need - 1];
	free(values);
	return value;
}

static void apply_howevers(const struct judging *j, struct candidate *c)
{
	const struct metric *metric = j->metric;
	size_t i;

	for (i = 0; i < metric->n_howevers; i++) {
		const struct however *however = &metric->howevers[i];
		enum verdict cap = however->cap == CAP_GOOD ? VERDICT_GOOD : VERDICT_MAYBE;

		if (!verdict_is_worse(c->raw, cap))
			continue;
		if (condition_holds(however->when, &j->whole, c->name) != 1)
			continue;
		c->raw = cap;
		c->capped = true;
		ARRAY_GROW(j->applied->list, j->applied->n, j->applied->room);
		j->applied->list[j->applied->n++] = however->say;
	}
}

/* How far a class can go by itself: design rule, not a limit. */
static void apply_class(const struct judging *j, struct candidate *c)
{
	const struct metric *metric = j->metric;
	bool confirmed = metric->trace != NULL;

	if (metric->class == CLASS_CAUSE && c->raw == VERDICT_BAD) {
		c->raw = VERDICT_MAYBE;
		c->capped = true;
	}
	c->verdict = c->raw;
	if (metric->class == CLASS_HARM && metric->judgement && !confirmed &&
		c->verdict == VERDICT_BAD) {
		c->verdict = VERDICT_MAYBE;
		c->capped = true;
	}
}

static const char *class_of(const struct judging *j, const char *instance)
{
	return sweep_class(j->context->sweep, j->value.reference, instance);
}

static void judge_instance(const struct judging *j, struct candidate *c, size_t instance)
{
	static const struct limit none = {0};
	const struct metric *metric = j->metric;
	const char *class =
		metric->maybe.n || metric->bad.n || metric->acquit.n ? class_of(j, c->name) : NULL;
	const struct limit *acquit, *maybe, *bad;

	acquit = limit_in_force(&metric->acquit, class, &j->whole, c->name, &c->acquit);
	maybe = limit_in_force(&metric->maybe, class, &j->whole, c->name, &c->maybe);
	bad = limit_in_force(&metric->bad, class, &j->whole, c->name, &c->bad);
	c->value = j->value.v[instance];
	if (metric->enough) {
		int enough = condition_holds(metric->enough, &j->whole, c->name);

		c->idle = !enough;
		/* Whether there was work is not known: that is no reason to exonerate. */
		if (enough < 0)
			c->value = NAN;
	}
	if (metric->sustained_k && j->windows && !c->idle) {
		double lasted = sustained_value(j, c, instance, maybe);

		/* Too few windows had a value: whatever it is, it did not last. */
		if (isnan(lasted))
			maybe = bad = &none;
		else
			c->value = lasted;
	}
	c->raw = VERDICT_GOOD;
	if (c->idle || isnan(c->value)) {
		c->verdict = VERDICT_GOOD;
		return;
	}
	if (beyond(bad, c->value, c->bad))
		c->raw = VERDICT_BAD;
	else if (beyond(maybe, c->value, c->maybe))
		c->raw = VERDICT_MAYBE;
	apply_howevers(j, c);
	apply_class(j, c);
	c->acquits = c->verdict == VERDICT_GOOD && beyond(acquit, c->value, c->acquit);
}

/* Whether a is the instance to report rather than b. */
static bool is_worse(
	const struct metric *metric, const struct candidate *a, const struct candidate *b)
{
	double limit_a, limit_b;

	if (a->idle != b->idle)
		return b->idle;
	if (a->verdict != b->verdict)
		return verdict_is_worse(a->verdict, b->verdict);
	if (a->raw != b->raw)
		return verdict_is_worse(a->raw, b->raw);
	/* Where limits differ by class, the farther beyond its own limit is the worse. */
	limit_a = isnan(a->maybe) ? a->bad : a->maybe;
	limit_b = isnan(b->maybe) ? b->bad : b->maybe;
	if (limit_a > 0 && limit_b > 0)
		return higher_is_worse(metric) ? a->value / limit_a > b->value / limit_b
					       : a->value / limit_a < b->value / limit_b;
	/* Of equals the later: sources give a cgroup before those below it, which are more precise.
	 */
	return higher_is_worse(metric) ? a->value >= b->value : a->value <= b->value;
}

static void report_missing(const struct judging *j, struct metric_result *out)
{
	struct str why = STR_INIT;

	if (expr_why_missing(j->metric->value, &j->whole, &why) ||
		(j->metric->enough && condition_why_missing(j->metric->enough, &j->whole, &why))) {
		out->verdict = VERDICT_UNKNOWN;
		out->missing = str_take(&why);
		return;
	}
	/* All was read and nothing happened: a ratio of nothing to nothing. */
	out->verdict = VERDICT_GOOD;
	out->idle = true;
	str_free(&why);
}

static void report(const struct candidate *worst, struct metric_result *out)
{
	out->instance = mem_strdup(worst->name);
	out->label = mem_strdup(worst->label);
	out->value = worst->value;
	out->acquit = worst->acquit;
	out->maybe = worst->maybe;
	out->bad = worst->bad;
	out->verdict = worst->verdict;
	out->idle = worst->idle;
	out->acquits = worst->acquits;
	out->capped = worst->capped;
	out->windows = worst->windows;
	out->windows_over = worst->windows_over;
}

static void judge_all(const struct judging *j, struct metric_result *out, enum verdict *raw)
{
	struct candidate worst = {0};
	size_t i, at[VERDICT_SKIP + 1] = {0};
	bool idle = false;

	for (i = 0; i < j->value.n; i++) {
		struct candidate c = {.name = "", .label = ""};

		if (j->value.instances) {
			c.name = instances_name(j->value.instances, i);
			c.label = instances_label(j->value.instances, i);
		}
		if (str_matches(c.name, j->metric->ignore) ||
			(j->context->only && j->value.instances &&
				!str_matches(c.name, j->context->only)))
			continue;
		judge_instance(j, &c, i);
		idle |= c.idle;
		if (isnan(c.value) && !(c.idle && !j->value.instances))
			continue;
		if (!out->instances++ || is_worse(j->metric, &c, &worst))
			worst = c;
		at[c.verdict] += !c.idle;
	}
	out->accused = worst.verdict == VERDICT_GOOD ? 0 : at[worst.verdict];
	*raw = worst.raw;
	if (out->instances)
		report(&worst, out);
	else if (idle) /* What has no value had nothing to do: a cgroup without a limit. */
		out->idle = true;
	else
		report_missing(j, out);
}

void metric_judge(const struct check *check, const struct metric *metric,
	const struct judge_context *context, struct metric_result *out, enum verdict *raw,
	struct applied *applied)
{
	size_t last = last_sample(context->sweep), w;
	struct judging j = {
		.metric = metric,
		.context = context,
		.whole = context_for(check, metric, context, context->from, last),
		.applied = applied,
	};

	*out = (struct metric_result){.metric = metric,
		.verdict = VERDICT_GOOD,
		.value = NAN,
		.acquit = NAN,
		.maybe = NAN,
		.bad = NAN};
	*raw = VERDICT_GOOD;
	j.value = expr_eval(metric->value, &j.whole);
	if (metric->sustained_k && !metric->trace) {
		j.windows = last - context->from;
		j.by_window = mem_zalloc(j.windows * sizeof(*j.by_window));
		for (w = 0; w < j.windows; w++) {
			struct expr_context window = j.whole;

			window.from = context->from + w;
			window.to = window.from + 1;
			j.by_window[w] = expr_eval(metric->value, &window);
		}
	}
	judge_all(&j, out, raw);
	if (!out->instance)
		out->instance = mem_strdup("");
	if (!out->label)
		out->label = mem_strdup("");
	for (w = 0; w < j.windows; w++)
		value_free(&j.by_window[w]);
	free(j.by_window);
	value_free(&j.value);
}
