/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a condition hold, for one instance or for all of them? */
#include "base/banned.h"

#include <math.h>

#include "expr/parse.h"
#include "expr/internal.h"
#include "base/str.h"
#include "sample/instances.h"
#include "expr/condition.h"
#include "expr/eval.h"

static int compare_one(
	const struct value *left, enum op op, const struct value *right, const char *instance)
{
	double a = number_or_zero(value_of(left, instance));
	double b = number_or_zero(value_of(right, instance));

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

/* The sides of each comparison that and, or and not join, from left to right. */
struct condition_values {
	const struct expr *root;
	size_t n, room;
	struct sides {
		struct value left, right;
	} * list;
};

static void add_sides(struct condition_values *values, const struct expr *truth,
	const struct expr_context *context)
{
	if (truth->kind == EXPR_COMPARE) {
		ARRAY_GROW(values->list, values->n, values->room);
		values->list[values->n++] = (struct sides){
			.left = expr_eval(truth->left, context),
			.right = expr_eval(truth->right, context),
		};
		return;
	}
	if (truth->left)
		add_sides(values, truth->left, context);
	add_sides(values, truth->right, context);
}

struct condition_values *condition_eval(
	const struct condition *condition, const struct expr_context *context)
{
	struct condition_values *values = mem_zalloc(sizeof(*values));

	values->root = condition->root;
	add_sides(values, condition->root, context);
	return values;
}

/* *at: the number of the next comparison. */
static int truth_holds(const struct condition_values *values, const struct expr *truth, size_t *at,
	const char *instance)
{
	int left = -1;

	if (truth->kind == EXPR_COMPARE) {
		const struct sides *sides = &values->list[(*at)++];
		bool many = sides->left.instances || sides->right.instances;

		if (many && (!instance || !*instance))
			return compare_all(&sides->left, truth->comparison, &sides->right);
		return compare_one(&sides->left, truth->comparison, &sides->right, instance);
	}
	if (truth->left)
		left = truth_holds(values, truth->left, at, instance);
	return truth_join(truth->kind, left, truth_holds(values, truth->right, at, instance));
}

int condition_values_hold(const struct condition_values *values, const char *instance)
{
	size_t at = 0;

	return truth_holds(values, values->root, &at, instance);
}

void condition_values_free(struct condition_values *values)
{
	size_t i;

	for (i = 0; values && i < values->n; i++) {
		value_free(&values->list[i].left);
		value_free(&values->list[i].right);
	}
	if (values)
		free(values->list);
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
	return expr_why_missing(condition->root, context, out);
}

void condition_each_leaf(const struct condition *condition,
	void (*each)(void *arg, struct expr_leaf *leaf), void *arg)
{
	expr_each_leaf(condition ? condition->root : NULL, each, arg);
}

void condition_each_reference(
	const struct condition *condition, void (*each)(void *arg, int reference), void *arg)
{
	expr_each_reference(condition ? condition->root : NULL, each, arg);
}

void condition_each_needed_reference(
	const struct condition *condition, void (*each)(void *arg, int reference), void *arg)
{
	expr_each_needed_reference(condition ? condition->root : NULL, each, arg);
}

const char *condition_trace(const struct condition *condition)
{
	return expr_trace(condition->root);
}
