/* SPDX-License-Identifier: GPL-2.0-only */
/* What is a unit called, and how is a number of it said? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "base/unit.h"

const char *unit_text(enum unit unit)
{
	static const char *const texts[] = {
		"ratio", "seconds", "bytes", "count", "per_second", "bytes_per_second"};

	return texts[unit];
}

/* A step of a unit: used for values below "below", which is counted in this step. */
struct unit_step {
	double size;
	double below;
	const char *text;
};

#define NEXT 999.5 /* from here on three digits would not do */
#define IN_FULL 99999.5

static const struct unit_step ratio_steps[] = {{0.01, INFINITY, " %"}};
static const struct unit_step second_steps[] = {
	{1e-9, NEXT, " ns"},
	{1e-6, NEXT, " us"},
	{1e-3, NEXT, " ms"},
	{1, 120, " s"},
	{60, 120, " min"},
	{3600, 48, " h"},
	{86400, INFINITY, " days"},
};
static const struct unit_step count_steps[] = {
	{1, IN_FULL, ""},
	{1e3, NEXT, " k"},
	{1e6, NEXT, " M"},
	{1e9, NEXT, " G"},
	{1e12, NEXT, " T"},
	{1e15, INFINITY, " P"},
};
static const struct unit_step rate_steps[] = {
	{1, IN_FULL, "/s"},
	{1e3, NEXT, "k/s"},
	{1e6, NEXT, "M/s"},
	{1e9, INFINITY, "G/s"},
};
static const struct unit_step byte_steps[] = {
	{1, NEXT, " B"},
	{0x1p10, NEXT, " KiB"},
	{0x1p20, NEXT, " MiB"},
	{0x1p30, NEXT, " GiB"},
	{0x1p40, NEXT, " TiB"},
	{0x1p50, INFINITY, " PiB"},
};
static const struct unit_step byte_rate_steps[] = {
	{1, NEXT, " B/s"},
	{0x1p10, NEXT, " KiB/s"},
	{0x1p20, NEXT, " MiB/s"},
	{0x1p30, INFINITY, " GiB/s"},
};
static const struct unit_step *const steps[] = {
	[UNIT_RATIO] = ratio_steps,
	[UNIT_SECONDS] = second_steps,
	[UNIT_BYTES] = byte_steps,
	[UNIT_COUNT] = count_steps,
	[UNIT_PER_SECOND] = rate_steps,
	[UNIT_BYTES_PER_SECOND] = byte_rate_steps,
};

/* A number that is not negative, with as many decimals as make three digits, zeros at the end gone.
 */
static void unit_add_number(struct str *out, double number)
{
	char text[64];
	size_t len;

	if (number > 0 && number < 0.0005) {
		str_add(out, "<0.001");
		return;
	}
	if (number >= IN_FULL) {
		str_addf(out, "%.3g", number);
		return;
	}
	snprintf(text, sizeof(text), "%.*f",
		number >= 99.95		   ? 0
			: number >= 9.995  ? 1
			: number >= 0.9995 ? 2
					   : 3,
		number);
	len = strlen(text);
	if (strchr(text, '.')) {
		while (text[len - 1] == '0')
			len--;
		len -= text[len - 1] == '.';
	}
	str_addn(out, text, len);
}

void value_for_people(struct str *out, double value, enum unit unit)
{
	const struct unit_step *step = steps[unit];
	double size = fabs(value), pick = size > 0 ? size : 1; /* 0 is "0 s", not "0 ns" */

	if (!isfinite(value)) {
		str_add(out, "no value");
		return;
	}
	while (pick / step->size >= step->below)
		step++;
	if (value < 0)
		str_addc(out, '-');
	unit_add_number(out, size / step->size);
	str_add(out, step->text);
}
