/* SPDX-License-Identifier: GPL-2.0-only */
/* Can this number be at all, and if not, which two numbers contradict each other? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "base/unit.h"
#include "check/check.h"
#include "expr/eval.h"
#include "judge/contradiction.h"

bool metric_can_be(const struct metric *metric, double value)
{
	return !(value < 0 && !metric->is_signed) &&
		!(metric->at_most > 0 && value > metric->at_most);
}

/* The operands' units are not known: they are said as bare numbers. */
static void add_operands(struct str *out, const struct expr_operands *operands)
{
	str_add(out, " (");
	value_for_people(out, operands->left, UNIT_COUNT);
	str_add(out, operands->op == '/' ? " of " : " less ");
	value_for_people(out, operands->right, UNIT_COUNT);
	str_addc(out, ')');
}

char *metric_why_not(const struct metric *metric, const char *instance, double value,
	const struct expr_context *context)
{
	bool below = value < 0;
	struct expr_operands operands;
	struct str out = STR_INIT;

	str_addf(&out, "%s is ", metric->name);
	value_for_people(&out, value, metric->unit);
	if (expr_find_operands(metric->value, context, instance, below ? '-' : '/', &operands))
		add_operands(&out, &operands);
	str_add(&out, below ? ": below " : ": more than ");
	value_for_people(&out, below ? 0 : metric->at_most, metric->unit);
	str_add(&out, " cannot be");
	return str_take(&out);
}
