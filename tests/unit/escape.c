/* SPDX-License-Identifier: GPL-2.0-only */
/* Does hostile text arrive harmless, and friendly text unchanged? */
#include "base/banned.h"
#include "base/escape.h"
#include "base/str.h"
#include "tap.h"

static void gives(void (*escape)(struct str *out, const char *text), const char *text,
	const char *expected, const char *what)
{
	struct str out = STR_INIT;
	bool same;

	str_add(&out, "before ");
	escape(&out, text);
	same = !strcmp(out.text + strlen("before "), expected);
	ok(same, "%s", what);
	if (!same)
		printf("# got '%s'\n", out.text);
	str_free(&out);
}

static void test_terminal(void)
{
	static const struct {
		const char *text, *expected, *what;
	} cases[] = {
		{"", "", "nothing stays nothing"},
		{"puma: worker [3] (x)", "puma: worker [3] (x)", "plain ASCII stays"},
		{"Zo\xc3\xab \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\x98",
			"Zo\xc3\xab \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\x98",
			"printable UTF-8 of two, three and four bytes stays"},
		{"a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd", "line feeds, tabs and returns are shown"},
		{"\033[2J\007", "\\x1b[2J\\x07", "an escape sequence is shown, not obeyed"},
		{"\x7f", "\\x7f", "DEL is shown"},
		{"\xc2\x9b"
		 "2J",
			"\\xc2\\x9b2J", "CSI as a C1 code in UTF-8 is shown"},
		{"\x9b"
		 "2J",
			"\\x9b2J", "a bare C1 byte is shown"},
		{"a\\b\\x0a", "a\\\\b\\\\x0a",
			"a backslash is doubled, so nothing can pose as an escape"},
		{"\xc0\xaf", "\\xc0\\xaf", "an overlong form of two bytes is invalid"},
		{"\xe0\x80\xaf", "\\xe0\\x80\\xaf", "an overlong form of three bytes is invalid"},
		{"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf",
			"an overlong form of four bytes is invalid"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80", "a surrogate is invalid"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "what is beyond Unicode is invalid"},
		{"\xff\xfe", "\\xff\\xfe", "bytes that UTF-8 never has are invalid"},
		{"\xe6\x97", "\\xe6\\x97", "a sequence cut off by the end is invalid"},
		{"\xe6\x97"
		 "A",
			"\\xe6\\x97"
			"A",
			"a sequence cut off by a letter leaves the letter"},
		{"\xf0\x9f\x90", "\\xf0\\x9f\\x90", "four bytes cut to three are invalid"},
		{"\xe2\x80\xae", "\\xe2\\x80\\xae", "U+202E, right to left, is shown"},
		{"a\xc2\xa0\xe2\x80\x83\xe3\x80\x80z", "a\\xc2\\xa0\\xe2\\x80\\x83\\xe3\\x80\\x80z",
			"blanks of other widths, of which columns could be made, are shown"},
		{"\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9",
			"bidi isolates are shown"},
		{"\xe2\x80\x8b\xe2\x80\x8f", "\\xe2\\x80\\x8b\\xe2\\x80\\x8f",
			"zero width is shown"},
		{"\xe2\x80\xa8\xe2\x80\xa9", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9",
			"line separators are shown"},
		{"\xef\xbb\xbf", "\\xef\\xbb\\xbf", "U+FEFF is shown"},
		{"\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81", "invisible tag letters are shown"},
		{"\xef\xbf\xbf", "\\xef\\xbf\\xbf", "U+FFFF is no character and is shown"},
		{"\xef\xbf\xbd", "\xef\xbf\xbd", "U+FFFD itself stays"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		gives(escape_terminal, cases[i].text, cases[i].expected, cases[i].what);
}

static void test_every_bidi_control(void)
{
	static const unsigned int codes[][2] = {
		{0x200b, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}, {0x2028, 0x2029}};
	unsigned int i, code;
	bool all = true;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		for (code = codes[i][0]; code <= codes[i][1]; code++) {
			char text[4] = {(char)0xe2, (char)(0x80 | (code >> 6 & 0x3f)),
				(char)(0x80 | (code & 0x3f)), 0};
			struct str out = STR_INIT;

			escape_terminal(&out, text);
			all = all && out.len == 12 && !strncmp(out.text, "\\xe2\\x8", 7);
			str_free(&out);
		}
	ok(all, "each of the bidi, zero width and separator characters is shown");
}

static void test_cut(void)
{
	static const struct {
		const char *text;
		size_t columns;
		const char *expected, *what;
	} cases[] = {
		{"abcdef", 6, "abcdef", "what fits is not cut"},
		{"abcdefg", 6, "abc...", "what does not fit ends in an ellipsis"},
		{"abcdefg", 3, "...", "three columns hold the ellipsis alone"},
		{"ab\ncdefgh", 9, "ab\\x0a...", "an escape is kept whole"},
		{"ab\ncdefgh", 8, "ab...", "or left out whole"},
		{"\\\\\\\\", 6, "\\\\...", "doubled backslashes are not torn apart"},
		{"\xe6\x97\xa5\xe6\x9c\xac", 4, "\xe6\x97\xa5\xe6\x9c\xac",
			"wide characters take two"},
		{"\xe6\x97\xa5\xe6\x9c\xac!", 4, "...", "and are cut by columns, not bytes"},
		{"\xc3\xab\xc3\xab\xc3\xab\xc3\xab", 4, "\xc3\xab\xc3\xab\xc3\xab\xc3\xab",
			"narrow characters take one, however many bytes"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str out = STR_INIT;

		escape_terminal_cut(&out, cases[i].text, cases[i].columns);
		ok(!strcmp(out.text, cases[i].expected), "%s", cases[i].what);
		if (strcmp(out.text, cases[i].expected) != 0)
			printf("# got '%s'\n", out.text);
		ok(escape_columns(out.text) <= cases[i].columns, "and it keeps within %zu columns",
			cases[i].columns);
		str_free(&out);
	}
}

static void test_utf8(void)
{
	gives(escape_utf8, "a\n\"\\\033", "a\n\"\\\033",
		"what is valid stays, control characters too");
	gives(escape_utf8, "\xc3\xab\xe2\x80\xae", "\xc3\xab\xe2\x80\xae", "valid UTF-8 stays");
	gives(escape_utf8,
		"a\xff"
		"b",
		"a\xef\xbf\xbd"
		"b",
		"an invalid byte becomes U+FFFD");
	gives(escape_utf8, "\xe6\x97", "\xef\xbf\xbd\xef\xbf\xbd",
		"so does each of a cut sequence");
	gives(escape_utf8, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
		"and each of a surrogate");
}

static void test_json(void)
{
	gives(escape_json, "plain /<>&'\x7f", "plain /<>&'\x7f", "a JSON string keeps plain ASCII");
	gives(escape_json, "\"\\\b\f\n\r\t", "\\\"\\\\\\b\\f\\n\\r\\t",
		"what has a short escape gets it");
	gives(escape_json, "\001\033[2J\037", "\\u0001\\u001B[2J\\u001F",
		"other control characters get a long one");
	gives(escape_json, "\xc3\xab\xe2\x80\xae\xef\xbf\xbf", "\\u00EB\\u202E\\uFFFF",
		"so does what is beyond ASCII");
	gives(escape_json, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\\uD800\\uDC00\\uDBFF\\uDFFF",
		"beyond 16 bits as a pair of surrogates");
	gives(escape_json,
		"a\xff"
		"b\xe6\x97",
		"a\\uFFFDb\\uFFFD\\uFFFD", "each invalid byte becomes U+FFFD");
	gives(escape_json, "\xed\xa0\x80\xed\xb0\x80", "\\uFFFD\\uFFFD\\uFFFD\\uFFFD\\uFFFD\\uFFFD",
		"and each of a lone surrogate, or of two");
	gives(escape_json, "", "", "nothing stays nothing");
}

static void test_prometheus(void)
{
	gives(escape_prometheus, "a\"b\\c\nd", "a\\\"b\\\\c\\nd",
		"quotes, backslashes and newlines are escaped in a label");
	gives(escape_prometheus, "\t\r\033\x7f\xc2\x9b", "?????", "other controls become '?'");
	gives(escape_prometheus, "\xff\xc3\xab", "\xef\xbf\xbd\xc3\xab",
		"invalid UTF-8 becomes U+FFFD and valid stays");
}

static void takes(
	char *(*escape)(const char *text), const char *text, const char *wanted, const char *why)
{
	char *got = escape(text);

	ok(!strcmp(got, wanted), "%s (%s)", why, got);
	free(got);
}

static void test_messages(void)
{
	gives(escape_plain, "a\\b\033[0m\x7f\xc2\x9b\xe2\x80\xae\xff\xc3\xab",
		"a\\b?[0m????\xc3\xab", "what is escaped again has a '?' for what may not show");
	takes(escape_word, "\033[31mred", "\\x1b[31mred", "a word is escaped");
	takes(escape_word, "", "", "so is none");
	takes(escape_word, "0123456789012345678901234567890123456789",
		"0123456789012345678901234567890123456789", "40 columns stay");
	takes(escape_word, "01234567890123456789012345678901234567890",
		"0123456789012345678901234567890123456...", "a longer word is cut");
	takes(escape_path, "01234567890123456789012345678901234567890\n",
		"01234567890123456789012345678901234567890\\x0a", "a path is not");
}

static void test_nagios(void)
{
	gives(escape_nagios, "a|b\nc|", "a/b\\x0ac/", "no '|' and no newline gets into a line");
	gives(escape_nagios, "it's a=b", "it's a=b", "quotes may stand in text");
	gives(escape_nagios_label, "it's a=b|c", "it_s a_b/c",
		"but neither quote nor = in a label");
	gives(escape_nagios_label, "\033\\", "\\x1b\\\\", "a label is as harmless as text");
}

static void test_name(void)
{
	struct str out = STR_INIT;

	gives(escape_name, "web1 and\nGood: cpu", "web1\\x20and\\x0aGood:\\x20cpu",
		"a name stays one word");
	escape_name_cut(&out, "a b c d e f g", 8);
	ok(!strcmp(out.text, "a\\x20..."), "also where it is cut: %s", out.text);
	str_free(&out);
}

int main(void)
{
	test_terminal();
	test_name();
	test_every_bidi_control();
	test_cut();
	test_utf8();
	test_json();
	test_prometheus();
	test_messages();
	test_nagios();
	return tap_done();
}
