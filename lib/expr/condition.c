/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a condition hold, for one instance or for all of them? */
#include "base/banned.h"

#include <math.h>

#include "expr/parse.h"
#include "expr/ast.h"
#include "base/str.h"
#include "sample/instances.h"
#include "expr/condition.h"
#include "expr/eval.h"

static int compare_one(
	const struct value *left, enum op op, const struct value *right, const char *instance)
{
	double a = value_of(left, instance), b = value_of(right, instance);

	if (isnan(a) || isnan(b))
		return -1;
	return op_holds(op, a, b);
}

/* For a metric without instances: whether the comparison holds for each that has a value. */
static int compare_all(const struct value *left, enum op op, const struct value *right)
{
	const struct value *many = left->instances ? left : right;
	int result = -1;
	size_t i;

	for (i = 0; i < many->n; i++) {
		int one = compare_one(left, op, right, instances_name(many->instances, i));

		if (!one)
			return 0;
		if (one > 0)
			result = 1;
	}
	return result;
}

struct condition_values {
	size_t n;
	struct sides {
		struct value left, right;
		enum op op;
	} list[];
};

struct condition_values *condition_eval(
	const struct condition *condition, const struct expr_context *context)
{
	struct condition_values *values =
		mem_alloc(sizeof(*values) + condition->n * sizeof(values->list[0]));

	for (values->n = 0; values->n < condition->n; values->n++) {
		const struct comparison *c = &condition->list[values->n];

		values->list[values->n] = (struct sides){
			.left = expr_eval(c->left, context),
			.right = expr_eval(c->right, context),
			.op = c->op,
		};
	}
	return values;
}

int condition_values_hold(const struct condition_values *values, const char *instance)
{
	bool unknown = false;
	size_t i;

	for (i = 0; i < values->n; i++) {
		const struct sides *c = &values->list[i];
		int one;

		if ((c->left.instances || c->right.instances) && (!instance || !*instance))
			one = compare_all(&c->left, c->op, &c->right);
		else
			one = compare_one(&c->left, c->op, &c->right, instance);
		if (!one)
			return 0;
		unknown |= one < 0;
	}
	return unknown ? -1 : 1;
}

void condition_values_free(struct condition_values *values)
{
	size_t i;

	for (i = 0; values && i < values->n; i++) {
		value_free(&values->list[i].left);
		value_free(&values->list[i].right);
	}
	free(values);
}

int condition_holds(
	const struct condition *condition, const struct expr_context *context, const char *instance)
{
	struct condition_values *values = condition_eval(condition, context);
	int holds = condition_values_hold(values, instance);

	condition_values_free(values);
	return holds;
}

bool condition_why_missing(
	const struct condition *condition, const struct expr_context *context, struct str *out)
{
	size_t i;

	for (i = 0; i < condition->n; i++)
		if (expr_why_missing(condition->list[i].left, context, out) ||
			expr_why_missing(condition->list[i].right, context, out))
			return true;
	return false;
}

void condition_each_leaf(const struct condition *condition,
	void (*each)(void *arg, struct expr_leaf *leaf), void *arg)
{
	size_t i;

	for (i = 0; condition && i < condition->n; i++) {
		expr_each_leaf(condition->list[i].left, each, arg);
		expr_each_leaf(condition->list[i].right, each, arg);
	}
}

void condition_each_reference(
	const struct condition *condition, void (*each)(void *arg, int reference), void *arg)
{
	size_t i;

	for (i = 0; condition && i < condition->n; i++) {
		expr_each_reference(condition->list[i].left, each, arg);
		expr_each_reference(condition->list[i].right, each, arg);
	}
}

const char *condition_trace(const struct condition *condition)
{
	size_t i;

	for (i = 0; i < condition->n; i++) {
		const char *name = expr_trace(condition->list[i].left);

		if (!name)
			name = expr_trace(condition->list[i].right);
		if (name)
			return name;
	}
	return NULL;
}
