/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a metric makes sense: what compile_metric.c asks of metric_rules.c. */
#ifndef TUESDAY_CHECK_METRIC_RULES_H
#define TUESDAY_CHECK_METRIC_RULES_H

#include "check/compile_util.h"

/* Complains about what is missing. */
void check_metric_parts(
	struct compile *compile, const struct section *section, const struct metric *metric);

/* Complains about what contradicts itself in a metric whose keys are right one by one. */
void check_metric_rules(
	struct compile *compile, const struct section *section, const struct metric *metric);

#endif
