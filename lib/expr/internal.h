/* SPDX-License-Identifier: GPL-2.0-only */
/* What the evaluation of expressions and that of conditions have in common. */
#ifndef TUESDAY_EXPR_INTERNAL_H
#define TUESDAY_EXPR_INTERNAL_H

#include "expr/ast.h"

/* A number as a comparison sees it: what or0() says is absent is 0, any other NAN stays. */
double number_or_zero(double number);

/* a and b, a or b, not b: 1 or 0, -1 for what nobody can say. What is known settles it where it
 * can: 0 and anything is 0, 1 or anything is 1. */
int truth_join(enum expr_kind kind, int a, int b);

#endif
