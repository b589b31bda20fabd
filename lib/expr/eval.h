/* SPDX-License-Identifier: GPL-2.0-only */
/* The value of an expression over an interval. */
#ifndef TUESDAY_EXPR_EVAL_H
#define TUESDAY_EXPR_EVAL_H

#include <stdbool.h>
#include <stddef.h>

struct expr;
struct expr_leaf;
struct instances;
struct str;
struct sweep;
struct traces;

/* A number, or one per instance. */
struct value {
	const struct instances *instances; /* NULL: one number, n is 1 */
	size_t n;
	double *v;     /* NAN: no value; owned */
	int reference; /* a reference that the instances came from, for class and culprit; -1: none
			*/
	bool others_absent; /* what it has no instance for is absent there, and counts 0 (or0) */
};

void value_free(struct value *value);

/* value's number for an instance of that name; the one number of a value without instances. */
double value_of(const struct value *value, const char *instance);

/* Whether the expression needs a trace; its name (the first, if several), or NULL. */
const char *expr_trace(const struct expr *expr);
/* The kind of group that its instances are ("node" of sum(x by node)), or NULL. */
const char *expr_group(const struct expr *expr);
/* Whether it has any reference to a source, so that it is not a constant. */
bool expr_is_constant(const struct expr *expr);

/* Whether it is made of what counters grew by, delta() and rate(), and of nothing that is only true
 * of one moment: so that it can be said of any time between two samples. */
bool expr_is_growth(const struct expr *expr);

/* Whether it is true of one moment only, so that its course can be followed: neither counters nor
 * traces are in it. */
bool expr_is_gauge(const struct expr *expr);

/* Whether any of it is counted since the start of something: since_boot(). */
bool expr_is_of_life(const struct expr *expr);

/* Calls each with every reference of the expression, which may be NULL, from left to right. */
void expr_each_leaf(
	const struct expr *expr, void (*each)(void *arg, struct expr_leaf *leaf), void *arg);

/* Calls each with the number in the sweep of every reference that is bound; the second leaves out
 * those in or0(), which may be absent. */
void expr_each_reference(
	const struct expr *expr, void (*each)(void *arg, int reference), void *arg);
void expr_each_needed_reference(
	const struct expr *expr, void (*each)(void *arg, int reference), void *arg);

/* Where an expression is evaluated: over the samples from..to (from may be SWEEP_EARLIER), with
 * traces or NULL. */
struct expr_context {
	const char *check;	   /* whose traces are meant by trace:NAME */
	const struct sweep *sweep; /* that the expression is bound to; NULL for a constant */
	size_t from;
	size_t to;
	double cpus;
	const struct traces *traces; /* NULL: trace references have no value */
	double window_seconds;	     /* what window means for a traced metric; 0: the samples' */
	double growth_scale;	     /* what delta() and window are multiplied with; 0: nothing */
};

/* Evaluates. The caller frees with value_free. */
struct value expr_eval(const struct expr *expr, const struct expr_context *context);

/* The two numbers of a difference or a quotient. */
struct expr_operands {
	char op; /* - or / */
	double left, right;
};

/*
 * The outermost operation op of an expression, for an instance ("" for none): for '-' one with a
 * negative result, and of 1 - a / b the quotient; it is looked for behind products and quotients.
 * Returns whether there is one whose numbers are known.
 */
bool expr_find_operands(const struct expr *expr, const struct expr_context *context,
	const char *instance, char op, struct expr_operands *out);

/*
 * Whether a reference or trace that the expression needs has no value at all in this interval, so
 * that "no value" does not just mean a division by zero. Appends why to out.
 */
bool expr_why_missing(const struct expr *expr, const struct expr_context *context, struct str *out);

#endif
