/* SPDX-License-Identifier: GPL-2.0-only */
/* Are numbers read right, and is everything else refused? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "base/str.h"
#include "tests/unit/tap.h"

static void test_whole_numbers(void)
{
	uint64_t n = 7;

	ok(num_u64("0", 0, 10, &n) == 0 && n == 0, "0 is a number");
	ok(num_u64("18446744073709551615", 0, UINT64_MAX, &n) == 0 && n == UINT64_MAX,
		"the largest 64-bit number is read");
	ok(num_u64("18446744073709551616", 0, UINT64_MAX, &n) == -ERANGE,
		"one more than the largest is out of range");
	ok(num_u64("11", 0, 10, &n) == -ERANGE, "what is above the maximum is out of range");
	ok(num_u64("1", 2, 10, &n) == -ERANGE, "what is below the minimum is out of range");
	ok(num_u64("", 0, 10, &n) == -EINVAL, "the empty text is no number");
	ok(num_u64("abc", 0, 10, &n) == -EINVAL, "letters are no number");
	ok(num_u64("5x", 0, 10, &n) == -EINVAL, "a number with something behind it is none");
	ok(num_u64("-1", 0, 10, &n) == -EINVAL && num_u64("+1", 0, 10, &n) == -EINVAL &&
			num_u64(" 1", 0, 10, &n) == -EINVAL,
		"signs and blanks are refused");
}

static void test_units(void)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"10ms", 0.01}, {"5%", 0.05}, {"64k", 65536}, {"1us", 1e-6}, {"2.5s", 2.5},
		{"3min", 180}, {"1h", 3600}, {"1d", 86400}, {"1G", 1073741824.0}, {"7", 7},
		{"1e3", 1000}, {"2MiB", 2097152}, {"100ns", 1e-7}};
	static const char *const wrong[] = {
		"", "ms", "5x", "5msx", "0x10", "inf", "nan", ".5", "-5", "1e999"};
	double value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		ok(num_with_unit(good[i].text, &value) == (int)strlen(good[i].text) &&
				fabs(value - good[i].value) <= 1e-12 * good[i].value,
			"%s is %g", good[i].text, good[i].value);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		ok(num_with_unit(wrong[i], &value) < 0, "'%s' is refused", wrong[i]);
	ok(num_with_unit("5 ms", &value) == 1 && value == 5, "a unit must follow without a blank");
	ok(num_with_unit("100us", &value) == 5 && !(value < 0.0001) && !(value > 0.0001),
		"100us is the 0.0001 of C");
}

/* Up to the longest that is read without strtod, and one beyond it. */
static void test_decimals(void)
{
	uint64_t state = 1, digits;
	unsigned int wrong = 0, i;
	char text[40];
	double value;

	for (i = 0; i < 20000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		digits = (state >> 11) % 1000000000000000u;
		snprintf(text, sizeof(text), "%0*" PRIu64, (int)(i % 16) + 1, digits);
		text[i % 16 + 1] = 0;
		if (i % 5 && strlen(text) > 2)
			text[1 + (state >> 5) % (strlen(text) - 2)] = '.';
		wrong += num_with_unit(text, &value) != (int)strlen(text) ||
			value != strtod(text, NULL);
	}
	ok(!wrong, "decimals are rounded as strtod rounds them");
}

static void test_next(void)
{
	const char *text = "  12 abc ff", *at = text, *end = text + strlen(text);
	uint64_t n;

	ok(num_next(&at, end, &n) == 0 && n == 12, "the next number is found behind blanks");
	ok(num_next(&at, end, &n) == -EINVAL && at == text + 4,
		"where none stands the place is kept");
	at = text + 9;
	ok(num_next_hex(&at, end, &n) == 0 && n == 255, "hexadecimal is read");
	at = end;
	ok(num_next(&at, end, &n) == -EINVAL, "nothing is read beyond the end");
	at = text + 2;
	ok(num_next(&at, text + 3, &n) == 0 && n == 1, "a number is cut at the end of the bytes");
}

static void test_matching(void)
{
	ok(str_matches("loop3", "ram* loop*"), "a name matches one of several patterns");
	ok(!str_matches("sda", "ram* loop*"), "a name that matches none does not");
	ok(!str_matches("sda", "") && !str_matches("sda", NULL), "no patterns match nothing");
	ok(str_matches("/a/b", "/a*"), "a star crosses slashes, as cgroups need it");
}

int main(void)
{
	test_whole_numbers();
	test_units();
	test_decimals();
	test_next();
	test_matching();
	return tap_done();
}
