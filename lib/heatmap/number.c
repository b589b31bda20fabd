/* SPDX-License-Identifier: GPL-2.0-only */
/* How many nanoseconds is "12.5"? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "heatmap/number.h"

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

uint64_t heatmap_unit_ns(const char *unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

static uint64_t number_own_unit(const char **at, uint64_t unit_ns)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		const size_t len = strlen(units[i].name);

		if (!strncmp(*at, units[i].name, len)) {
			*at += len;
			return units[i].ns;
		}
	}
	return unit_ns;
}

int heatmap_number(const char **at, uint64_t unit_ns, uint64_t *ns)
{
	uint64_t whole = 0, part = 0, part_of = 1;
	const char *from = *at + strspn(*at, " \t"), *text = from;

	for (; *text >= '0' && *text <= '9'; text++) {
		if (whole > UINT64_MAX / 40)
			return -ERANGE;
		whole = whole * 10 + (uint64_t)(*text - '0');
	}
	if (text == from)
		return -EINVAL;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++)
			if (part_of < 1000000000) {
				part = part * 10 + (uint64_t)(*text - '0');
				part_of *= 10;
			}
	unit_ns = number_own_unit(&text, unit_ns);
	if (whole > UINT64_MAX / 4 / unit_ns - 1)
		return -ERANGE;
	*ns = whole * unit_ns + part * unit_ns / part_of;
	*at = text;
	return 0;
}
