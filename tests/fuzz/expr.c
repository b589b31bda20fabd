/* SPDX-License-Identifier: GPL-2.0-only */
/* Does any text make the expression parser or the evaluation misbehave? */
#include "base/banned.h"

#include <stdint.h>

#include "base/arena.h"
#include "expr/bind.h"
#include "expr/parse.h"
#include "sample/source.h"
#include "sample/sweep.h"
#include "base/str.h"
#include "expr/eval.h"
#include "expr/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool any_trace(void *arg, const char *name, struct str *error)
{
	(void)arg;
	(void)name;
	(void)error;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sweep *sweep = sweep_new();
	struct arena arena = {0};
	const struct expr_scope scope = {
		.arena = &arena, .has_source = source_is_known, .has_trace = any_trace};
	struct expr_context context = {.check = "x", .sweep = sweep, .cpus = 2};
	struct str error = STR_INIT;
	char *text = mem_strndup((const char *)data, size);
	size_t column;
	struct expr *expr = expr_parse(text, &scope, &error, &column);
	struct condition *condition;

	if (!expr == !error.len)
		abort(); /* every refusal says why, and nothing that is accepted complains */
	if (column > strlen(text))
		abort();
	if (expr) {
		struct value value;

		expr_bind(expr, sweep);
		value = expr_eval(expr, &context);
		value_free(&value);
		expr_why_missing(expr, &context, &error);
	}
	str_clear(&error);
	condition = condition_parse(text, &scope, &error, &column);
	if (!condition == !error.len)
		abort();
	if (condition) {
		condition_bind(condition, sweep);
		condition_holds(condition, &context, "eth0");
	}
	arena_free(&arena);
	str_free(&error);
	free(text);
	sweep_free(sweep);
	return 0;
}
