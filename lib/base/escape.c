/* SPDX-License-Identifier: GPL-2.0-only */
/* How does hostile text get to a terminal, a JSON string or a monitoring line without doing harm?
 */
#include "base/banned.h"

#include <stdint.h>

#include "base/escape.h"
#include "base/str.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define REPLACEMENT_CODE 0xfffd
#define ELLIPSIS "..." /* not U+2026: a serial console may have no UTF-8 */
#define WORD_COLUMNS 40

struct range {
	uint32_t first, last;
};

/* What shows nothing of itself, and so can hide or reorder what does. */
static const struct range hidden[] = {
	{0x00, 0x1f},	    /* C0 */
	{0x7f, 0xa0},	    /* DEL and C1: U+009B alone starts a terminal command; a wide blank */
	{0xad, 0xad},	    /* soft hyphen */
	{0x34f, 0x34f},	    /* combining grapheme joiner */
	{0x61c, 0x61c},	    /* Arabic letter mark: bidi */
	{0x115f, 0x1160},   /* Hangul fillers */
	{0x1680, 0x1680},   /* a blank, with which columns could be made */
	{0x17b4, 0x17b5},   /* Khmer inherent vowels */
	{0x180b, 0x180f},   /* Mongolian selectors and vowel separator */
	{0x2000, 0x200f},   /* blanks of other widths, zero width, and bidi marks */
	{0x2028, 0x202f},   /* line and paragraph separator, bidi embeddings, a blank */
	{0x205f, 0x206f},   /* a blank, word joiner, bidi isolates, deprecated formats */
	{0x2800, 0x2800},   /* a braille pattern without a dot */
	{0x3000, 0x3000},   /* a blank of two columns */
	{0x3164, 0x3164},   /* Hangul filler */
	{0xfdd0, 0xfdef},   /* no characters */
	{0xfeff, 0xfeff},   /* zero width no-break space */
	{0xffa0, 0xffa0},   /* half-width Hangul filler */
	{0xfff0, 0xfffb},   /* annotation marks */
	{0xe0000, 0xe0fff}, /* tags: a whole second alphabet that nobody sees */
};

/* What takes two columns on a terminal: East Asian wide characters and emoji, in rough blocks. */
static const struct range wide[] = {
	{0x1100, 0x115f},
	{0x2e80, 0xa4cf},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},
	{0xff00, 0xff60},
	{0xffe0, 0xffe6},
	{0x1f300, 0x1faff},
	{0x20000, 0x3fffd},
};

static bool in_ranges(const struct range *ranges, size_t n, uint32_t code)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

static bool is_hidden(uint32_t code)
{
	return in_ranges(hidden, ARRAY_SIZE(hidden), code) || (code & 0xfffe) == 0xfffe;
}

/*
 * The code point at text and the bytes it takes: 0 where they are no valid UTF-8 (overlong forms,
 * surrogates and what is beyond Unicode are not). The 0 at the end of text is no continuation, so
 * nothing behind it is read.
 */
static size_t decode(const char *text, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	size_t len, i;

	if (s[0] < 0x80)
		len = 1;
	else if (s[0] >= 0xc2 && s[0] < 0xe0)
		len = 2;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		len = 4;
	else
		return 0;
	*code = len == 1 ? s[0] : s[0] & (0xffu >> (len + 1));
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < smallest[len] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return len;
}

/* Appends the first character of text for a terminal and returns the bytes it took. */
static size_t add_character(struct str *out, const char *text, bool blanks)
{
	uint32_t code = 0;
	size_t len = decode(text, &code), i;

	if (len && !is_hidden(code) && (blanks || code != ' ')) {
		str_addn(out, text, len);
		if (*text == '\\')
			str_addc(out, '\\');
		return len;
	}
	len = len ? len : 1;
	for (i = 0; i < len; i++)
		str_addf(out, "\\x%02x", (unsigned int)(unsigned char)text[i]);
	return len;
}

void escape_terminal(struct str *out, const char *text)
{
	while (*text)
		text += add_character(out, text, true);
}

void escape_name(struct str *out, const char *text)
{
	while (*text)
		text += add_character(out, text, false);
}

size_t escape_columns(const char *text)
{
	size_t columns = 0;

	while (*text) {
		uint32_t code = 0;
		size_t len = decode(text, &code);

		columns += len && in_ranges(wide, ARRAY_SIZE(wide), code) ? 2 : 1;
		text += len ? len : 1;
	}
	return columns;
}

static void cut_back(struct str *out, size_t len)
{
	out->len = len;
	out->text[len] = 0;
}

static void escape_add_cut(struct str *out, const char *text, size_t columns, bool blanks)
{
	size_t keep = out->len, used = 0;

	str_add(out, "");
	while (*text) {
		size_t before = out->len;

		text += add_character(out, text, blanks);
		used += escape_columns(out->text + before);
		if (used + strlen(ELLIPSIS) <= columns)
			keep = out->len;
		if (used > columns) {
			cut_back(out, keep);
			str_add(out, ELLIPSIS);
			return;
		}
	}
}

void escape_terminal_cut(struct str *out, const char *text, size_t columns)
{
	escape_add_cut(out, text, columns, true);
}

void escape_name_cut(struct str *out, const char *text, size_t columns)
{
	escape_add_cut(out, text, columns, false);
}

char *escape_word(const char *text)
{
	struct str s = STR_INIT;

	escape_terminal_cut(&s, text, WORD_COLUMNS);
	return str_take(&s);
}

char *escape_path(const char *text)
{
	struct str s = STR_INIT;

	escape_terminal(&s, text);
	return str_take(&s);
}

void escape_plain(struct str *out, const char *text)
{
	while (*text) {
		uint32_t code = 0;
		size_t len = decode(text, &code);

		if (len && !is_hidden(code))
			str_addn(out, text, len);
		else
			str_addc(out, '?');
		text += len ? len : 1;
	}
}

void escape_utf8(struct str *out, const char *text)
{
	while (*text) {
		uint32_t code = 0;
		size_t len = decode(text, &code);

		str_addn(out, len ? text : REPLACEMENT, len ? len : strlen(REPLACEMENT));
		text += len ? len : 1;
	}
}

static bool is_json_plain(unsigned char c)
{
	return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

static void add_json_code(struct str *out, uint32_t code)
{
	static const char plain[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
	const char *at = code < 0x80 ? strchr(plain, (int)code) : NULL;

	if (at)
		str_addf(out, "\\%c", letters[at - plain]);
	else if (code < 0x10000)
		str_addf(out, "\\u%04X", (unsigned int)code);
	else
		str_addf(out, "\\u%04X\\u%04X", (unsigned int)(0xd7c0 + (code >> 10)),
			(unsigned int)(0xdc00 + (code & 0x3ff)));
}

void escape_json(struct str *out, const char *text)
{
	while (*text) {
		const char *start = text;
		uint32_t code = 0;
		size_t len;

		while (is_json_plain((unsigned char)*text))
			text++;
		str_addn(out, start, (size_t)(text - start));
		if (!*text)
			return;
		len = decode(text, &code);
		add_json_code(out, len ? code : REPLACEMENT_CODE);
		text += len ? len : 1;
	}
}

void escape_prometheus(struct str *out, const char *text)
{
	while (*text) {
		uint32_t code = 0;
		size_t len = decode(text, &code);

		if (!len)
			str_add(out, REPLACEMENT);
		else if (code == '\n')
			str_add(out, "\\n");
		else if (code == '"' || code == '\\')
			str_addf(out, "\\%c", (int)code);
		else if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
			str_addc(out, '?');
		else
			str_addn(out, text, len);
		text += len ? len : 1;
	}
}

/* As for a terminal, with every character of the set "from" replaced by to. */
static void escape_without(struct str *out, const char *text, const char *from, const char *to)
{
	while (*text) {
		const char *found = strchr(from, *text);

		if (found) {
			str_addc(out, to[found - from]);
			text++;
		} else {
			text += add_character(out, text, true);
		}
	}
}

void escape_nagios(struct str *out, const char *text)
{
	escape_without(out, text, "|", "/");
}

void escape_nagios_label(struct str *out, const char *text)
{
	escape_without(out, text, "|'=", "/__");
}

static const char *reference_for(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

void escape_html_only(struct str *out, const char *shown)
{
	for (; *shown; shown++)
		if (reference_for(*shown))
			str_add(out, reference_for(*shown));
		else
			str_addc(out, *shown);
}

void escape_html(struct str *out, const char *text)
{
	struct str shown = STR_INIT;

	escape_terminal(&shown, text);
	escape_html_only(out, str_text(&shown));
	str_free(&shown);
}

void escape_script(struct str *out, const char *text)
{
	struct str shown = STR_INIT;
	const char *at;

	/* Nothing below a blank is left in it, and no U+2028. */
	escape_terminal(&shown, text);
	str_addc(out, '"');
	for (at = str_text(&shown); *at; at++)
		if (strchr("<>&\"\\'", *at))
			str_addf(out, "\\u%04x", (unsigned int)(unsigned char)*at);
		else
			str_addc(out, *at);
	str_addc(out, '"');
	str_free(&shown);
}
