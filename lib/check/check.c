/* SPDX-License-Identifier: GPL-2.0-only */
/* What is a check made of? */
#include "base/banned.h"

#include <string.h>

#include "check/check.h"
#include "expr/bind.h"
#include "base/str.h"
#include "check/exec.h"
#include "check/settings.h"
#include "expr/eval.h"
#include "expr/condition.h"
#include "trace/spec.h"

const char *metric_class_text(enum metric_class class)
{
	static const char *const texts[] = {"harm", "error", "limit", "cause"};

	return texts[class];
}

bool metric_may_clear(const struct metric *metric)
{
	return metric->class != CLASS_CAUSE || metric->clears;
}

/* The trace of "turns.read" is "turns". */
static bool witness_is(const char *word, size_t len, const char *trace)
{
	size_t name = strcspn(trace, ".");

	return len == strlen("trace:") + name && str_starts(word, "trace:") &&
		!strncmp(word + strlen("trace:"), trace, name);
}

const struct trace_spec *check_trace(const struct check *check, const char *trace)
{
	size_t len = trace ? strcspn(trace, ".") : 0, i;

	for (i = 0; trace && i < check->n_traces; i++)
		if (strlen(check->traces[i]->name) == len &&
			!strncmp(check->traces[i]->name, trace, len))
			return check->traces[i];
	return NULL;
}

bool metric_is_sentinels(const struct check *check, const struct metric *metric)
{
	const struct trace_spec *spec = check_trace(check, metric->trace);

	return spec && spec->always;
}

bool check_is_sentinels(const struct check *check)
{
	bool any = false;
	size_t i;

	for (i = 0; i < check->n_metrics; i++) {
		if (check->metrics[i]->class == CLASS_CAUSE)
			continue;
		if (!metric_is_sentinels(check, check->metrics[i]))
			return false;
		any = true;
	}
	return any;
}

bool metric_has_witness(const struct metric *metric, const char *trace)
{
	const char *at = metric->witness;

	if (!at)
		return metric->look.plain.set || metric->look.n;
	for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
		size_t len = strcspn(at, " \t");

		if (witness_is(at, len, trace))
			return true;
		at += len;
	}
	return false;
}

bool limits_op(const struct limits *limits, enum op *op)
{
	if (!limits->plain.set && !limits->n)
		return false;
	*op = limits->plain.set ? limits->plain.op : limits->by_class[0].op;
	return true;
}

void check_free(struct check *check)
{
	size_t i;

	if (!check)
		return;
	free(check->name);
	foreign_free(check->foreign);
	for (i = 0; i < check->n_traces; i++)
		trace_spec_free(check->traces[i]);
	free(check->traces);
	if (check->owner)
		settings_free(check->owner);
	free(check->owner);
	arena_free(&check->arena);
	free(check);
}

void checks_free(struct checks *checks)
{
	size_t i;

	if (!checks)
		return;
	for (i = 0; i < checks->n; i++)
		check_free(checks->list[i]);
	free(checks->list);
	for (i = 0; i < checks->n_refused; i++) {
		free(checks->refused[i].file);
		free(checks->refused[i].why);
	}
	free(checks->refused);
	str_free(checks->errors);
	free(checks->errors);
	arena_free(&checks->arena);
	free(checks);
}

struct check *checks_find(const struct checks *checks, const char *name)
{
	size_t i;

	for (i = 0; i < checks->n; i++)
		if (!strcmp(checks->list[i]->name, name))
			return checks->list[i];
	return NULL;
}

static void each_of_limits(
	const struct limits *limits, void (*each)(void *arg, struct expr_leaf *leaf), void *arg)
{
	size_t i;

	expr_each_leaf(limits->plain.expr, each, arg);
	for (i = 0; i < limits->n; i++)
		expr_each_leaf(limits->by_class[i].expr, each, arg);
}

void check_each_leaf(
	const struct check *check, void (*each)(void *arg, struct expr_leaf *leaf), void *arg)
{
	size_t i, k;

	for (i = 0; i < check->n_metrics; i++) {
		const struct metric *metric = check->metrics[i];

		expr_each_leaf(metric->value, each, arg);
		condition_each_leaf(metric->enough, each, arg);
		expr_each_leaf(metric->rival, each, arg);
		expr_each_leaf(metric->trend.grower, each, arg);
		each_of_limits(&metric->acquit, each, arg);
		each_of_limits(&metric->maybe, each, arg);
		each_of_limits(&metric->bad, each, arg);
		each_of_limits(&metric->look, each, arg);
		for (k = 0; k < metric->n_howevers; k++)
			condition_each_leaf(metric->howevers[k].when, each, arg);
	}
}

void check_bind(const struct check *check, struct sweep *sweep)
{
	check_each_leaf(check, expr_leaf_bind, sweep);
}
