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

/* A part of a unit is a division: 1e-6 is no double, and 100us would be less than 0.0001. */
static const struct {
	const char *name;
	double factor, divisor;
} units[] = {
	{"ns", 1, 1e9},
	{"us", 1, 1e6},
	{"ms", 1, 1e3},
	{"s", 1, 1},
	{"min", 60, 1},
	{"h", 3600, 1},
	{"d", 86400, 1},
	{"%", 1, 100},
	{"k", 1024.0, 1},
	{"M", 1048576.0, 1},
	{"G", 1073741824.0, 1},
	{"T", 1099511627776.0, 1},
	{"KiB", 1024.0, 1},
	{"MiB", 1048576.0, 1},
	{"GiB", 1073741824.0, 1},
	{"TiB", 1099511627776.0, 1},
};

static size_t num_count_digits(const char *text)
{
	size_t n = 0;

	while (text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

/* The digits as text for strtod; it must not see hex, inf or nan. */
static size_t decimal_length(const char *text)
{
	size_t whole = num_count_digits(text), n = whole, fraction = 0;

	if (text[n] == '.') {
		fraction = num_count_digits(text + n + 1);
		if (fraction)
			n += 1 + fraction;
	}
	if (!whole)
		return 0;
	if (text[n] == 'e' || text[n] == 'E') {
		size_t sign = text[n + 1] == '-' || text[n + 1] == '+';
		size_t exponent = num_count_digits(text + n + 1 + sign);

		if (exponent)
			n += 1 + sign + exponent;
	}
	return n;
}

/*
 * Up to 15 digits and the power of ten that divides them are doubles without an error, and one
 * division rounds as strtod does (Clinger, "How to read floating point numbers accurately", 1990).
 * False for what only strtod rounds right.
 */
static bool decimal_is_short(const char *text, size_t n, double *out)
{
	static const double tens[] = {
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
	size_t point = n, i;
	uint64_t digits = 0;

	if (n > 15)
		return false;
	for (i = 0; i < n; i++) {
		if (text[i] == '.')
			point = i + 1;
		else if (text[i] >= '0' && text[i] <= '9')
			digits = digits * 10 + (uint64_t)(text[i] - '0');
		else
			return false;
	}
	*out = (double)digits / tens[n - point];
	return true;
}

int num_with_unit(const char *text, double *out)
{
	char digits[64];
	size_t n = decimal_length(text), len = 0, i;
	double value;

	if (!n || n >= sizeof(digits))
		return -EINVAL;
	if (!decimal_is_short(text, n, &value)) {
		memcpy(digits, text, n);
		digits[n] = 0;
		value = strtod(digits, NULL);
	}
	if (text[n] == '%')
		len = 1;
	else
		while (isalnum((unsigned char)text[n + len]) || text[n + len] == '_')
			len++;
	if (len) {
		for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (*units[i].name == text[n] && !strncmp(units[i].name, text + n, len) &&
				!units[i].name[len])
				break;
		if (i == sizeof(units) / sizeof(units[0]))
			return -EINVAL;
		value = value * units[i].factor / units[i].divisor;
	}
	if (!isfinite(value))
		return -EINVAL;
	*out = value;
	return (int)(n + len);
}
