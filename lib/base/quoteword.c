/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a name that somebody else chose stand in a line of ours? */
#include "base/str.h"
#include "base/quoteword.h"

void line_add_word(struct str *out, const char *word)
{
	str_addc(out, ' ');
	if (!*word)
		str_addc(out, '-');
	else if (!strcmp(word, "-"))
		str_add(out, "%2D");
	else
		for (; *word; word++) {
			unsigned char c = (unsigned char)*word;

			if (c <= ' ' || c == '%' || c == 0x7f)
				str_addf(out, "%%%02X", c);
			else
				str_addc(out, *word);
		}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* In place; false where it is not as add_word writes it. */
bool word_unescape(char *word)
{
	char *to = word;

	if (!strcmp(word, "-"))
		*word = 0;
	for (; *word; word++) {
		int high, low;

		if (*word != '%') {
			*to++ = *word;
			continue;
		}
		high = hex_digit(word[1]);
		low = high < 0 ? -1 : hex_digit(word[2]);
		if (low < 0 || (!high && !low))
			return false;
		*to++ = (char)(high * 16 + low);
		word += 2;
	}
	*to = 0;
	return true;
}

size_t line_split(char *line, char **words, size_t max)
{
	size_t n = 0;

	while (n <= max) {
		char *blank = strchr(line, ' ');

		words[n++] = line;
		if (!blank)
			break;
		*blank = 0;
		line = blank + 1;
	}
	return n;
}
