/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a condition holds. */
#ifndef TUESDAY_EXPR_CONDITION_H
#define TUESDAY_EXPR_CONDITION_H

#include <stdbool.h>

struct condition;
struct expr_leaf;
struct expr_context;
struct str;

/*
 * 1 holds, 0 does not, -1 cannot say because something has no value. For one instance by name; with
 * NULL or "" a comparison over instances holds if it holds for all that have a value.
 */
int condition_holds(const struct condition *condition, const struct expr_context *context,
	const char *instance);
/* The same in two steps, for many instances: both sides are evaluated only once. context is not
 * kept; the condition is, and must be there as long. The caller frees; NULL may be freed. */
struct condition_values;
struct condition_values *condition_eval(
	const struct condition *condition, const struct expr_context *context);
int condition_values_hold(const struct condition_values *values, const char *instance);
void condition_values_free(struct condition_values *values);
/* As expr_why_missing, for either side of any comparison. */
bool condition_why_missing(
	const struct condition *condition, const struct expr_context *context, struct str *out);
/* As expr_each_leaf and the like; condition may be NULL. */
void condition_each_leaf(const struct condition *condition,
	void (*each)(void *arg, struct expr_leaf *leaf), void *arg);
void condition_each_reference(
	const struct condition *condition, void (*each)(void *arg, int reference), void *arg);
void condition_each_needed_reference(
	const struct condition *condition, void (*each)(void *arg, int reference), void *arg);
const char *condition_trace(const struct condition *condition);

#endif
