/* SPDX-License-Identifier: GPL-2.0-only */
/* A plan in words. */
#ifndef TUESDAY_EXPERIMENT_PLAN_TEXT_H
#define TUESDAY_EXPERIMENT_PLAN_TEXT_H

struct experiment_plan;
struct str;

/* "read-ahead 8192 → 1024 on sdb": what is changed, in a few words. */
void experiment_plan_headline(const struct experiment_plan *plan, struct str *out);

/* All that a person should know before saying yes, in lines. observed is what is watched. Names
 * from the machine are escaped for a terminal. */
void experiment_plan_describe(
	const struct experiment_plan *plan, const char *observed, struct str *out);

#endif
