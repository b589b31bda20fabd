/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a course of values look like? */
#include "base/banned.h"

#include <math.h>

#include "base/sparkline.h"
#include "base/str.h"

static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
#define LEVELS ARRAY_SIZE(blocks)

void spark_add(struct str *out, const double *values, size_t n, bool utf8)
{
	double least = NAN, largest = NAN;
	size_t i;

	for (i = 0; i < n; i++) {
		least = fmin(least, values[i]);
		largest = fmax(largest, values[i]);
	}
	for (i = 0; i < n; i++) {
		size_t level = 0;

		if (isnan(values[i])) {
			str_addc(out, ' ');
			continue;
		}
		if (largest > least)
			level = (size_t)((values[i] - least) / (largest - least) * LEVELS);
		if (level >= LEVELS)
			level = LEVELS - 1;
		str_add(out, utf8 ? blocks[level] : ascii[level]);
	}
}

void spark_add_eighths(struct str *out, const double *values, size_t n, double largest, bool utf8)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const double eighths =
			values[i] > 0 && largest > 0 ? fmin(values[i] / largest, 1) * LEVELS : 0;
		const size_t height = (size_t)lround(eighths);

		str_add(out, (utf8 ? blocks : ascii)[height ? height - 1 : 0]);
	}
}

bool spark_utf8(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}
