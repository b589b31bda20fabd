/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that cannot be, so that they say nothing of the machine. */
#ifndef TUESDAY_JUDGE_CONTRADICTION_H
#define TUESDAY_JUDGE_CONTRADICTION_H

#include <stdbool.h>

struct expr_context;
struct metric;

/*
 * Whether a metric's value can be: counts, shares and times are not below zero unless the metric
 * says so (`signed`), and it may say how much there can be at most (`at_most`). NAN can be.
 */
bool metric_can_be(const struct metric *metric, double value);

/*
 * Why the value of an instance ("" for none) cannot be, with the two numbers that it was made of:
 * "open_ratio is 585 % (5850 of 1000): more than 100 % cannot be". The caller frees.
 */
char *metric_why_not(const struct metric *metric, const char *instance, double value,
	const struct expr_context *context);

#endif
