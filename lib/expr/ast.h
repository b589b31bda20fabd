/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of an expression, between parse.c that builds it and eval.c that evaluates it. */
#ifndef TUESDAY_EXPR_AST_H
#define TUESDAY_EXPR_AST_H

#include "expr/parse.h"

enum expr_kind {
	EXPR_NUMBER,
	EXPR_REFERENCE,
	EXPR_TRACE, /* only as the argument of a call */
	EXPR_WINDOW,
	EXPR_CPUS,
	EXPR_PAGE,
	EXPR_CALL,
	EXPR_BINARY,
	EXPR_NEGATE,
	EXPR_COMPARE, /* this and what follows is a truth: 1, 0, or NAN where nobody can say */
	EXPR_AND,
	EXPR_OR,
	EXPR_NOT
};

/* Up to SINCE_BOOT they take references; from P50 on they take a trace; MAX takes both,
 * and COUNT a trace or a truth. */
enum expr_function {
	FUNCTION_DELTA,
	FUNCTION_RATE,
	FUNCTION_SLOPE,
	FUNCTION_SINCE_BOOT,
	FUNCTION_MAX,
	FUNCTION_MIN,
	FUNCTION_SUM,
	FUNCTION_OR0,
	FUNCTION_P50,
	FUNCTION_P90,
	FUNCTION_P99,
	FUNCTION_COUNT,
	FUNCTION_TOTAL
};

struct expr {
	enum expr_kind kind;
	enum expr_function function;
	enum op comparison; /* of a COMPARE */
	char op;	    /* of a BINARY: + - * / */
	double number;
	struct expr_leaf *leaf; /* of a reference */
	const char *trace;
	const char
		*group; /* of a call of max, min, sum or count: "node" of sum(x by node); or NULL */
	struct expr *left, *right;
};

struct condition {
	struct expr *root; /* a truth */
};

#endif
