/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does an expression speak of what grew, and in what time? As far as names and functions tell: for
 * who writes a check, never used for a verdict.
 */
#ifndef TUESDAY_EXPR_GROWTH_GUESS_H
#define TUESDAY_EXPR_GROWTH_GUESS_H

#include <stdbool.h>

struct expr;
struct str;

/* Whether it has a counter outside of delta(), rate(), slope() and since_boot(): then its number is
 * since some start that nobody knows. Its name is appended to name. */
bool expr_has_raw_counter(const struct expr *expr, struct str *name);

/* Whether it is a number in each second. */
enum rate_guess { RATE_NOT, RATE_IS, RATE_UNKNOWN };
enum rate_guess expr_rate(const struct expr *expr);

#endif
