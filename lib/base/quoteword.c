/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a name that somebody else chose stand in a line of ours? */
#include "base/banned.h"
#include "base/hex.h"
#include "base/str.h"
#include "base/quoteword.h"

void quoteword_add(struct str *out, const char *word)
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

/* In place; false where it is not as add_word writes it. */
bool quoteword_undo(char *word)
{
	char *to = word;

	if (!strcmp(word, "-"))
		*word = 0;
	for (; *word; word++) {
		int byte;

		if (*word != '%') {
			*to++ = *word;
			continue;
		}
		byte = hex_byte(word + 1, HEX_UPPER);
		if (byte <= 0)
			return false;
		*to++ = (char)byte;
		word += 2;
	}
	*to = 0;
	return true;
}

size_t quoteword_split(char *line, char **words, size_t max)
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
