/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a word have the form of its number? */
#include "base/banned.h"
#include "base/plural.h"
#include "base/str.h"
#include "tap.h"

static void test_forms(void)
{
	static const struct {
		const char *text, *one, *many;
		size_t len;
	} cases[] = {
		{"(s) here", "", "s", 3},
		{"(es)", "", "es", 4},
		{"(was|were) lost", "was", "were", 10},
		{"(y|ies)", "y", "ies", 7},
		{"(|n)", "", "n", 4},
		{"(n|)", "n", "", 4},
		{"(full)", "", "", 0},
		{"(some) (s)", "", "", 0},
		{"(was|were", "", "", 0},
		{"(a|b|c)", "", "", 0},
		{"(PTI|IBRS)", "", "", 0},
		{"(", "", "", 0},
		{"s)", "", "", 0},
		{"", "", "", 0},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str one = STR_INIT, many = STR_INIT;
		bool same = plural_take(&one, cases[i].text, true) == cases[i].len &&
			plural_take(&many, cases[i].text, false) == cases[i].len &&
			plural_take(NULL, cases[i].text, false) == cases[i].len;

		ok(same && !strcmp(str_text(&one), cases[i].one) &&
				!strcmp(str_text(&many), cases[i].many),
			"'%s' has its two forms, or is none", cases[i].text);
		str_free(&one);
		str_free(&many);
	}
}

static void test_rates(void)
{
	ok(plural_noun_is_rate(" connections/s") &&
			plural_noun_is_rate(" TCP segments/s dropped") &&
			plural_noun_is_rate(" IPv4 packets/s, and more"),
		"a noun may have the unit of a rate");
	ok(!plural_noun_is_rate(" connections") && !plural_noun_is_rate("/s") &&
			!plural_noun_is_rate(" of what /sys/sth says") &&
			!plural_noun_is_rate(" one two three four/s") && !plural_noun_is_rate(""),
		"and mostly has none");
}

static void test_counted(void)
{
	struct str out = STR_INIT;

	plural_add(&out, 1, "line", "lines");
	plural_add(&out, 0, "line", "lines");
	plural_add(&out, 2, "line was", "lines were");
	ok(!strcmp(str_text(&out), "1 line0 lines2 lines were"), "a number and its noun");
	str_free(&out);
}

int main(void)
{
	test_forms();
	test_counted();
	test_rates();
	return tap_done();
}
