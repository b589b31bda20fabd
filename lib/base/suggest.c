/* SPDX-License-Identifier: GPL-2.0-only */
/* Which word was probably meant by this one? */
#include "base/banned.h"

#include <ctype.h>

#include "base/str.h"
#include "base/suggest.h"

#define WORD_MAX 63

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * How many letters must be added, left out, changed, or swapped with their neighbour to get from
 * one word to the other. Three rows of the usual table are enough.
 */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *above = rows[0], *before = rows[1], *now = rows[2];
	size_t i, k;

	for (k = 0; k <= m; k++)
		before[k] = k;
	for (i = 1; i <= n; i++) {
		size_t *oldest = above;

		now[0] = i;
		for (k = 1; k <= m; k++) {
			size_t cost = !same(a[i - 1], b[k - 1]);

			now[k] = smaller(smaller(before[k], now[k - 1]) + 1, before[k - 1] + cost);
			if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
				now[k] = smaller(now[k], above[k - 2] + 1);
		}
		above = before;
		before = now;
		now = oldest;
	}
	return before[m];
}

const char *suggest(const char *text, const char *const *words, size_t n)
{
	size_t len = strnlen(text, WORD_MAX + 1), nearest, i;
	const char *found = NULL;

	if (!len || len > WORD_MAX)
		return NULL;
	/* A third of the letters may be wrong: "mabe" is "maybe", "bad" is not "say". */
	nearest = (len + 2) / 3 + 1;
	for (i = 0; i < n; i++) {
		size_t m = strnlen(words[i], WORD_MAX + 1), d;

		if (!m || m > WORD_MAX)
			continue;
		d = distance(text, len, words[i], m);
		if (d < nearest && d < smaller(len, m)) {
			nearest = d;
			found = words[i];
		}
	}
	return found;
}
