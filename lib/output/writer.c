/* SPDX-License-Identifier: GPL-2.0-only */
/* Which formats are there, and which exit status does a reader of each expect? */
#include "base/banned.h"
#include "base/str.h"
#include <math.h>

#include "expr/parse.h"
#include "output/writer.h"

extern const struct writer *const __start_tuesday_writers[] __attribute__((weak));
extern const struct writer *const __stop_tuesday_writers[] __attribute__((weak));

void writer_each(void (*each)(void *arg, const struct writer *writer), void *arg)
{
	const struct writer *const *at;

	for (at = __start_tuesday_writers; at < __stop_tuesday_writers; at++)
		each(arg, *at);
}

const struct writer *writer_find(const char *name)
{
	const struct writer *const *at;

	for (at = __start_tuesday_writers; at < __stop_tuesday_writers; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}

int writer_exit_status(const char *name, enum verdict verdict)
{
	const struct writer *writer = writer_find(name);

	return writer && writer->exit_status ? writer->exit_status(verdict)
					     : verdict_exit_status(verdict);
}

const char *metric_label(const struct check_result *check, const struct metric_result *metric)
{
	bool is_other = check->check->foreign && metric->label && *metric->label;

	return is_other ? metric->label : metric->metric->name;
}

/* How far a verdict goes in the direction of bad. */
static int threshold_level(enum verdict verdict)
{
	return verdict == VERDICT_BAD ? 2 : verdict == VERDICT_MAYBE ? 1 : 0;
}

bool threshold_agrees(
	const struct check_result *check, const struct metric_result *metric, enum verdict of)
{
	bool bad = of == VERDICT_BAD;
	int said = threshold_level(metric->verdict);
	int all = threshold_level(result_counts_as(check));
	double limit = bad ? metric->bad : metric->maybe;
	enum op op;

	if (!limits_op(bad ? &metric->metric->bad : &metric->metric->maybe, &op) ||
		!isfinite(limit) || !isfinite(metric->value))
		return true;
	return !op_holds(op, metric->value, limit) ||
		(said < all ? said : all) >= threshold_level(of);
}
