/* SPDX-License-Identifier: GPL-2.0-only */
/* A course of values in one line of text. */
#ifndef TUESDAY_BASE_SPARKLINE_H
#define TUESDAY_BASE_SPARKLINE_H

#include <stdbool.h>
#include <stddef.h>

struct str;

/* One character for each value, eight levels from the least to the largest of them; a blank for
 * NAN. Without utf8 the levels are _ . : - = + * and #. */
void spark_add(struct str *out, const double *values, size_t n, bool utf8);

/* The same from 0 up, where the largest is said beside it: so many eighths of it as are nearest,
 * and the lowest level for less. */
void spark_add_eighths(struct str *out, const double *values, size_t n, double largest, bool utf8);

/* Whether the locale that the environment names has UTF-8. */
bool spark_utf8(void);

#endif
