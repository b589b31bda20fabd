/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this number within its limits, for every disk, task and cgroup that it is about? */
#include "base/banned.h"

#include <math.h>

#include "judge/contradiction.h"
#include "judge/limit_trend.h"
#include "judge/metric.h"
#include "sample/sweep.h"
#include "base/str.h"
#include "judge/trace_evidence.h"
#include "sample/instances.h"
#include "check/check.h"
#include "check/trend_rule.h"
#include "expr/eval.h"
#include "expr/condition.h"
#include "trace/result.h"

/* One instance on its way to a verdict. */
struct candidate {
	const char *name;
	const char *label;
	double value;
	double worst; /* of its worst window; NAN: judged over the whole run at once */
	double acquit, maybe, bad, look;
	enum verdict verdict, raw;
	enum verdict remains; /* when the traces have been heard */
	bool acquits, looks, capped, idle;
	bool cleared; /* a trace overrules what it is accused of */
	bool over;    /* it was no more accused of that when the traces looked */
	const struct limit *accuses, *convicts; /* maybe and bad in force */
	enum doubt_kind doubt;			/* why it does not clear */
	struct forecast forecast;		/* by the windows */
	bool held;				/* a however caps it at good */
	const char *untrusted;			/* why its number says nothing, or NULL */
	unsigned int windows, windows_over;
};

/* What is asked for every instance. Each is evaluated when it is first asked, and once. */
struct metric_answers {
	struct condition_values *enough;
	struct condition_values **enough_by_window;
	struct condition_values **howevers;
	struct condition_values *enough_while_traced;
	struct limit_value {
		const struct limit *limit;
		struct value value;
	} * limits;
	size_t n_limits, room_limits;
	char **notes; /* why values of instances cannot be */
	size_t n_notes, room_notes;
};

/* All that the judging of one metric needs. */
struct judging {
	const struct check *check;
	const struct metric *metric;
	const struct judge_context *context;
	struct expr_context whole; /* the first sample that counts to the last */
	struct value value;	   /* over the whole run */
	struct value *by_window;   /* one a window, of what is sustained, or a state */
	struct value while_traced; /* while the traces looked, where that is known and asked for */
	size_t windows;
	double past_scale; /* the length of this run as a part of the time judged; 0: not the past
			    */
	struct trace_evidences *evidences; /* or NULL */
	struct limit_trend *trend;	   /* or NULL: its course is not followed */
	struct applied *applied;
	struct metric_answers *asked;
};

static const struct trace_result *metric_find_trace(
	const struct check *check, const struct metric *metric, const struct judge_context *context)
{
	if (!metric->trace || !context->traces)
		return NULL;
	return traces_find(context->traces, check->name, metric->trace);
}

const struct trace_result *metric_trace(
	const struct check *check, const struct metric *metric, const struct judge_context *context)
{
	const struct trace_result *result = metric_find_trace(check, metric, context);

	return result && !trace_missing(result) ? result : NULL;
}

bool trace_verdict_counts(const struct trace_result *trace, enum verdict verdict)
{
	if (trace_lost_share(trace) > 0.5)
		return false;
	return verdict_is_worse(verdict, VERDICT_GOOD) ||
		!(trace_lost_instances(trace) || trace_is_cut(trace) || trace_away_text(trace) ||
			trace_is_fallback(trace));
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

static size_t metric_last_sample(const struct sweep *sweep)
{
	size_t n = sweep_samples(sweep);

	return n ? n - 1 : 0;
}

/* A limit's number for an instance: NAN where it has none. */
static double limit_number(const struct judging *j, const struct limit *limit, const char *instance)
{
	struct metric_answers *asked = j->asked;
	struct limit_value *known;
	size_t i;

	if (!limit->set)
		return NAN;
	for (i = 0; i < asked->n_limits; i++)
		if (asked->limits[i].limit == limit)
			return value_of(&asked->limits[i].value, instance);
	ARRAY_GROW(asked->limits, asked->n_limits, asked->room_limits);
	known = &asked->limits[asked->n_limits++];
	*known = (struct limit_value){limit, expr_eval(limit->expr, &j->whole)};
	return value_of(&known->value, instance);
}

/* As condition_holds; *known is what it was evaluated to, or NULL. */
static int holds(struct condition_values **known, const struct condition *condition,
	const struct expr_context *context, const char *instance)
{
	if (!*known)
		*known = condition_eval(condition, context);
	return condition_values_hold(*known, instance);
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
static const struct limit *limit_in_force(const struct judging *j, const struct limits *limits,
	const char *class, const char *instance, double *number)
{
	const struct limit *of_class = limit_of_class(limits, class);
	const struct limit *limit = &limits->plain;

	*number = limit_number(j, limit, instance);
	if (limit->set && !expr_is_constant(limit->expr)) {
		if (*number > 0)
			return limit;
		*number = NAN;
	}
	if (!of_class)
		return limit;
	*number = limit_number(j, of_class, instance);
	return of_class;
}

/* How many there were in a time as long as a run, for a limit that was set for that; for a limit of
 * one event it does not matter how long one looked. */
static double comparable(const struct judging *j, double value, double number)
{
	bool events = j->past_scale > 0 && j->metric->class != CLASS_HARM &&
		j->metric->unit == UNIT_COUNT && fabs(number) > 1;

	return events ? value * j->past_scale : value;
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

static int metric_compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One window, in which delta() is what it would be in the whole run if it went on like this: for
 * 'enough', which says how much work a run needs. */
static struct expr_context window_as_run(const struct judging *j, size_t window)
{
	struct expr_context context = j->whole;

	context.from = j->whole.from + window;
	context.to = context.from + 1;
	context.growth_scale = sweep_seconds(context.sweep, j->whole.from, j->whole.to) /
		sweep_seconds(context.sweep, context.from, context.to);
	return context;
}

/* The time in which the traces looked, with delta() as it would be in the whole run. */
static struct expr_context metric_while_traced(const struct judging *j)
{
	struct expr_context context = j->whole;

	context.from = j->context->traced_from;
	context.to = j->context->traced_to;
	context.growth_scale = sweep_seconds(context.sweep, j->whole.from, j->whole.to) /
		sweep_seconds(context.sweep, context.from, context.to);
	return context;
}

/* How many windows have to be beyond a limit: K of sustained = K/N, in proportion when fewer were
 * taken. 0: it is judged by its last. */
static size_t sustained_windows(const struct judging *j)
{
	const struct metric *metric = j->metric;
	size_t need;

	if (!metric->sustained_k)
		return 0;
	need = (metric->sustained_k * j->windows + metric->sustained_n - 1) / metric->sustained_n;
	return need ? need : 1;
}

/*
 * The value that lasted, the K-th worst of the windows: NAN where not so many had a value, and
 * where it is not asked for. c->worst becomes the worst of them.
 */
static double sustained_value(const struct judging *j, struct candidate *c, size_t instance,
	const struct limit *maybe, const struct limit *bad)
{
	const struct metric *metric = j->metric;
	double *values = mem_realloc_array(NULL, j->windows, sizeof(double));
	size_t n = 0, w, need = sustained_windows(j);
	double value = NAN;

	for (w = 0; w < j->windows; w++) {
		const struct expr_context context = window_as_run(j, w);
		const struct value *window = &j->by_window[w];
		double v = instance < window->n ? window->v[instance] : NAN;

		if (isnan(v) || !metric_can_be(metric, v) ||
			(metric->enough &&
				holds(&j->asked->enough_by_window[w], metric->enough, &context,
					c->name) != 1))
			continue;
		values[n++] = v;
		c->windows_over += beyond(maybe, v, c->maybe) || beyond(bad, v, c->bad);
	}
	/* A state that is not there is over. */
	c->windows = (unsigned int)(need ? n : j->windows);
	qsort(values, n, sizeof(double), metric_compare_numbers);
	if (n)
		c->worst = higher_is_worse(metric) ? values[n - 1] : values[0];
	if (need && n >= need)
		value = higher_is_worse(metric) ? values[n - need] : values[need - 1];
	free(values);
	return value;
}

static const char *why_untrusted(const struct judging *j, const struct candidate *c)
{
	const struct metric *metric = j->metric;
	size_t i;

	for (i = 0; i < metric->n_howevers; i++)
		if (metric->howevers[i].cap == CAP_UNKNOWN &&
			holds(&j->asked->howevers[i], metric->howevers[i].when, &j->whole,
				c->name) == 1)
			return metric->howevers[i].say;
	return NULL;
}

/* Of what is good by its windows: whether it would not be accused by its trend over days either. */
static bool metric_is_held(const struct judging *j, const struct candidate *c)
{
	const struct metric *metric = j->metric;
	size_t i;

	for (i = 0; i < metric->n_howevers; i++)
		if (metric->howevers[i].cap == CAP_GOOD &&
			holds(&j->asked->howevers[i], metric->howevers[i].when, &j->whole,
				c->name) == 1)
			return true;
	return false;
}

static void apply_howevers(const struct judging *j, struct candidate *c)
{
	const struct metric *metric = j->metric;
	size_t i;

	for (i = 0; i < metric->n_howevers; i++) {
		const struct however *however = &metric->howevers[i];
		enum verdict cap = however->cap == CAP_GOOD ? VERDICT_GOOD : VERDICT_MAYBE;

		if (however->cap == CAP_UNKNOWN || !verdict_is_worse(c->raw, cap))
			continue;
		if (holds(&j->asked->howevers[i], however->when, &j->whole, c->name) != 1)
			continue;
		c->held |= however->cap == CAP_GOOD;
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
	if (metric->class == CLASS_HARM && j->past_scale > 0 && c->raw == VERDICT_BAD) {
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

/* What accuses looks at what lasted; what clears looks at the worst window. */
static double clearing_value(const struct candidate *c)
{
	return isnan(c->worst) ? c->value : c->worst;
}

enum lasting {
	LASTING_UNKNOWN, /* nobody read the counters meanwhile, or a look at one moment missed it */
	LASTING_OVER,	 /* they accuse it no more */
	LASTING_STILL,
};

/* Whether what the counters accuse was still there when the traces looked. */
static enum lasting metric_lasting(struct judging *j, const struct candidate *c)
{
	const struct expr_context context = metric_while_traced(j);
	/* One look that does not find a state says nothing: it may have been there all the time but
	 * for that moment. */
	const enum lasting not_found =
		expr_is_growth(j->metric->value) ? LASTING_OVER : LASTING_UNKNOWN;
	struct str why = STR_INIT;
	double value;
	bool missing;
	int enough = 1;

	if (context.from >= context.to)
		return LASTING_UNKNOWN;
	if (!j->while_traced.v)
		j->while_traced = expr_eval(j->metric->value, &context);
	if (j->metric->enough)
		enough =
			holds(&j->asked->enough_while_traced, j->metric->enough, &context, c->name);
	if (enough < 1)
		return enough ? LASTING_UNKNOWN : not_found;
	value = value_of(&j->while_traced, c->name);
	if (!isnan(value))
		return beyond(c->accuses, value, c->maybe) || beyond(c->convicts, value, c->bad)
			? LASTING_STILL
			: not_found;
	/* What is gone is over, and so is what nothing happened to. */
	missing = expr_why_missing(j->metric->value, &context, &why);
	str_free(&why);
	return missing ? LASTING_UNKNOWN : not_found;
}

/* Whether the number is so far on the good side that it clears: within acquit or, where there is
 * none, within all that accuses. */
static void weigh_clearing(const struct judging *j, struct candidate *c, const struct limit *acquit)
{
	double value = clearing_value(c);
	bool over = beyond(c->accuses, value, c->maybe) || beyond(c->convicts, value, c->bad);
	bool within = acquit->set && !isnan(c->acquit) ? beyond(acquit, value, c->acquit) : !over;

	if (c->verdict != VERDICT_GOOD || !metric_may_clear(j->metric))
		return;
	c->acquits = within;
	if (!within && j->metric->class != CLASS_CAUSE)
		c->doubt = over && !isnan(c->worst) ? DOUBT_BURST : DOUBT_BETWEEN;
}

static const char *metric_class_of(const struct judging *j, const char *instance)
{
	return sweep_class(j->context->sweep, j->value.reference, instance);
}

static void note_contradiction(const struct judging *j, struct candidate *c)
{
	struct metric_answers *asked = j->asked;

	ARRAY_GROW(asked->notes, asked->n_notes, asked->room_notes);
	asked->notes[asked->n_notes] = metric_why_not(j->metric, c->name, c->value, &j->whole);
	c->untrusted = asked->notes[asked->n_notes++];
	c->value = NAN;
	c->verdict = VERDICT_UNKNOWN;
}

/* Whether there was enough to judge by. Where that is not known it is no reason to exonerate. */
static void judge_work(const struct judging *j, struct candidate *c)
{
	int enough;

	if (!j->metric->enough)
		return;
	enough = holds(&j->asked->enough, j->metric->enough, &j->whole, c->name);
	c->idle = !enough;
	if (enough < 0)
		c->value = NAN;
}

static void judge_instance(const struct judging *j, struct candidate *c, size_t instance)
{
	static const struct limit none = {0};
	const struct metric *metric = j->metric;
	const char *class = metric->maybe.n || metric->bad.n || metric->acquit.n || metric->look.n
		? metric_class_of(j, c->name)
		: NULL;
	const struct limit *acquit, *maybe, *bad, *look;

	c->worst = NAN;
	acquit = limit_in_force(j, &metric->acquit, class, c->name, &c->acquit);
	maybe = limit_in_force(j, &metric->maybe, class, c->name, &c->maybe);
	bad = limit_in_force(j, &metric->bad, class, c->name, &c->bad);
	look = limit_in_force(j, &metric->look, class, c->name, &c->look);
	c->accuses = maybe;
	c->convicts = bad;
	c->value = j->value.v[instance];
	c->untrusted = why_untrusted(j, c);
	if (c->untrusted) {
		c->value = NAN;
		c->verdict = VERDICT_UNKNOWN;
		return;
	}
	judge_work(j, c);
	if (!c->idle && !metric_can_be(metric, c->value)) {
		note_contradiction(j, c);
		return;
	}
	if (j->windows && !c->idle) {
		double lasted = sustained_value(j, c, instance, maybe, bad);

		/* Too few windows had a value: whatever it is, it did not last. Nor did a state
		 * that is gone by the last look. */
		if (isnan(metric->sustained_k ? lasted : c->value))
			maybe = bad = look = &none;
		if (!isnan(lasted))
			c->value = lasted;
		else if (isnan(c->value) && !metric->sustained_k)
			c->value = c->worst;
	}
	c->raw = VERDICT_GOOD;
	if (c->idle || isnan(c->value)) {
		c->verdict = VERDICT_GOOD;
		return;
	}
	if (beyond(bad, comparable(j, c->value, c->bad), c->bad))
		c->raw = VERDICT_BAD;
	else if (beyond(maybe, comparable(j, c->value, c->maybe), c->maybe))
		c->raw = VERDICT_MAYBE;
	if (j->trend)
		c->forecast = limit_trend_of(j->trend, instance, c->maybe, c->bad);
	if (c->forecast.due && c->raw == VERDICT_GOOD)
		c->raw = VERDICT_MAYBE;
	apply_howevers(j, c);
	apply_class(j, c);
	c->looks = beyond(look, c->value, c->look);
	weigh_clearing(j, c, acquit);
}

/* Whether a is the instance to report rather than b. */
static bool is_worse(
	const struct metric *metric, const struct candidate *a, const struct candidate *b)
{
	bool good = a->verdict == VERDICT_GOOD;
	double value_a = good ? clearing_value(a) : a->value;
	double value_b = good ? clearing_value(b) : b->value;
	double limit_a, limit_b;

	if (a->idle != b->idle)
		return b->idle;
	/* What a trace overrules is not what is to be told. */
	if (a->remains != b->remains)
		return verdict_is_worse(a->remains, b->remains);
	if (a->verdict != b->verdict)
		return verdict_is_worse(a->verdict, b->verdict);
	if (a->raw != b->raw)
		return verdict_is_worse(a->raw, b->raw);
	/* Of two that are not beyond a limit yet, the one that is there first. */
	if (a->forecast.due != b->forecast.due)
		return a->forecast.due;
	if (a->forecast.due)
		return a->forecast.seconds <= b->forecast.seconds;
	/* Where limits differ by class, the farther beyond its own limit is the worse. */
	limit_a = isnan(a->maybe) ? a->bad : a->maybe;
	limit_b = isnan(b->maybe) ? b->bad : b->maybe;
	if (limit_a > 0 && limit_b > 0)
		return higher_is_worse(metric) ? value_a / limit_a > value_b / limit_b
					       : value_a / limit_a < value_b / limit_b;
	/* Of equals the later: sources give a cgroup before those below it, which are more precise.
	 */
	return higher_is_worse(metric) ? value_a >= value_b : value_a <= value_b;
}

struct absence {
	const struct sweep *sweep;
	bool is_absent;	  /* the source says that there is no such thing */
	const char *gone; /* the source of what it needs and is not here, or NULL */
	bool is_unread;	  /* something that it needs may be here, and has no value */
	bool is_here;	  /* `enough` knows of such instances */
	bool needs_any;	  /* it has a reference that may not be absent */
};

static void find_absent(void *arg, int reference)
{
	struct absence *absence = arg;
	const char *source, *key;

	absence->needs_any = true;
	absence->is_absent |= sweep_absent(absence->sweep, reference);
	if (!sweep_never_seen(absence->sweep, reference) ||
		!sweep_reference_name(absence->sweep, reference, &source, &key))
		return;
	if (sweep_not_here(absence->sweep, reference))
		absence->gone = source;
	else
		absence->is_unread = true;
}

/* Of a sum in which everything may be absent nothing is asked only where all of it is. */
static void find_all_absent(void *arg, int reference)
{
	struct absence *absence = arg;

	absence->is_unread |= !sweep_never_seen(absence->sweep, reference);
	find_absent(arg, reference);
}

/* A cgroup that reached its memory.high is here, though it may have no memory.pressure. */
static void find_here(void *arg, int reference)
{
	struct absence *absence = arg;
	const char *source, *key;

	if (absence->gone && sweep_reference_name(absence->sweep, reference, &source, &key))
		absence->is_here |= sweep_instances(absence->sweep, reference) && *key != '/' &&
			!sweep_never_seen(absence->sweep, reference) &&
			!strcmp(source, absence->gone);
}

static struct absence metric_absence(const struct metric *metric, const struct sweep *sweep)
{
	struct absence absence = {.sweep = sweep};

	expr_each_needed_reference(metric->value, find_absent, &absence);
	if (!absence.needs_any)
		expr_each_reference(metric->value, find_all_absent, &absence);
	if (metric->enough) {
		condition_each_needed_reference(metric->enough, find_absent, &absence);
		condition_each_reference(metric->enough, find_here, &absence);
	}
	return absence;
}

bool metric_is_absent(const struct metric *metric, const struct sweep *sweep)
{
	return metric_absence(metric, sweep).is_absent;
}

struct passing_instances {
	const struct sweep *sweep;
	bool any, unread;
};

static void metric_find_passing(void *arg, int reference)
{
	struct passing_instances *passing = arg;

	passing->any |= sweep_came_or_went(passing->sweep, reference);
	passing->unread |= sweep_never_seen(passing->sweep, reference);
}

bool metric_came_or_went(const struct metric *metric, const struct sweep *sweep)
{
	struct passing_instances passing = {.sweep = sweep};

	expr_each_needed_reference(metric->value, metric_find_passing, &passing);
	if (metric->enough)
		condition_each_needed_reference(metric->enough, metric_find_passing, &passing);
	return passing.any && !passing.unread;
}

/* Whether its file says that it need not be asked where nothing of the kind is here, as is so. */
static bool metric_is_not_asked(const struct metric *metric, const struct sweep *sweep)
{
	struct absence absence = metric_absence(metric, sweep);

	return metric->absent && absence.gone && !absence.is_unread && !absence.is_here;
}

static void report_missing(const struct judging *j, struct metric_result *out)
{
	struct str why = STR_INIT;

	if (metric_is_not_asked(j->metric, j->context->sweep)) {
		out->verdict = VERDICT_SKIP;
		out->missing = mem_strdup(j->metric->absent);
		return;
	}
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

/* 1024 of 700 / 1024 and of 1 - 324 / 1024; 0 where there is no such number. */
static double metric_whole(const struct judging *j, const struct candidate *c)
{
	struct expr_operands operands = {0};

	if (!metric_can_have_trend(j->metric) ||
		(!expr_find_operands(j->metric->value, &j->whole, c->name, '/', &operands) &&
			!expr_find_operands(j->metric->value, &j->whole, c->name, '-', &operands)))
		return 0;
	return operands.op == '/' ? operands.right : 0;
}

/* Keeps what is on its way to its limit, for earlier runs to say when it is there. Processes come
 * and go: of them earlier runs know only the worst. */
static void metric_note_near(
	const struct judging *j, const struct candidate *c, struct metric_result *out)
{
	const struct metric_result near = {.metric = j->metric,
		.value = c->value,
		.maybe = c->maybe,
		.bad = c->bad,
		.idle = c->idle};

	if (out->fleeting || out->n_near == NEAR_INSTANCES || !*c->name || c->raw != VERDICT_GOOD ||
		j->past_scale > 0 || isnan(c->value) || !limit_is_near(&near))
		return;
	if (!out->near)
		out->near = mem_realloc_array(NULL, NEAR_INSTANCES, sizeof(*out->near));
	out->near[out->n_near++] = (struct near_instance){
		.instance = mem_strdup(c->name),
		.label = mem_strdup(c->label),
		.value = c->value,
		.acquit = c->acquit,
		.maybe = c->maybe,
		.bad = c->bad,
		.whole = metric_whole(j, c),
		.held = c->held || metric_is_held(j, c),
	};
}

/* The worst is told of itself: it is not beside itself. */
static void metric_drop_near(const char *name, struct metric_result *out)
{
	size_t i;

	for (i = 0; i < out->n_near && strcmp(out->near[i].instance, name) != 0; i++)
		;
	if (i == out->n_near)
		return;
	free(out->near[i].instance);
	free(out->near[i].label);
	out->near[i] = out->near[--out->n_near];
}

static void metric_report_worst(const struct candidate *worst, struct metric_result *out)
{
	metric_drop_near(worst->name, out);
	out->instance = mem_strdup(worst->name);
	out->label = mem_strdup(worst->label);
	out->value = worst->value;
	out->worst = worst->worst;
	out->acquit = worst->acquit;
	out->maybe = worst->maybe;
	out->bad = worst->bad;
	out->look = worst->look;
	out->verdict = worst->cleared ? VERDICT_GOOD : worst->verdict;
	out->remains = worst->remains;
	out->idle = worst->idle;
	out->over = worst->over;
	out->capped = worst->capped && !worst->cleared;
	out->windows = out->metric->sustained_k ? worst->windows : 0;
	out->windows_over = out->metric->sustained_k ? worst->windows_over : 0;
	out->held = worst->held;
	out->forecast = worst->forecast;
	/* What does not accuse is context, and beyond the hour seconds say nothing. */
	if (worst->held || !worst->forecast.due)
		out->forecast = (struct forecast){0};
	if (worst->untrusted)
		out->missing = mem_strdup(worst->untrusted);
}

static bool metric_verdict_accuses(enum verdict verdict)
{
	return verdict == VERDICT_MAYBE || verdict == VERDICT_BAD;
}

/* What a traced metric says of an instance, for the counters to be held against. */
static void read_trace_evidence(const struct judging *j, const struct candidate *c)
{
	const struct trace_result *trace = metric_trace(j->check, j->metric, j->context);
	struct trace_evidence *evidence =
		j->evidences ? trace_evidence_find(j->evidences, j->metric->trace) : NULL;

	if (!evidence || j->metric->class != CLASS_HARM || c->idle || isnan(c->value) || !*c->name)
		return;
	/* Beside a metric that asks for enough, one that does not says nothing by its 0. */
	if (evidence->apart && !j->metric->enough && !metric_verdict_accuses(c->verdict))
		return;
	if (trace && trace_verdict_counts(trace, c->verdict))
		trace_evidence_add(evidence, c->name, c->verdict);
}

/* What was over when a trace looked it cannot have seen: that is neither cleared nor certain. */
static void metric_note_over(struct candidate *c)
{
	c->over = true;
	c->capped |= c->verdict == VERDICT_BAD;
	c->verdict = VERDICT_MAYBE;
	c->remains = VERDICT_MAYBE;
}

/* A trace that was taken after a burst cannot have seen it; of what lasts it is a witness, and a
 * sentinel, which looked meanwhile, is one of both. */
static void metric_hear_good(
	struct judging *j, struct candidate *c, struct metric_result *out, bool meanwhile)
{
	enum lasting lasting = LASTING_STILL;

	c->cleared = metric_verdict_accuses(c->verdict);
	if (c->cleared && !meanwhile)
		lasting = metric_lasting(j, c);
	if (lasting == LASTING_OVER) {
		c->cleared = false;
		metric_note_over(c);
		return;
	}
	c->remains = VERDICT_GOOD;
	if (c->doubt == DOUBT_BETWEEN)
		c->doubt = DOUBT_NONE;
	if (lasting == LASTING_UNKNOWN)
		c->doubt = DOUBT_AFTERWARDS;
	if (c->cleared && verdict_is_worse(c->verdict, out->overruled))
		out->overruled = c->verdict;
}

/*
 * Combines what the counters and the traces that are their witnesses say of one instance:
 * - the trace clears it: the verdict of the counters is dropped, unless they no more accused it
 *   when the trace looked: then it is maybe;
 * - both accuse it: the cap on the verdict of the counters is lifted;
 * - the trace did not see enough of it: harm that the counters found stands, since a task that
 * hangs makes no events; for a cause the worst verdict of the traces counts. Errors and limits
 * are never overruled, nor is what has no witness.
 */
static void metric_apply_traces(struct judging *j, struct candidate *c, struct metric_result *out)
{
	enum metric_class class = j->metric->class;
	enum testimony testimony;
	enum verdict traced;
	bool meanwhile;

	if (!j->evidences || c->idle || c->verdict == VERDICT_UNKNOWN)
		return;
	testimony = trace_evidence_of(j->evidences, j->metric, c->name, &traced, &meanwhile);
	if (testimony != TESTIMONY_INSTANCE)
		out->unseen |= c->looks;
	if (testimony == TESTIMONY_NONE || class == CLASS_ERROR || class == CLASS_LIMIT)
		return;
	if (testimony == TESTIMONY_ANOTHER && class == CLASS_HARM) {
		if (metric_verdict_accuses(c->verdict) && metric_lasting(j, c) == LASTING_OVER)
			metric_note_over(c);
	} else if (metric_verdict_accuses(traced)) {
		c->remains = c->raw;
	} else {
		metric_hear_good(j, c, out, meanwhile);
	}
}

/* The instance that is furthest from being cleared is the one to tell of. */
static void metric_note_doubt(
	const struct judging *j, const struct candidate *c, struct candidate *doubted)
{
	if (c->doubt == DOUBT_NONE || c->doubt < doubted->doubt)
		return;
	if (c->doubt > doubted->doubt || is_worse(j->metric, c, doubted))
		*doubted = *c;
}

static void metric_report_doubt(const struct candidate *doubted, struct metric_result *out)
{
	if (doubted->doubt == DOUBT_NONE)
		return;
	out->doubt = (struct doubt){
		.kind = doubted->doubt,
		.label = mem_strdup(doubted->label),
		.value = doubted->doubt == DOUBT_AFTERWARDS ? doubted->value
							    : clearing_value(doubted),
		.acquit = doubted->acquit,
		.windows_over = doubted->windows_over,
		.windows = doubted->windows,
	};
}

/* Whether an instance is one of those that the check file chose, and the caller. */
static bool instance_is_chosen(const struct judging *j, const char *name)
{
	const char *only = j->metric->only, *asked = j->context->only;

	if (str_matches(name, j->metric->ignore))
		return false;
	return !j->value.instances ||
		((!only || str_matches(name, only)) && (!asked || str_matches(name, asked)));
}

static void judge_instances(struct judging *j, struct metric_result *out, enum verdict *raw)
{
	struct candidate worst = {0}, doubted = {0};
	size_t i, at[VERDICT_SKIP + 1] = {0};
	bool idle = false, acquits = true;

	*raw = VERDICT_GOOD;
	for (i = 0; i < j->value.n; i++) {
		struct candidate c = {.name = "", .label = ""};

		if (j->value.instances) {
			c.name = instances_name(j->value.instances, i);
			c.label = instances_label(j->value.instances, i);
		}
		if (!instance_is_chosen(j, c.name))
			continue;
		judge_instance(j, &c, i);
		idle |= c.idle;
		out->looks |= c.looks;
		c.remains = c.verdict;
		if (j->metric->trace)
			read_trace_evidence(j, &c);
		else
			metric_apply_traces(j, &c, out);
		if (isnan(c.value) && !c.untrusted && !(c.idle && !j->value.instances))
			continue;
		if (!out->instances++ || is_worse(j->metric, &c, &worst))
			worst = c;
		metric_note_doubt(j, &c, &doubted);
		metric_note_near(j, &c, out);
		acquits &= c.idle || c.acquits;
		if (verdict_is_worse(c.raw, *raw))
			*raw = c.raw;
		at[c.verdict] += !c.idle && !c.cleared;
	}
	if (metric_verdict_accuses(worst.verdict) && !worst.cleared)
		out->accused = at[worst.verdict];
	metric_report_doubt(&doubted, out);
	out->acquits = out->instances && !worst.idle && acquits;
	if (out->instances && worst.raw == VERDICT_GOOD && metric_can_have_trend(j->metric))
		worst.held |= metric_is_held(j, &worst);
	if (out->instances) {
		metric_report_worst(&worst, out);
		out->whole = metric_whole(j, &worst);
	} else if (idle && !metric_is_not_asked(j->metric, j->context->sweep)) {
		/* What has no value had nothing to do: a cgroup without a limit. */
		out->idle = true;
	} else {
		report_missing(j, out);
	}
}

static void metric_judge_all(struct judging *j, struct metric_result *out, enum verdict *raw)
{
	const struct metric *metric = j->metric;
	struct metric_answers asked = {
		.enough_by_window = mem_zalloc(j->windows * sizeof(*asked.enough_by_window)),
		.howevers = mem_zalloc(metric->n_howevers * sizeof(*asked.howevers)),
	};
	size_t i;

	j->asked = &asked;
	judge_instances(j, out, raw);
	j->asked = NULL;
	condition_values_free(asked.enough);
	condition_values_free(asked.enough_while_traced);
	value_free(&j->while_traced);
	for (i = 0; i < j->windows; i++)
		condition_values_free(asked.enough_by_window[i]);
	for (i = 0; i < metric->n_howevers; i++)
		condition_values_free(asked.howevers[i]);
	for (i = 0; i < asked.n_limits; i++)
		value_free(&asked.limits[i].value);
	free(asked.enough_by_window);
	free(asked.howevers);
	free(asked.limits);
	for (i = 0; i < asked.n_notes; i++)
		free(asked.notes[i]);
	free(asked.notes);
}

static struct metric_result empty_result(const struct metric *metric)
{
	return (struct metric_result){.metric = metric,
		.verdict = VERDICT_GOOD,
		.value = NAN,
		.worst = NAN,
		.acquit = NAN,
		.maybe = NAN,
		.bad = NAN,
		.look = NAN};
}

struct fleeting {
	const struct sweep *sweep;
	bool any;
};

static void note_fleeting(void *arg, int reference)
{
	struct fleeting *fleeting = arg;

	fleeting->any |= sweep_is_fleeting(fleeting->sweep, reference);
}

static bool is_fleeting(const struct metric *metric, const struct sweep *sweep)
{
	struct fleeting fleeting = {.sweep = sweep};

	expr_each_reference(metric->value, note_fleeting, &fleeting);
	return fleeting.any;
}

/* A state is looked at after each window, too: it may come and go between the first and the last.
 */
static bool has_windows(const struct metric *metric)
{
	return !metric->trace && (metric->sustained_k || expr_is_gauge(metric->value));
}

void metric_judge(const struct check *check, const struct metric *metric,
	const struct judge_context *context, struct trace_evidences *evidences,
	struct metric_result *out, enum verdict *raw, struct applied *applied)
{
	enum verdict uncapped;
	size_t last = metric_last_sample(context->sweep), w;
	struct judging j = {
		.check = check,
		.metric = metric,
		.context = context,
		.whole = context_for(check, metric, context, context->from, last),
		.evidences = evidences,
		.applied = applied,
	};

	*out = empty_result(metric);
	out->fleeting = is_fleeting(metric, context->sweep);
	j.value = expr_eval(metric->value, &j.whole);
	if (has_windows(metric)) {
		j.windows = last - context->from;
		j.by_window = mem_zalloc(j.windows * sizeof(*j.by_window));
		for (w = 0; w < j.windows; w++) {
			struct expr_context window = j.whole;

			window.from = context->from + w;
			window.to = window.from + 1;
			j.by_window[w] = expr_eval(metric->value, &window);
		}
	}
	j.trend = limit_trend_new(metric, &j.whole, &j.value);
	metric_judge_all(&j, out, raw ? raw : &uncapped);
	if (out->forecast.due)
		limit_trend_grower(metric, &j.whole, &out->who);
	limit_trend_free(j.trend);
	if (!out->instance)
		out->instance = mem_strdup("");
	if (!out->label)
		out->label = mem_strdup("");
	for (w = 0; w < j.windows; w++)
		value_free(&j.by_window[w]);
	free(j.by_window);
	value_free(&j.value);
}

bool metric_is_kept(const struct metric *metric, const struct sweep *sweep)
{
	return metric->class != CLASS_CAUSE && !metric->trace && expr_is_growth(metric->value) &&
		!is_fleeting(metric, sweep);
}

bool metric_judge_past(const struct check *check, const struct metric *metric,
	const struct judge_context *context, struct metric_result *out, struct applied *applied)
{
	size_t last = metric_last_sample(context->sweep);
	double past = sweep_seconds(context->sweep, SWEEP_EARLIER, last);
	double run = sweep_seconds(context->sweep, context->from, last);
	struct metric_result result = empty_result(metric);
	struct judging j = {
		.check = check,
		.metric = metric,
		.context = context,
		.whole = context_for(check, metric, context, SWEEP_EARLIER, last),
		.past_scale = past > 0 ? run / past : 0,
		.applied = applied,
	};
	size_t n_applied = applied->n;
	enum verdict raw;

	if (j.past_scale <= 0 || j.past_scale > 1 || !metric_is_kept(metric, context->sweep))
		return false;
	if (metric->class == CLASS_HARM)
		j.whole.growth_scale = j.past_scale;
	j.value = expr_eval(metric->value, &j.whole);
	metric_judge_all(&j, &result, &raw);
	value_free(&j.value);
	if (result.verdict == VERDICT_MAYBE || result.verdict == VERDICT_BAD) {
		*out = result;
		return true;
	}
	metric_result_free(&result);
	applied->n = n_applied;
	return false;
}
