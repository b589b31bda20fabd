/* SPDX-License-Identifier: GPL-2.0-only */
/* Is there any text that an escape function lets through in a form that does harm? */
#include "base/banned.h"

#include <stdint.h>

#include "base/escape.h"
#include "base/json_read.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Valid UTF-8 by the table of the Unicode standard (3-7): another way than that of the library. */
static size_t valid_sequence(const unsigned char *s)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high;
		size_t len;
	} rows[] = {
		{0x01, 0x7f, 0, 0, 1},
		{0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (s[0] < rows[i].first_low || s[0] > rows[i].first_high)
			continue;
		if (rows[i].len > 1 && (s[1] < rows[i].second_low || s[1] > rows[i].second_high))
			return 0;
		for (k = 2; k < rows[i].len; k++)
			if (s[k] < 0x80 || s[k] > 0xbf)
				return 0;
		return rows[i].len;
	}
	return 0;
}

static bool is_valid(const char *text)
{
	while (*text) {
		size_t len = valid_sequence((const unsigned char *)text);

		if (!len)
			return false;
		text += len;
	}
	return true;
}

/* C0, DEL, C1, and the characters that the header promises to show. */
static bool is_harmless(const char *text)
{
	static const char *const hidden[] = {"\xe2\x80\x8b", "\xe2\x80\x8c", "\xe2\x80\x8d",
		"\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa",
		"\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6",
		"\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9", "\xef\xbb\xbf"};
	const unsigned char *s;
	size_t i;

	for (s = (const unsigned char *)text; *s; s++)
		if (*s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0))
			return false;
	for (i = 0; i < ARRAY_SIZE(hidden); i++)
		if (strstr(text, hidden[i]))
			return false;
	return true;
}

/* Undoes escape_terminal: it must give the original, byte for byte, or two names could look alike.
 */
static void undo(struct str *out, const char *text)
{
	while (*text) {
		char hex[3] = {0};

		if (*text != '\\') {
			str_addc(out, *text++);
		} else if (text[1] == '\\') {
			str_addc(out, '\\');
			text += 2;
		} else {
			must(text[1] == 'x');
			memcpy(hex, text + 2, 2);
			must(strlen(hex) == 2 && strspn(hex, "0123456789abcdef") == 2);
			str_addc(out, (char)strtoul(hex, NULL, 16));
			text += 4;
		}
	}
}

static void try_terminal(const char *text, size_t columns)
{
	struct str out = STR_INIT, back = STR_INIT, cut = STR_INIT;

	escape_terminal(&out, text);
	must(is_valid(str_text(&out)) && is_harmless(str_text(&out)));
	undo(&back, str_text(&out));
	must(!strcmp(str_text(&back), text));
	escape_terminal_cut(&cut, text, columns);
	must(escape_columns(cut.text) <= columns && is_valid(cut.text) && is_harmless(cut.text));
	if (escape_columns(str_text(&out)) <= columns)
		must(!strcmp(cut.text, str_text(&out)));
	else
		must(cut.len >= 3 && !strcmp(cut.text + cut.len - 3, "...") &&
			!strncmp(cut.text, str_text(&out), cut.len - 3));
	str_free(&out);
	str_free(&back);
	str_free(&cut);
}

static void try_utf8(const char *text)
{
	struct str out = STR_INIT;

	escape_utf8(&out, text);
	must(is_valid(str_text(&out)));
	must(!is_valid(text) || !strcmp(str_text(&out), text));
	str_free(&out);
}

/* Our own reader gets back what was valid. */
static void try_json(const char *text)
{
	struct str out = STR_INIT, back = STR_INIT, valid = STR_INIT;
	struct json_scan scan;
	struct json_text read;
	const char *at;

	str_addc(&out, '"');
	escape_json(&out, text);
	str_addc(&out, '"');
	for (at = out.text; *at; at++)
		must(*at >= ' ' && (unsigned char)*at < 0x80);
	json_begin(&scan, out.text, out.len);
	must(json_text(&scan, &read) && !scan.err && scan.at == scan.end);
	json_add_text(&back, &read, SIZE_MAX);
	escape_utf8(&valid, text);
	must(!strcmp(str_text(&back), str_text(&valid)));
	str_free(&out);
	str_free(&back);
	str_free(&valid);
}

static void try_prometheus(const char *text)
{
	struct str out = STR_INIT;
	const char *at;

	escape_prometheus(&out, text);
	must(is_valid(str_text(&out)));
	for (at = str_text(&out); *at; at++) {
		must((unsigned char)*at >= 0x20 && *at != 0x7f && *at != '"');
		if (*at == '\\')
			must(*++at == '\\' || *at == '"' || *at == 'n');
	}
	str_free(&out);
}

static void try_nagios(const char *text)
{
	struct str out = STR_INIT;

	escape_nagios(&out, text);
	must(is_valid(str_text(&out)) && is_harmless(str_text(&out)));
	must(!strchr(str_text(&out), '|'));
	str_clear(&out);
	escape_nagios_label(&out, text);
	must(is_valid(str_text(&out)) && is_harmless(str_text(&out)));
	must(!strpbrk(str_text(&out), "|'="));
	str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The first byte is the width, so that the fuzzer can move the cut. */
	char *text = mem_strndup(size ? (const char *)data + 1 : "", size ? size - 1 : 0);

	try_terminal(text, 3 + (size ? data[0] % 80u : 0));
	try_utf8(text);
	try_json(text);
	try_prometheus(text);
	try_nagios(text);
	free(text);
	return 0;
}
