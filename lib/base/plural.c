/* SPDX-License-Identifier: GPL-2.0-only */
/* Which form of a word goes with a number? */
#include "base/banned.h"

#include <ctype.h>
#include <string.h>

#include "base/plural.h"
#include "base/str.h"

#define NOUN_WORDS 3

/* An end of a word is of small letters. Returns its length. */
static size_t plural_word(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyz");
}

size_t plural_take(struct str *out, const char *text, bool one)
{
	const char *singular = text + 1, *plural = singular;
	size_t n_singular = 0, n_plural;

	if (*text != '(')
		return 0;
	n_plural = plural_word(plural);
	if (plural[n_plural] == '|') {
		n_singular = n_plural;
		plural += n_singular + 1;
		n_plural = plural_word(plural);
	} else if (!str_starts(text, "(s)") && !str_starts(text, "(es)")) {
		return 0;
	}
	if (plural[n_plural] != ')')
		return 0;
	if (out && one)
		str_addn(out, singular, n_singular);
	else if (out)
		str_addn(out, plural, n_plural);
	return (size_t)(plural + n_plural + 1 - text);
}

void plural_add(struct str *out, unsigned long long n, const char *one, const char *many)
{
	str_addf(out, "%llu %s", n, n == 1 ? one : many);
}

bool plural_noun_is_rate(const char *text)
{
	size_t words;

	for (words = 0; words < NOUN_WORDS && *text == ' '; words++) {
		text++;
		while (isalnum((unsigned char)*text) || *text == '-')
			text++;
		if (str_starts(text, "/s") && !isalnum((unsigned char)text[2]))
			return true;
	}
	return false;
}
