/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions of check files: references, functions, arithmetic, literals with units.
 *
 * A value is a sum of products of numbers with units, references, names, function(value), (value)
 * and -value.
 *
 * A reference is source:field, source:instance.field, source:+.field or source:"an instance".field;
 * or a path: /path/with/+/stars, /path[2], /path[name], /path[=word].
 *
 * The names are window (seconds), cpus and page (bytes). The functions are delta rate slope
 * since_boot, max min sum, p50 p90 p99 count total.
 *
 * A condition is value OP value [and value OP value …], OP being one of < <= > >= == !=.
 *
 * (+ stands for a star in this comment.) delta and rate are for counters: one that went back has no
 * value. slope is the change of a gauge per second, and may be negative. What has no value stays
 * without one: an operation on no value has no value, a division by zero has none, a counter that
 * went back has none. It is NAN inside, and never 0. max, min and sum leave out the instances that
 * have none.
 *
 * Where a value is expected, a word up to ':' is a source, slashes included, and a word that starts
 * with '/' is a path; so a division needs a blank before or after '/' only next to those.
 */
#ifndef TUESDAY_EXPR_H
#define TUESDAY_EXPR_H

#include <stdbool.h>
#include <stddef.h>

struct sweep;
struct instances;
struct traces;
struct expr;
struct str;

/* A number, or one per instance. */
struct value {
	const struct instances *instances; /* NULL: one number, n is 1 */
	size_t n;
	double *v;     /* NAN: no value; owned */
	int reference; /* a reference that the instances came from, for class and culprit; -1: none
			*/
};

void value_free(struct value *value);

/* value's number for an instance of that name; the one number of a value without instances. */
double value_of(const struct value *value, const char *instance);

/* What names in an expression can mean. Traces are known by their section name in the same file. */
struct expr_scope {
	struct sweep *sweep;
	/* NAME or NAME.FIELD. What is wrong with it is added to error. NULL: no traces. */
	bool (*has_trace)(void *arg, const char *name, struct str *error);
	void *arg;
};

/*
 * Parses text. Returns NULL and a message in error ("unknown source 'vmsat'; did you mean
 * 'vmstat'?") where it is wrong; *column is then the offset in text. The caller frees.
 */
struct expr *expr_parse(
	const char *text, const struct expr_scope *scope, struct str *error, size_t *column);
void expr_free(struct expr *expr);

/* Whether the expression needs a trace; its name (the first, if several), or NULL. */
const char *expr_trace(const struct expr *expr);
/* Whether it has any reference to a source, so that it is not a constant. */
bool expr_is_constant(const struct expr *expr);

/* Whether it is made of what counters grew by, delta() and rate(), and of nothing that is only true
 * of one moment: so that it can be said of any time between two samples. */
bool expr_is_growth(const struct expr *expr);

/* Calls each with every reference's number in the sweep. */
void expr_each_reference(
	const struct expr *expr, void (*each)(void *arg, int reference), void *arg);

/* Where an expression is evaluated: over the samples from..to (from may be SWEEP_EARLIER), with
 * traces or NULL. */
struct expr_context {
	const char *check; /* whose traces are meant by trace:NAME */
	const struct sweep *sweep;
	size_t from;
	size_t to;
	double cpus;
	const struct traces *traces; /* NULL: trace references have no value */
	double window_seconds;	     /* what window means for a traced metric; 0: the samples' */
	double growth_scale;	     /* what delta() is multiplied with; 0: with nothing */
};

/* Evaluates. The caller frees with value_free. */
struct value expr_eval(const struct expr *expr, const struct expr_context *context);

/*
 * Whether a reference or trace that the expression needs has no value at all in this interval, so
 * that "no value" does not just mean a division by zero. Appends why to out.
 */
bool expr_why_missing(const struct expr *expr, const struct expr_context *context, struct str *out);

enum op { OP_LT, OP_LE, OP_GT, OP_GE, OP_EQ, OP_NE };

/* Whether a OP b; false where either has no value. */
bool op_holds(enum op op, double a, double b);
/* Reads an operator at the start of text (blanks skipped). Returns the characters taken, or 0. */
size_t op_parse(const char *text, enum op *op);
const char *op_text(enum op op);

/* A condition: "A >= 10 and B < 5". */
struct condition;
struct condition *condition_parse(
	const char *text, const struct expr_scope *scope, struct str *error, size_t *column);
void condition_free(struct condition *condition);
/*
 * 1 holds, 0 does not, -1 cannot say because something has no value. For one instance by name; with
 * NULL or "" a comparison over instances holds if it holds for all that have a value.
 */
int condition_holds(const struct condition *condition, const struct expr_context *context,
	const char *instance);
/* The same in two steps, for many instances: both sides are evaluated only once. context is not
 * kept. The caller frees; NULL may be freed. */
struct condition_values;
struct condition_values *condition_eval(
	const struct condition *condition, const struct expr_context *context);
int condition_values_hold(const struct condition_values *values, const char *instance);
void condition_values_free(struct condition_values *values);
/* As expr_why_missing, for either side of any comparison. */
bool condition_why_missing(
	const struct condition *condition, const struct expr_context *context, struct str *out);
/* As expr_each_reference; condition may be NULL. */
void condition_each_reference(
	const struct condition *condition, void (*each)(void *arg, int reference), void *arg);
const char *condition_trace(const struct condition *condition);

#endif
