/* SPDX-License-Identifier: GPL-2.0-only */
/* [metric NAME] sections. */
#ifndef TUESDAY_CHECK_COMPILE_METRIC_H
#define TUESDAY_CHECK_COMPILE_METRIC_H

struct compile;
struct metric;
struct section;

/* Compiles one [metric NAME] and adds it to the check, whether it is right or not. */
void compile_metric(struct compile *compile, const struct section *section);

/* Takes the keys of a [limit] of defaults, which are those about the trend, into metric->trend. */
void compile_trend(struct compile *compile, const struct section *section, struct metric *metric);

#endif
