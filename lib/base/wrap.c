/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does a line of text end on a terminal? */
#include "base/banned.h"

#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "base/str.h"

#define TEXT_COLUMNS 20 /* text is never squeezed into less, however narrow the terminal */

void wrap_blanks(struct str *out, size_t n)
{
	while (n--)
		str_addc(out, ' ');
}

/* The bytes up to where a line may be broken: behind a word, but not between a number and its unit.
 */
static size_t unbroken(const char *text)
{
	size_t len = strcspn(text, " ");

	if (len && text[len] && strchr("0123456789", text[len - 1]))
		len += 1 + strcspn(text + len + 1, " ");
	return len;
}

void wrap_text(struct str *out, size_t columns, size_t at, size_t indent, const char *text)
{
	bool first = true;

	if (columns < indent + TEXT_COLUMNS)
		columns = indent + TEXT_COLUMNS;
	while (*(text += strspn(text, " "))) {
		size_t len = unbroken(text);
		char *word = mem_strndup(text, len);
		size_t width = escape_columns(word);

		if (!first && at + 1 + width > columns) {
			str_addc(out, '\n');
			wrap_blanks(out, indent);
			at = indent;
		} else if (!first) {
			str_addc(out, ' ');
			at++;
		}
		str_add(out, word);
		free(word);
		at += width;
		text += len;
		first = false;
	}
	str_addc(out, '\n');
}

void wrap_whole(struct str *out, size_t columns, size_t indent, const char *text)
{
	size_t at = indent;

	if (columns && columns < indent + TEXT_COLUMNS)
		columns = indent + TEXT_COLUMNS;
	while (*text) {
		size_t len = strcspn(text, " "), blanks = strspn(text + len, " ");
		char *word = mem_strndup(text, len);
		size_t width = escape_columns(word);

		if (columns && at > indent && at + width > columns) {
			str_addc(out, '\n');
			wrap_blanks(out, indent);
			at = indent;
		}
		str_add(out, word);
		wrap_blanks(out, blanks);
		free(word);
		at += width + blanks;
		text += len + blanks;
	}
	str_addc(out, '\n');
}
