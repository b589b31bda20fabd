/* SPDX-License-Identifier: GPL-2.0-only */
/* Which number in the sweep is meant by a name? */
#include "base/banned.h"

#include "expr/bind.h"
#include "expr/condition.h"
#include "expr/eval.h"
#include "expr/parse.h"
#include "sample/groups.h"
#include "sample/sweep.h"

void expr_leaf_bind(void *sweep, struct expr_leaf *leaf)
{
	int reference = sweep_reference(sweep, leaf->source, leaf->key);

	leaf->reference = reference < 0 ? -1 : reference;
	if (leaf->group && leaf->reference >= 0)
		sweep_want_group(sweep, leaf->reference, leaf->group);
}

void expr_bind(const struct expr *expr, struct sweep *sweep)
{
	expr_each_leaf(expr, expr_leaf_bind, sweep);
}

void condition_bind(const struct condition *condition, struct sweep *sweep)
{
	condition_each_leaf(condition, expr_leaf_bind, sweep);
}
