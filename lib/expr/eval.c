/* SPDX-License-Identifier: GPL-2.0-only */
/* What is an expression's value over an interval, for each instance, if it has one at all? */
#include "base/banned.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "expr/parse.h"
#include "expr/internal.h"
#include "sample/groups.h"
#include "sample/sweep.h"
#include "base/str.h"
#include "sample/instances.h"
#include "expr/eval.h"
#include "trace/result.h"

/* Whether references give their present value, what a counter grew by, or how a gauge moved. */
enum mode { MODE_VALUE, MODE_DELTA, MODE_CHANGE };

static struct value eval(
	const struct expr *expr, const struct expr_context *context, enum mode mode);

/*
 * What or0() makes of what is absent: no value like any other NAN, but for a sum, where it counts 0
 * beside what is there, and for a comparison. So a sum of which all is absent has no value.
 */
static const uint64_t absent_bits = 0x7ff8000000000abcULL;

static double absent_zero(void)
{
	double absent;

	memcpy(&absent, &absent_bits, sizeof(absent));
	return absent;
}

static bool is_absent_zero(double number)
{
	return memcmp(&number, &absent_bits, sizeof(number)) == 0;
}

void value_free(struct value *value)
{
	free(value->v);
	*value = (struct value){0};
}

static struct value number_value(double v)
{
	struct value value = {.n = 1, .v = mem_alloc(sizeof(double)), .reference = -1};

	value.v[0] = v;
	return value;
}

static struct value one_for_each(const struct instances *instances, int reference)
{
	struct value value = {.instances = instances, .reference = reference};

	value.n = instances_count(instances);
	value.v = mem_realloc_array(NULL, value.n, sizeof(double));
	return value;
}

double value_of(const struct value *value, const char *instance)
{
	long i;

	if (!value->instances)
		return value->n ? value->v[0] : NAN;
	i = instance ? instances_find(value->instances, instance) : -1;
	if (i < 0 && instance && *instance && value->others_absent)
		return absent_zero();
	return i >= 0 && (size_t)i < value->n ? value->v[i] : NAN;
}

/*
 * What a counter grew by. One that is missing anywhere in between, or goes back, was reset,
 * unplugged or wrapped: then its growth is not known, even if it is higher again at the end.
 */
static double growth(const struct expr_context *context, int reference, size_t instance)
{
	double first = sweep_value(context->sweep, reference, context->from, instance);
	double before = first;
	size_t i;

	if (context->from >= context->to && context->from != SWEEP_EARLIER)
		return NAN;
	for (i = context->from == SWEEP_EARLIER ? 0 : context->from + 1; i <= context->to; i++) {
		double now = sweep_value(context->sweep, reference, i, instance);

		if (isnan(now) || isnan(before) || now < before)
			return NAN;
		before = now;
	}
	return before - first;
}

static double reference_change(const struct expr_context *context, int reference, size_t instance)
{
	if (context->from >= context->to && context->from != SWEEP_EARLIER)
		return NAN;
	return sweep_value(context->sweep, reference, context->to, instance) -
		sweep_value(context->sweep, reference, context->from, instance);
}

static double reference_value(
	const struct expr_context *context, int reference, size_t instance, enum mode mode)
{
	if (mode != MODE_VALUE && sweep_stands(context->sweep, context->from, context->to))
		return NAN;
	if (mode == MODE_DELTA)
		return growth(context, reference, instance);
	if (mode == MODE_CHANGE)
		return reference_change(context, reference, instance);
	return sweep_value(context->sweep, reference, context->to, instance);
}

static struct value eval_reference(
	const struct expr *expr, const struct expr_context *context, enum mode mode)
{
	int reference = expr->leaf->reference;
	const struct instances *instances;
	struct value value;
	size_t i;

	if (reference < 0)
		return number_value(NAN);
	instances = sweep_instances(context->sweep, reference);
	if (!instances) {
		value = number_value(reference_value(context, reference, 0, mode));
		value.reference = reference;
		return value;
	}
	value = one_for_each(instances, reference);
	for (i = 0; i < value.n; i++)
		value.v[i] = reference_value(context, reference, i, mode);
	return value;
}

static const struct trace_result *eval_find_trace(
	const struct expr *expr, const struct expr_context *context)
{
	const struct trace_result *result;

	if (!context->traces)
		return NULL;
	result = traces_find(context->traces, context->check, expr->trace);
	return result && !trace_missing(result) ? result : NULL;
}

static double trace_statistic(
	const struct trace_result *result, size_t instance, enum expr_function function)
{
	switch (function) {
	case FUNCTION_P50:
		return trace_quantile(result, instance, 0.5);
	case FUNCTION_P90:
		return trace_quantile(result, instance, 0.9);
	case FUNCTION_P99:
		return trace_quantile(result, instance, 0.99);
	case FUNCTION_MAX:
		return trace_max(result, instance);
	case FUNCTION_COUNT:
		return trace_count(result, instance);
	case FUNCTION_TOTAL:
		return trace_total(result, instance);
	default:
		return NAN;
	}
}

static struct value eval_trace(const struct expr *call, const struct expr_context *context)
{
	const struct trace_result *result = eval_find_trace(call->left, context);
	struct value value;
	size_t i;

	if (!result)
		return number_value(NAN);
	if (!trace_instances(result))
		return number_value(trace_statistic(result, 0, call->function));
	value = one_for_each(trace_instances(result), -1);
	for (i = 0; i < value.n; i++)
		value.v[i] = trace_statistic(result, i, call->function);
	return value;
}

/* What max, min, sum or count of instances becomes with one more of them; before is NAN for none.
 */
static double reduce_one(double before, double v, enum expr_function function)
{
	if (isnan(v))
		return before;
	if (function == FUNCTION_COUNT)
		return (isnan(before) ? 0 : before) + (v != 0);
	if (isnan(before))
		return v;
	if (function == FUNCTION_SUM)
		return before + v;
	return (function == FUNCTION_MAX ? v > before : v < before) ? v : before;
}

static double reduce(const struct value *value, enum expr_function function)
{
	double result = value->others_absent ? absent_zero() : NAN;
	size_t i;

	for (i = 0; i < value->n; i++)
		result = reduce_one(result, value->v[i], function);
	return result;
}

/* The same for each group of instances. What is in none, or of a source without them, is left out.
 */
static struct value reduce_groups(
	const struct value *value, const struct expr *call, const struct expr_context *context)
{
	const struct instances *groups = value->instances && value->reference >= 0
		? sweep_groups(context->sweep, value->reference, call->group)
		: NULL;
	struct value result;
	size_t i;

	if (!groups)
		return number_value(NAN);
	result = one_for_each(groups, -1);
	for (i = 0; i < result.n; i++)
		result.v[i] = NAN;
	for (i = 0; i < value->n; i++) {
		long group = sweep_group_of(context->sweep, value->reference, call->group, i);

		if (group >= 0 && (size_t)group < result.n)
			result.v[group] = reduce_one(result.v[group], value->v[i], call->function);
	}
	return result;
}

/* Seconds between the samples: what counters grew in, whatever is traced meanwhile. */
static double sampled_seconds(const struct expr_context *context)
{
	double seconds = sweep_seconds(context->sweep, context->from, context->to);

	return seconds > 0 ? seconds : NAN;
}

/* The seconds that delta() is about, or those traced where the expression is about a trace. */
static double window_seconds(const struct expr_context *context)
{
	double scale = context->growth_scale > 0 ? context->growth_scale : 1;

	return context->window_seconds > 0 ? context->window_seconds
					   : sampled_seconds(context) * scale;
}

static const struct expr_leaf *first_leaf(const struct expr *expr)
{
	const struct expr_leaf *leaf;

	if (!expr || expr->leaf)
		return expr ? expr->leaf : NULL;
	leaf = first_leaf(expr->left);
	return leaf ? leaf : first_leaf(expr->right);
}

/* What is not there counts 0; what is there and could not be read, or was reset, has no value. */
static struct value eval_or0(
	const struct expr *call, const struct expr_context *context, enum mode mode)
{
	struct value value = eval(call->left, context, mode);
	int r = first_leaf(call)->reference;
	size_t i;

	if (r < 0 || !context->sweep)
		return value;
	for (i = 0; i < value.n; i++)
		if (isnan(value.v[i]) &&
			(value.instances ? sweep_instance_not_here(context->sweep, r, i)
					 : sweep_not_here(context->sweep, r)))
			value.v[i] = absent_zero();
	value.others_absent = sweep_instance_not_here(context->sweep, r, SIZE_MAX);
	return value;
}

/* max, min, sum and count of instances: one number, or one for each group. */
static struct value eval_reduced(
	const struct expr *call, const struct expr_context *context, enum mode mode)
{
	struct value value = eval(call->left, context, mode), result;

	if (call->group)
		result = reduce_groups(&value, call, context);
	else if (value.instances || call->function == FUNCTION_COUNT)
		result = number_value(reduce(&value, call->function));
	else
		return value;
	value_free(&value);
	return result;
}

static struct value eval_call(
	const struct expr *expr, const struct expr_context *context, enum mode mode)
{
	struct value value;
	size_t i;

	if (expr->left->kind == EXPR_TRACE)
		return eval_trace(expr, context);
	switch (expr->function) {
	case FUNCTION_DELTA:
		value = eval(expr->left, context, MODE_DELTA);
		for (i = 0; context->growth_scale > 0 && i < value.n; i++)
			value.v[i] *= context->growth_scale;
		return value;
	case FUNCTION_RATE:
	case FUNCTION_SLOPE:
		value = eval(expr->left, context,
			expr->function == FUNCTION_RATE ? MODE_DELTA : MODE_CHANGE);
		for (i = 0; i < value.n; i++)
			value.v[i] /= sampled_seconds(context);
		return value;
	case FUNCTION_SINCE_BOOT:
		return eval(expr->left, context, MODE_VALUE);
	case FUNCTION_OR0:
		return eval_or0(expr, context, mode);
	default:
		break;
	}
	return eval_reduced(expr, context, mode);
}

static double compute_binary(char op, double a, double b)
{
	bool absent = is_absent_zero(a), both = absent && is_absent_zero(b);
	double result = NAN;

	/* 0 times or by anything that is known, and the sum of nothing that is there. */
	if (both || ((op == '*' || op == '/') && absent && !isnan(b)) ||
		(op == '*' && is_absent_zero(b) && !isnan(a)))
		return absent_zero();
	if (absent)
		a = 0;
	if (is_absent_zero(b))
		b = 0;
	switch (op) {
	case '+':
		result = a + b;
		break;
	case '-':
		result = a - b;
		break;
	case '*':
		result = a * b;
		break;
	case '/':
		result = b == 0 ? NAN : a / b;
		break;
	}
	return isfinite(result) ? result : NAN;
}

int truth_join(enum expr_kind kind, int a, int b)
{
	if (kind == EXPR_NOT)
		return b < 0 ? -1 : !b;
	if (kind == EXPR_OR)
		return a > 0 || b > 0 ? 1 : a < 0 || b < 0 ? -1 : 0;
	return !a || !b ? 0 : a < 0 || b < 0 ? -1 : 1;
}

double number_or_zero(double number)
{
	return is_absent_zero(number) ? 0 : number;
}

static int truth_of_number(double number)
{
	return isnan(number) ? -1 : number != 0;
}

/* What a node with two operands makes of two numbers. */
static double compute_node(const struct expr *expr, double a, double b)
{
	int truth;

	if (expr->kind == EXPR_BINARY)
		return compute_binary(expr->op, a, b);
	a = number_or_zero(a);
	b = number_or_zero(b);
	if (expr->kind == EXPR_COMPARE && (isnan(a) || isnan(b)))
		return NAN;
	if (expr->kind == EXPR_COMPARE)
		return op_holds(expr->comparison, a, b);
	truth = truth_join(expr->kind, truth_of_number(a), truth_of_number(b));
	return truth < 0 ? NAN : (double)truth;
}

/* Of which of two values the instances are those of the result: the left one's, unless it may lack
 * some that the right one has. */
static const struct value *many_of(const struct value *a, const struct value *b)
{
	if (!a->instances)
		return b;
	return b->instances && a->others_absent && (!b->others_absent || b->n > a->n) ? b : a;
}

/* Instances of two sources are matched by name. */
static struct value combine_values(
	const struct expr *expr, const struct value *a, const struct value *b)
{
	const struct value *many = many_of(a, b);
	struct value value;
	size_t i;

	if (!many->instances)
		return number_value(compute_node(expr, a->v[0], b->v[0]));
	value = one_for_each(many->instances, many->reference);
	value.others_absent = a->others_absent && b->others_absent;
	for (i = 0; i < value.n; i++) {
		const char *name = instances_name(many->instances, i);
		double left = a == many && i < a->n ? a->v[i] : value_of(a, name);
		double right = b == many && i < b->n ? b->v[i] : value_of(b, name);

		value.v[i] = compute_node(expr, left, right);
	}
	return value;
}

static struct value eval_binary(
	const struct expr *expr, const struct expr_context *context, enum mode mode)
{
	struct value left = eval(expr->left, context, mode);
	struct value right = eval(expr->right, context, mode);
	struct value result = combine_values(expr, &left, &right);

	if (result.reference < 0)
		result.reference = left.reference >= 0 ? left.reference : right.reference;
	value_free(&left);
	value_free(&right);
	return result;
}

static const char *first_trace(const struct expr *expr)
{
	const char *name;

	if (!expr)
		return NULL;
	if (expr->trace)
		return expr->trace;
	name = first_trace(expr->left);
	return name ? name : first_trace(expr->right);
}

static struct value eval(
	const struct expr *expr, const struct expr_context *context, enum mode mode)
{
	struct value value;
	size_t i;

	switch (expr->kind) {
	case EXPR_NUMBER:
		return number_value(expr->number);
	case EXPR_REFERENCE:
		return eval_reference(expr, context, mode);
	case EXPR_WINDOW:
		return number_value(window_seconds(context));
	case EXPR_CPUS:
		return number_value(context->cpus);
	case EXPR_PAGE:
		return number_value(sweep_page_bytes(context->sweep));
	case EXPR_CALL:
		return eval_call(expr, context, mode);
	case EXPR_BINARY:
	case EXPR_COMPARE:
	case EXPR_AND:
	case EXPR_OR:
		return eval_binary(expr, context, mode);
	case EXPR_NOT:
		value = eval(expr->right, context, mode);
		for (i = 0; i < value.n; i++)
			value.v[i] = isnan(value.v[i]) ? NAN : value.v[i] == 0 ? 1 : 0;
		return value;
	case EXPR_NEGATE:
		value = eval(expr->left, context, mode);
		for (i = 0; i < value.n; i++)
			value.v[i] = is_absent_zero(value.v[i]) ? value.v[i] : -value.v[i];
		return value;
	case EXPR_TRACE:
		break;
	}
	return number_value(NAN);
}

struct value expr_eval(const struct expr *expr, const struct expr_context *context)
{
	return eval(expr, context, MODE_VALUE);
}

static double eval_number(
	const struct expr *expr, const struct expr_context *context, const char *instance)
{
	struct value value = expr_eval(expr, context);
	double number = value_of(&value, instance);

	value_free(&value);
	return number;
}

bool expr_find_operands(const struct expr *expr, const struct expr_context *context,
	const char *instance, char op, struct expr_operands *out)
{
	if (expr->kind != EXPR_BINARY || expr->op == '+')
		return false;
	/* 1 - free / all: the share says more than its distance from 1. */
	if (op == '-' && expr->op == op && expr->left->kind == EXPR_NUMBER &&
		expr_find_operands(expr->right, context, instance, '/', out))
		return true;
	if (expr->op != op)
		return expr->op != '-' &&
			(expr_find_operands(expr->left, context, instance, op, out) ||
				expr_find_operands(expr->right, context, instance, op, out));
	*out = (struct expr_operands){
		.op = op,
		.left = eval_number(expr->left, context, instance),
		.right = eval_number(expr->right, context, instance),
	};
	if (isnan(out->left) || isnan(out->right))
		return false;
	return op == '/' || out->left < out->right;
}

const char *expr_group(const struct expr *expr)
{
	const char *group;

	if (!expr || expr->group)
		return expr ? expr->group : NULL;
	group = expr_group(expr->left);
	return group ? group : expr_group(expr->right);
}

const char *expr_trace(const struct expr *expr)
{
	return first_trace(expr);
}

bool expr_is_constant(const struct expr *expr)
{
	if (!expr)
		return true;
	if (expr->kind == EXPR_REFERENCE || expr->kind == EXPR_TRACE || expr->kind == EXPR_WINDOW ||
		expr->kind == EXPR_CPUS || expr->kind == EXPR_PAGE)
		return false;
	return expr_is_constant(expr->left) && expr_is_constant(expr->right);
}

/* Whether all references are to what a counter grew by; *any: whether there is one. */
static bool only_growth(const struct expr *expr, bool grows, bool *any)
{
	if (!expr)
		return true;
	if (expr->kind == EXPR_TRACE || (expr->kind == EXPR_REFERENCE && !grows))
		return false;
	if (expr->kind == EXPR_CALL && expr->function <= FUNCTION_SINCE_BOOT)
		grows = expr->function == FUNCTION_DELTA || expr->function == FUNCTION_RATE;
	*any |= expr->kind == EXPR_REFERENCE;
	return only_growth(expr->left, grows, any) && only_growth(expr->right, grows, any);
}

bool expr_is_growth(const struct expr *expr)
{
	bool any = false;

	return only_growth(expr, false, &any) && any;
}

static bool has_growth_or_trace(const struct expr *expr)
{
	if (!expr)
		return false;
	return expr->kind == EXPR_TRACE ||
		(expr->kind == EXPR_CALL && expr->function <= FUNCTION_SINCE_BOOT) ||
		has_growth_or_trace(expr->left) || has_growth_or_trace(expr->right);
}

bool expr_is_gauge(const struct expr *expr)
{
	return !expr_is_constant(expr) && !has_growth_or_trace(expr);
}

bool expr_is_of_life(const struct expr *expr)
{
	if (!expr)
		return false;
	return (expr->kind == EXPR_CALL && expr->function == FUNCTION_SINCE_BOOT) ||
		expr_is_of_life(expr->left) || expr_is_of_life(expr->right);
}

void expr_each_leaf(
	const struct expr *expr, void (*each)(void *arg, struct expr_leaf *leaf), void *arg)
{
	if (!expr)
		return;
	if (expr->leaf)
		each(arg, expr->leaf);
	expr_each_leaf(expr->left, each, arg);
	expr_each_leaf(expr->right, each, arg);
}

void expr_each_reference(const struct expr *expr, void (*each)(void *arg, int reference), void *arg)
{
	if (!expr)
		return;
	if (expr->leaf && expr->leaf->reference >= 0)
		each(arg, expr->leaf->reference);
	expr_each_reference(expr->left, each, arg);
	expr_each_reference(expr->right, each, arg);
}

void expr_each_needed_reference(
	const struct expr *expr, void (*each)(void *arg, int reference), void *arg)
{
	if (!expr || (expr->kind == EXPR_CALL && expr->function == FUNCTION_OR0))
		return;
	if (expr->leaf && expr->leaf->reference >= 0)
		each(arg, expr->leaf->reference);
	expr_each_needed_reference(expr->left, each, arg);
	expr_each_needed_reference(expr->right, each, arg);
}

static bool any_value(const struct value *value)
{
	size_t i;

	for (i = 0; i < value->n; i++)
		if (!isnan(value->v[i]))
			return true;
	return false;
}

/* Whether a quantile or max() is asked of a trace whose histogram still contains ignored tasks. */
static bool asks_blurred(const struct expr *call, const struct expr_context *context)
{
	const struct trace_result *result;

	if (call->kind != EXPR_CALL || call->left->kind != EXPR_TRACE ||
		call->function == FUNCTION_COUNT || call->function == FUNCTION_TOTAL)
		return false;
	result = eval_find_trace(call->left, context);
	return result && trace_is_blurred(result);
}

static bool why_reference_missing(const struct expr *expr, const struct expr_context *context,
	enum mode mode, struct str *out)
{
	const struct expr_leaf *leaf = expr->leaf;
	struct value value;
	bool missing;

	if (leaf->reference < 0) {
		str_addf(
			out, "%s%s%s was not read", leaf->source, *leaf->key ? ":" : "", leaf->key);
		return true;
	}
	value = eval_reference(expr, context, mode);
	missing = !any_value(&value) && !sweep_none(context->sweep, leaf->reference);
	value_free(&value);
	if (!missing)
		return false;
	if (mode != MODE_VALUE && !sweep_never_seen(context->sweep, leaf->reference) &&
		sweep_stands(context->sweep, context->from, context->to))
		str_addf(out,
			"no rate: neither the uptime nor the CPU time of this machine moved in "
			"%.3g s",
			sampled_seconds(context));
	else
		sweep_why_missing(context->sweep, leaf->reference, out);
	return true;
}

static bool may_be_absent(const struct expr_leaf *leaf, const struct expr_context *context)
{
	return context->sweep && leaf->reference >= 0 &&
		sweep_not_here(context->sweep, leaf->reference);
}

static bool why_missing(const struct expr *expr, const struct expr_context *context, enum mode mode,
	struct str *out)
{
	if (!expr)
		return false;
	if (asks_blurred(expr, context)) {
		str_add(out, "how long those took who are ignored was not counted apart");
		return true;
	}
	if (expr->kind == EXPR_CALL && expr->function == FUNCTION_OR0 &&
		may_be_absent(first_leaf(expr), context))
		return false;
	if (expr->kind == EXPR_CALL && expr->function <= FUNCTION_SLOPE)
		mode = expr->function == FUNCTION_SLOPE ? MODE_CHANGE : MODE_DELTA;
	if (expr->kind == EXPR_REFERENCE)
		return why_reference_missing(expr, context, mode, out);
	if (expr->kind == EXPR_TRACE && !eval_find_trace(expr, context)) {
		const struct trace_result *result = context->traces
			? traces_find(context->traces, context->check, expr->trace)
			: NULL;

		str_add(out, result ? trace_missing(result) : "not traced");
		return true;
	}
	return why_missing(expr->left, context, mode, out) ||
		why_missing(expr->right, context, mode, out);
}

/* What is named first of those that may be absent. */
static const struct expr_leaf *first_optional(const struct expr *expr)
{
	const struct expr_leaf *leaf;

	if (!expr)
		return NULL;
	if (expr->kind == EXPR_CALL && expr->function == FUNCTION_OR0)
		return first_leaf(expr);
	leaf = first_optional(expr->left);
	return leaf ? leaf : first_optional(expr->right);
}

/* Where everything is absent that may be, the sum of it has no value, and that has a reason. */
static bool why_all_absent(
	const struct expr *expr, const struct expr_context *context, struct str *out)
{
	const struct expr_leaf *leaf = first_optional(expr);
	struct value value;
	bool absent = false;
	size_t i;

	if (!leaf || !may_be_absent(leaf, context))
		return false;
	value = expr_eval(expr, context);
	for (i = 0; i < value.n; i++)
		absent |= is_absent_zero(value.v[i]);
	absent &= !any_value(&value);
	value_free(&value);
	if (absent)
		sweep_why_missing(context->sweep, leaf->reference, out);
	return absent;
}

bool expr_why_missing(const struct expr *expr, const struct expr_context *context, struct str *out)
{
	return why_missing(expr, context, MODE_VALUE, out) || why_all_absent(expr, context, out);
}
