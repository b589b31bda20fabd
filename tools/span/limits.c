/* SPDX-License-Identifier: GPL-2.0-only */
/* From where on is something said of spans, or nothing more? */
#include "base/banned.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/ini_numbers.h"
#include "base/str.h"
#include "check/check.h"
#include "check/layers.h"
#include "expr/eval.h"
#include "run/options.h"
#include "tools/span/limits.h"

extern const char span_limits_ini[], span_limits_ini_end[];

#define KEY(section, key) INI_NUMBER(struct span_limits, section, key)

static const struct ini_number limits_keys[] = {
	KEY(told, share),
	KEY(told, jobs),
	KEY(told, checks),
};

void span_limits_default(struct span_limits *limits)
{
	struct complaints none = {0};

	*limits = (struct span_limits){0};
	ini_numbers_read(limits, limits_keys, ARRAY_SIZE(limits_keys), "limits.ini",
		span_limits_ini, (size_t)(span_limits_ini_end - span_limits_ini), &none);
}

static double limits_number(const struct limit *limit)
{
	const struct expr_context context = {.cpus = NAN};
	struct value value;
	double number;

	if (!limit->set || !expr_is_constant(limit->expr))
		return (double)INFINITY;
	value = expr_eval(limit->expr, &context);
	number = value_of(&value, NULL);
	value_free(&value);
	return isnan(number) ? (double)INFINITY : number;
}

double span_limit_wrong(const struct options *options)
{
	static const char *const name = "span";
	struct checks *checks = checks_load(&(struct check_layers){.root = "",
		.extra = options->dirs,
		.n_extra = options->n_dirs,
		.with_system = true,
		.only = &name,
		.n_only = 1});
	const struct check *check = checks_find(checks, name);
	double limit = (double)INFINITY;
	size_t i;

	for (i = 0; check && i < check->n_metrics; i++)
		if (!strcmp(check->metrics[i]->name, "wrong_ratio"))
			limit = limits_number(&check->metrics[i]->bad.plain);
	checks_free(checks);
	return limit;
}
