/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the keys of a metric, each of them right, make sense together? */
#include "base/banned.h"

#include <math.h>

#include "check/metric_rules.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/settings.h"
#include "check/trend_rule.h"
#include "expr/eval.h"
#include "expr/condition.h"

/* Which values a limit holds for. */
enum direction { EITHER, UP, DOWN };

static enum direction direction_of(enum op op)
{
	switch (op) {
	case OP_GT:
	case OP_GE:
		return UP;
	case OP_LT:
	case OP_LE:
		return DOWN;
	default:
		return EITHER;
	}
}

/*
 * A section of a higher layer without the keys that every metric needs is meant to change a metric
 * that is there. Returns whether it was complained of.
 */
static bool metric_overrides_nothing(struct compile *compile, const struct section *section)
{
	const struct settings *settings = compile->settings;
	const char **names, *near;
	size_t i, n = 0;

	if (!settings->n || section_find(section, "value") ||
		!strcmp(settings->list[0].file, section->list->file))
		return false;
	names = mem_zalloc(settings->n * sizeof(*names));
	for (i = 0; i < settings->n; i++) {
		const struct section other = section_at(settings, i);

		if (!*other.list->key && section_is(&other, "metric") &&
			strcmp(other.name, section->name) != 0)
			names[n++] = other.name;
	}
	near = suggest(section->name, names, n);
	if (near)
		complain_at(compile, section->list,
			"there is no metric '%s' in %s; did you mean '%s'?", section->name,
			compile->check->name, near);
	else
		complain_at(compile, section->list,
			"there is no metric '%s' in %s; a new one needs value, class and source",
			section->name, compile->check->name);
	free(names);
	return true;
}

void check_metric_parts(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	static const char *const needed[] = {"value", "class", "source"};
	static const char *const parts[] = {"when", "cap", "say"};
	size_t i, k;

	if (metric_overrides_nothing(compile, section))
		return;
	for (i = 0; i < ARRAY_SIZE(needed); i++)
		if (!section_find(section, needed[i]))
			complain_at(compile, section->list, "[%s] has no '%s'",
				section->list->section, needed[i]);
	for (i = 0; i < metric->n_howevers; i++) {
		for (k = 0; k < ARRAY_SIZE(parts); k++) {
			char *key = mem_printf("however.%s.%s", metric->howevers[i].name, parts[k]);

			if (!section_find(section, key))
				complain_at(compile, section->list, "[%s] has no '%s'",
					section->list->section, key);
			free(key);
		}
	}
}

/* One of acquit, maybe, bad as it is in force for a class. */
struct side {
	const char *name;
	const struct limit *limit; /* NULL: none */
	const struct setting *setting;
	double number; /* NAN where it is not a constant */
};

static const struct limit *limit_for(const struct limits *limits, const char *class)
{
	size_t i;

	for (i = 0; class && i < limits->n; i++)
		if (!strcmp(limits->by_class[i].class, class))
			return &limits->by_class[i];
	return limits->plain.set ? &limits->plain : NULL;
}

static double constant(const struct limit *limit)
{
	/* The number of CPUs differs by machine: what depends on it is no constant here. */
	const struct expr_context context = {.cpus = NAN};
	struct value value;
	double number;

	if (!expr_is_constant(limit->expr))
		return NAN;
	value = expr_eval(limit->expr, &context);
	number = value_of(&value, NULL);
	value_free(&value);
	return number;
}

static struct side side_of(const struct section *section, const char *name,
	const struct limits *limits, const char *class)
{
	struct side side = {.name = name, .limit = limit_for(limits, class), .number = NAN};
	char *key;

	if (!side.limit)
		return side;
	key = side.limit->class ? mem_printf("%s.%s", name, side.limit->class) : mem_strdup(name);
	side.setting = section_place(section, key);
	side.number = constant(side.limit);
	free(key);
	return side;
}

/* Whether a pair is to be looked at: both are there, and for a class one of them is its own. */
static bool is_pair(const struct side *a, const struct side *b, const char *class)
{
	if (!a->limit || !b->limit)
		return false;
	return !class || a->limit->class || b->limit->class;
}

static void check_bad(struct compile *compile, const struct side *maybe, const struct side *bad)
{
	enum direction way = direction_of(bad->limit->op), other = direction_of(maybe->limit->op);

	if (way == EITHER || other == EITHER)
		return;
	if (way != other) {
		complain_at(compile, bad->setting,
			"'bad' (%s) and 'maybe' (%s) must point the same way", bad->limit->text,
			maybe->limit->text);
		return;
	}
	if (way == UP ? bad->number < maybe->number : bad->number > maybe->number)
		complain_at(compile, bad->setting, "'bad' (%s) is nearer to good than 'maybe' (%s)",
			bad->limit->text, maybe->limit->text);
}

static void check_acquit(
	struct compile *compile, const struct side *acquit, const struct side *accuse)
{
	enum direction way = direction_of(acquit->limit->op);
	enum direction other = direction_of(accuse->limit->op);

	if (way == EITHER || other == EITHER)
		return;
	if (way == other) {
		complain_at(compile, acquit->setting,
			"'acquit' (%s) must point the other way than '%s' (%s)",
			acquit->limit->text, accuse->name, accuse->limit->text);
		return;
	}
	if (way == DOWN ? acquit->number > accuse->number : acquit->number < accuse->number)
		complain_at(compile, acquit->setting, "'acquit' (%s) reaches beyond '%s' (%s)",
			acquit->limit->text, accuse->name, accuse->limit->text);
}

static void check_limits(struct compile *compile, const struct section *section,
	const struct metric *metric, const char *class)
{
	struct side acquit = side_of(section, "acquit", &metric->acquit, class);
	struct side maybe = side_of(section, "maybe", &metric->maybe, class);
	struct side bad = side_of(section, "bad", &metric->bad, class);

	if (is_pair(&maybe, &bad, class))
		check_bad(compile, &maybe, &bad);
	if (is_pair(&acquit, &maybe, class))
		check_acquit(compile, &acquit, &maybe);
	else if (is_pair(&acquit, &bad, class))
		check_acquit(compile, &acquit, &bad);
}

static bool has_class(const struct limits *limits, size_t n, const char *class)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(limits->by_class[i].class, class))
			return true;
	return false;
}

static void check_classes(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	const struct limits *all[] = {&metric->acquit, &metric->maybe, &metric->bad, &metric->look};
	size_t i, k, before;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		for (k = 0; k < all[i]->n; k++) {
			const char *class = all[i]->by_class[k].class;

			for (before = 0; before < i; before++)
				if (has_class(all[before], all[before]->n, class))
					break;
			if (before == i)
				check_limits(compile, section, metric, class);
		}
	}
}

/* A limit is known before anything is traced, and is the same for both tiers. */
static void check_untraced(struct compile *compile, const struct section *section,
	const struct limits *limits, const char *name)
{
	size_t i;

	for (i = 0; i <= limits->n; i++) {
		const struct limit *limit = i ? &limits->by_class[i - 1] : &limits->plain;
		char *key;

		if (!limit->set || !expr_trace(limit->expr))
			continue;
		key = i ? mem_printf("%s.%s", name, limit->class) : mem_strdup(name);
		complain_at(
			compile, section_place(section, key), "a limit cannot come from a trace");
		free(key);
	}
}

static void check_traces(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	size_t i;

	check_untraced(compile, section, &metric->acquit, "acquit");
	check_untraced(compile, section, &metric->maybe, "maybe");
	check_untraced(compile, section, &metric->bad, "bad");
	check_untraced(compile, section, &metric->look, "look");
	if (metric->rival && (expr_trace(metric->rival) || expr_is_constant(metric->rival)))
		complain_at(compile, section_place(section, "rival"),
			"'rival' is what instances of a source do meanwhile");
	if (metric->trace) {
		if (metric->sustained_k)
			complain_at(compile, section_place(section, "sustained"),
				"'sustained' is for counters: a trace is one window");
		return;
	}
	if (metric->enough && condition_trace(metric->enough))
		complain_at(compile, section_place(section, "enough"),
			"'enough' is about a trace, but 'value' is not");
	for (i = 0; i < metric->n_howevers; i++) {
		char *key = mem_printf("however.%s.when", metric->howevers[i].name);

		if (condition_trace(metric->howevers[i].when))
			complain_at(compile, section_place(section, key),
				"'%s' is about a trace, but 'value' is not", key);
		free(key);
	}
}

static bool has_limit(const struct limits *limits)
{
	return limits->plain.set || limits->n;
}

static bool has_trace_section(const struct settings *settings)
{
	size_t i;

	for (i = 0; i < settings->n; i++)
		if (str_starts(settings->list[i].section, "trace "))
			return true;
	return false;
}

static void check_look(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	const struct setting *place = section_place(section, "look");

	if (!has_limit(&metric->look))
		return;
	if (metric->trace)
		complain_at(compile, place, "'look' is for counters: it asks for the trace");
	if (metric->class != CLASS_CAUSE)
		complain_at(
			compile, place, "'look' is for context that accuses nobody: class = cause");
	if (has_limit(&metric->maybe) || has_limit(&metric->bad))
		complain_at(
			compile, place, "what accuses asks for the trace anyway: leave out 'look'");
	if (!has_trace_section(compile->settings))
		complain_at(compile, place, "'look' asks for a trace, but this check has none");
}

/* What else is judged clears unasked, and context without a side that is well clears nothing. */
static void check_clears(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	const struct setting *place = section_place(section, "clears");

	if (!metric->clears)
		return;
	if (metric->class != CLASS_CAUSE)
		complain_at(compile, place,
			"'clears' is for class = cause: what is %s clears anyway",
			metric_class_text(metric->class));
	if (!has_limit(&metric->acquit))
		complain_at(
			compile, place, "'clears' without 'acquit': within what does it clear?");
}

static bool has_trace_named(const struct settings *settings, const char *name)
{
	size_t i;

	for (i = 0; i < settings->n; i++)
		if (str_starts(settings->list[i].section, "trace ") &&
			!strcmp(settings->list[i].section + strlen("trace "), name))
			return true;
	return false;
}

static void check_one_witness(
	struct compile *compile, const struct setting *place, const char *word)
{
	if (!str_starts(word, "trace:"))
		complain_at(compile, place, "'%s' is no witness: that is trace:NAME, of this check",
			word);
	else if (!has_trace_named(compile->settings, word + strlen("trace:")))
		complain_at(compile, place, "there is no [trace %s] here for '%s'",
			word + strlen("trace:"), word);
}

static void check_witness(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	const struct setting *place = section_place(section, "witness");
	const char *at = metric->witness;

	if (!at)
		return;
	if (metric->trace)
		complain_at(compile, place, "'witness' is for counters: this is a trace itself");
	if (metric->class == CLASS_ERROR || metric->class == CLASS_LIMIT)
		complain_at(compile, place, "no trace overrules class = %s: leave out 'witness'",
			metric_class_text(metric->class));
	for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
		char *word = mem_strndup(at, strcspn(at, " \t"));

		check_one_witness(compile, place, word);
		at += strlen(word);
		free(word);
	}
}

/* What is beyond it is unknown, so that a limit there never accuses. */
static void check_at_most(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	const struct limit *limits[] = {&metric->maybe.plain, &metric->bad.plain};
	size_t i;

	for (i = 0; metric->at_most > 0 && i < ARRAY_SIZE(limits); i++)
		if (limits[i]->set && direction_of(limits[i]->op) == UP &&
			constant(limits[i]) >= metric->at_most)
			complain_at(compile, section_place(section, "at_most"),
				"nothing between '%s' and 'at_most' would accuse", limits[i]->text);
}

static void check_absent(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	if (metric->absent && metric->trace)
		complain_at(compile, section_place(section, "absent"),
			"'absent' is for counters: a trace that cannot run says why");
}

/* What is no gauge has no course, and a time to a limit is a forecast itself. */
static void check_trend(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	static const char *const keys[] = {"trend", "trend.within", "trend.from", "trend.times",
		"trend.source", "trend.grower"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct setting *place = section_find(section, keys[i]);

		if (!place || (!i && metric->trend.looks == TREND_NONE))
			continue;
		if (metric->class != CLASS_LIMIT)
			complain_at(compile, place, "'%s' is for class = limit", keys[i]);
		else if (!metric_can_have_trend(metric))
			complain_at(compile, place,
				"'%s' is for a value of one moment that nears its limit: not for "
				"counters, traces and times",
				keys[i]);
	}
	if (metric->trend.grower && expr_trace(metric->trend.grower))
		complain_at(compile, section_place(section, "trend.grower"),
			"'trend.grower' is for counters");
}

void check_metric_rules(
	struct compile *compile, const struct section *section, const struct metric *metric)
{
	if (metric->class != CLASS_CAUSE && !has_limit(&metric->acquit) &&
		!has_limit(&metric->maybe) && !has_limit(&metric->bad))
		complain_at(compile, section_place(section, "class"),
			"without 'acquit', 'maybe' or 'bad' this is context: class = cause");
	check_limits(compile, section, metric, NULL);
	check_classes(compile, section, metric);
	check_traces(compile, section, metric);
	check_look(compile, section, metric);
	check_clears(compile, section, metric);
	check_witness(compile, section, metric);
	check_absent(compile, section, metric);
	check_at_most(compile, section, metric);
	check_trend(compile, section, metric);
}
