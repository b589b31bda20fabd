/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions of check files: references, functions, arithmetic, literals with units.
 *
 * A value is a sum of products of numbers with units, references, names, function(value), (value)
 * and -value.
 *
 * A reference is source:field, source:instance.field, source:+.field or source:"an instance".field;
 * or a path: /path/with/+/stars, /path[2], /path[name], /path[=word], /path[?],
 * /path[age].
 *
 * The names are window (seconds), cpus and page (bytes). The functions are delta rate slope
 * since_boot, max min sum, or0, p50 p90 p99 count total; count also takes a comparison, and max,
 * min, sum and count of instances may be by groups of them: sum(value by node).
 *
 * A comparison is value OP value, OP being one of < <= > >= == !=. A condition is comparisons,
 * joined by and, or, not and parentheses; not binds closer than and, and and closer than or. In an
 * expression it is 1 where it holds and 0 where it does not.
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
#ifndef TUESDAY_EXPR_PARSE_H
#define TUESDAY_EXPR_PARSE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct expr;
struct str;

/* Where an expression stands, and what names in it can mean. The functions say in error what is
 * wrong with a name. */
struct expr_scope {
	struct arena *arena; /* what is parsed lies there, and lives as long */
	/* Whether there is a source of this name; a path is one too. NULL: any name may be one. */
	bool (*has_source)(const char *name, struct str *error);
	/* NAME or NAME.FIELD of a section of the same file. NULL: no traces. */
	bool (*has_trace)(void *arg, const char *name, struct str *error);
	void *arg;
	/* Whether the instances of a source are in groups of this kind, as in sum(x by node). NULL:
	 * any may be. */
	bool (*has_group)(const char *source, const char *group, struct str *error);
};

/*
 * A reference as it is written: source:key, or a path as source with an empty key. It is a name
 * only, until expr_bind gives it a number in a sweep.
 */
struct expr_leaf {
	int reference; /* -1: not bound, and without a value therefore */
	const char *source, *key;
	const char *group; /* the kind of group that its instances are summed by, or NULL */
};

/*
 * Parses text; nothing is looked up but what scope is asked. Returns NULL and a message in error
 * ("unknown source 'vmsat'; did you mean 'vmstat'?") where it is wrong; *column is then the offset
 * in text.
 */
struct expr *expr_parse(
	const char *text, const struct expr_scope *scope, struct str *error, size_t *column);

/* Whether it is a comparison, or made of them with and, or and not: 1 or 0, if anything. */
bool expr_is_truth(const struct expr *expr);

enum op { OP_LT, OP_LE, OP_GT, OP_GE, OP_EQ, OP_NE };

/* Whether a OP b; false where either has no value. */
bool op_holds(enum op op, double a, double b);
/* Reads an operator at the start of text (blanks skipped). Returns the characters taken, or 0. */
size_t op_parse(const char *text, enum op *op);
const char *op_text(enum op op);

/* A condition: "A >= 10 and not (B < 5 or C > 1)". */
struct condition;
struct condition *condition_parse(
	const char *text, const struct expr_scope *scope, struct str *error, size_t *column);

#endif
