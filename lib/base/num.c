/* SPDX-License-Identifier: GPL-2.0-only */
/* Which number does this text say, if it says one at all? */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "base/num.h"

static bool add_digit(uint64_t *value, unsigned int base, unsigned int digit)
{
	return !__builtin_mul_overflow(*value, (uint64_t)base, value) &&
		!__builtin_add_overflow(*value, (uint64_t)digit, value);
}

static int digit_of(char c, unsigned int base)
{
	int digit = -1;

	if (c >= '0' && c <= '9')
		digit = c - '0';
	else if (c >= 'a' && c <= 'f')
		digit = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		digit = c - 'A' + 10;
	return digit < (int)base ? digit : -1;
}

static int next_in_base(const char **at, const char *end, unsigned int base, uint64_t *out)
{
	const char *p = *at;
	uint64_t value = 0;
	int digit;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || digit_of(*p, base) < 0)
		return -EINVAL;
	for (; p < end && (digit = digit_of(*p, base)) >= 0; p++)
		if (!add_digit(&value, base, (unsigned int)digit))
			return -ERANGE;
	*at = p;
	*out = value;
	return 0;
}

int num_next(const char **at, const char *end, uint64_t *out)
{
	return next_in_base(at, end, 10, out);
}

int num_next_hex(const char **at, const char *end, uint64_t *out)
{
	return next_in_base(at, end, 16, out);
}

int num_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *at = text, *end = text + strlen(text);
	uint64_t value;
	int err;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	err = num_next(&at, end, &value);
	if (err)
		return err;
	if (at != end)
		return -EINVAL;
	if (value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

static const struct {
	const char *name;
	double factor;
} units[] = {
	{"ns", 1e-9},
	{"us", 1e-6},
	{"ms", 1e-3},
	{"s", 1},
	{"min", 60},
	{"h", 3600},
	{"d", 86400},
	{"%", 0.01},
	{"k", 1024.0},
	{"M", 1048576.0},
	{"G", 1073741824.0},
	{"T", 1099511627776.0},
	{"KiB", 1024.0},
	{"MiB", 1048576.0},
	{"GiB", 1073741824.0},
	{"TiB", 1099511627776.0},
};

/* The digits as text for strtod, which alone rounds right; it must not see hex, inf or nan. */
static size_t decimal_length(const char *text)
{
	size_t whole = strspn(text, "0123456789"), n = whole, fraction = 0;

	if (text[n] == '.') {
		fraction = strspn(text + n + 1, "0123456789");
		if (fraction)
			n += 1 + fraction;
	}
	if (!whole)
		return 0;
	if (text[n] == 'e' || text[n] == 'E') {
		size_t sign = text[n + 1] == '-' || text[n + 1] == '+';
		size_t exponent = strspn(text + n + 1 + sign, "0123456789");

		if (exponent)
			n += 1 + sign + exponent;
	}
	return n;
}

int num_with_unit(const char *text, double *out)
{
	char digits[64];
	size_t n = decimal_length(text), len = 0, i;
	double value;

	if (!n || n >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, n);
	digits[n] = 0;
	value = strtod(digits, NULL);
	if (text[n] == '%')
		len = 1;
	else
		while (isalnum((unsigned char)text[n + len]) || text[n + len] == '_')
			len++;
	if (len) {
		for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (strlen(units[i].name) == len && !memcmp(units[i].name, text + n, len))
				break;
		if (i == sizeof(units) / sizeof(units[0]))
			return -EINVAL;
		value *= units[i].factor;
	}
	if (!isfinite(value))
		return -EINVAL;
	*out = value;
	return (int)(n + len);
}
