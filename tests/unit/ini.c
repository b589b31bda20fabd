/* SPDX-License-Identifier: GPL-2.0-only */
/* Does every surprise of inih become the right thing, or an error with the right line? */
#include "base/banned.h"
#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"
#include "tap.h"

static struct inifile *parse(const char *text, size_t len, struct str *errors)
{
	struct complaints complaints = {.out = errors};

	return inifile_parse("x.ini", text, len, &complaints);
}

static const char *value_of_key(const struct inifile *ini, const char *section, const char *key)
{
	size_t i;

	for (i = 0; ini && i < inifile_count(ini); i++) {
		const struct ini_entry *entry = inifile_entry(ini, i);

		if (!strcmp(entry->section, section) && !strcmp(entry->key, key))
			return entry->value;
	}
	return "(none)";
}

static int line_of_key(const struct inifile *ini, const char *key)
{
	size_t i;

	for (i = 0; ini && i < inifile_count(ini); i++)
		if (!strcmp(inifile_entry(ini, i)->key, key))
			return inifile_entry(ini, i)->line;
	return 0;
}

static void is_value(
	const char *text, const char *section, const char *key, const char *value, const char *what)
{
	struct str errors = STR_INIT;
	struct inifile *ini = parse(text, strlen(text), &errors);
	const char *got = value_of_key(ini, section, key);

	if (!ok(ini && !strcmp(got, value), "%s", what))
		printf("# got '%s'; %s", got, str_text(&errors));
	inifile_free(ini);
	str_free(&errors);
}

static void is_error_of(const char *text, size_t len, const char *expected, const char *what)
{
	struct str errors = STR_INIT;
	struct inifile *ini = parse(text, len, &errors);

	if (!ok(!ini && !strcmp(str_text(&errors), expected), "%s", what))
		printf("# got: %s\n", str_text(&errors));
	inifile_free(ini);
	str_free(&errors);
}

static void is_error(const char *text, const char *expected, const char *what)
{
	is_error_of(text, strlen(text), expected, what);
}

static void test_values(void)
{
	is_value("[a]\nk = one ; two\n", "a", "k", "one ; two", "a blank and ';' stay in a value");
	is_value("[a]\nk = ;x # y: z\n", "a", "k", ";x # y: z", "a value may begin with ';'");
	is_value("[a]\nk = delta(vmstat:pgscan) / x:y\n", "a", "k", "delta(vmstat:pgscan) / x:y",
		"':' in a value stays");
	is_value("[a]\nk:x = 1\n", "a", "k:x", "1", "a key ends at '=' and not at ':'");
	is_value("[a]\nk;x = 1\n", "a", "k;x", "1", "';' in a key stays");
	is_value("[a]\nk = a == b = c\n", "a", "k", "a == b = c", "only the first '=' counts");
	is_value("[a]\nhowever.io_uring.when = 1\n", "a", "however.io_uring.when", "1",
		"a key may have dots");
	is_value("[a]\nk =\n", "a", "k", "", "a value may be empty");
	is_value("[a]\nk = x", "a", "k", "x", "the last line needs no end");
	is_value("[a]\r\nk = x\r\nl = y\r\n", "a", "k", "x", "lines may end in CR LF");
	is_value("\xef\xbb\xbf[a]\nk = x\n", "a", "k", "x", "a byte order mark is skipped");
}

static void test_lines(void)
{
	is_value("[a]\nk = one\n  two\n\tthree\n", "a", "k", "one two three",
		"indented lines continue the value, joined by blanks");
	is_value("[a]\nk =\n  one ; two\n", "a", "k", "one ; two",
		"a value may begin on the next line");
	is_value("[a]\nk = one\n  ; no\n# no\n  psi=1\n", "a", "k", "one psi=1",
		"comments between continuation lines are left out");
	is_value("; c = d\n#[b]\n[a]\nk = x\n", "a", "k", "x", "comments may come first");
	is_value("[ metric \t x_ratio ]\nk = x\n", "metric x_ratio", "k", "x",
		"blanks in the name of a section are folded");
	is_value("[a]\n\n[b c]\n", "b c", "", "", "a section without keys is there");
}

static void test_errors(void)
{
	is_error("k = x\n[a]\n", "x.ini:1: outside of a section: a file begins with [check]\n",
		"a key outside of a section is an error");
	is_error("[a]\nk = 1\nhello\nl = 2\n", "x.ini:3: neither a [section] nor 'key = value'\n",
		"a line that is neither is an error with its own line");
	is_error("[a]\nk = 1\nhello", "x.ini:3: neither a [section] nor 'key = value'\n",
		"so is the last line without an end");
	is_error("[a]\nk : 1\n", "x.ini:2: neither a [section] nor 'key = value'\n",
		"':' does not stand for '='");
	is_error("[a]\nk = 1\n\n[b]\nk = 1\nk = 2\n", "x.ini:6: 'k' is already given in line 5\n",
		"a key given twice is an error that names the first");
	is_error("[a]\nk = 1\n[ a ]\nk = 2\n", "x.ini:3: [a] is already in line 1\n",
		"so is a section given twice, and its keys are not complained about");
	is_error("[a\nk = 1\n", "x.ini:1: ']' is missing at the end of the section's name\n",
		"an unclosed section is an error");
	is_error("[a] b\n", "x.ini:1: text behind the ']' of a section\n",
		"text behind a section is an error");
	is_error("[ ]\n", "x.ini:1: a section without a name\n", "a nameless section is an error");
	is_error("[a]\n= 1\n", "x.ini:2: there is no key in front of '='\n",
		"an empty key is an error");
	is_error("[a]\nk = 1\n  bad = > 10%\n",
		"x.ini:3: blanks in front make this a continuation of the line above; remove "
		"them\n",
		"an indented key is an error and not part of the value above");
	is_error("[a]\nk = 1\n [b]\n",
		"x.ini:3: blanks in front make this a continuation of the line above; remove "
		"them\n",
		"so is an indented section");
	is_error("[a]\n  text\n",
		"x.ini:2: blanks in front, but there is no key above to continue\n",
		"a continuation of nothing is an error");
	is_error("[a]\nk = \x01\nl = \x1b[m\n",
		"x.ini:2: a control character\nx.ini:3: a control "
		"character\n",
		"control characters are errors, each with its line");
	is_error_of("[a]\nk = 1\0 2\n", 12, "x.ini:2: a NUL byte\n", "a NUL byte is an error");
	is_error("[a]\nhello\nk = 1\nk = 2\n",
		"x.ini:2: neither a [section] nor 'key = value'\n"
		"x.ini:4: 'k' is already given in line 3\n",
		"every wrong line is reported, not just the first");
}

/* "k = aaa…" of a length. */
static char *long_line(const char *front, size_t len)
{
	struct str s = STR_INIT;

	str_add(&s, front);
	while (s.len < len)
		str_addc(&s, 'a');
	return str_take(&s);
}

static void test_long_lines(void)
{
	char *fits = long_line("k = ", 199), *over = long_line("k = ", 200);
	char *name = long_line("", 49), *name_over = long_line("", 50);
	char *text = mem_printf("[a]\n%s\nl = 2\n", fits);

	is_value(text, "a", "k", fits + 4, "a line of 199 bytes is whole");
	is_value(text, "a", "l", "2", "and so is the one behind it");
	free(text);
	text = mem_printf("[a]\n%s\nl = 2\nm\n", over);
	is_error(text,
		"x.ini:2: line longer than 199 bytes: continue it on an indented line\n"
		"x.ini:4: neither a [section] nor 'key = value'\n",
		"one of 200 bytes is an error, and lines are counted right behind it");
	free(text);
	text = mem_printf("[a]\n; %s%s\nk = 1\n", over, over);
	is_value(text, "a", "k", "1", "a comment may be as long as it likes");
	free(text);
	text = mem_printf("[%s]\n%s = 1\n  2\n", name, name);
	is_value(text, name, name, "1 2", "names of 49 bytes are whole, continued or not");
	free(text);
	text = mem_printf("[%s]\nk = 1\n[b]\n%s = 1\n", name_over, name_over);
	is_error(text,
		"x.ini:1: the section's name is longer than 49 bytes\n"
		"x.ini:4: the key is longer than 49 bytes\n",
		"names of 50 bytes, which inih would cut, are errors");
	free(text);
	free(fits);
	free(over);
	free(name);
	free(name_over);
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

static void test_sizes(void)
{
	struct str s = STR_INIT, errors = STR_INIT;
	int i;

	str_add(&s, "[a]\nk = 1\n");
	for (i = 0; i < 200000; i++)
		str_add(&s, " x\n");
	ok(!parse(s.text, s.len, &errors) && strstr(errors.text, "x.ini:2050: the value is longer"),
		"a value that goes on and on is an error");
	str_clear(&s);
	str_clear(&errors);
	str_add(&s, "[a]\n");
	for (i = 0; i < 60000; i++)
		str_addf(&s, "k%d = 1\n", i);
	ok(!parse(s.text, s.len, &errors) && strstr(errors.text, "x.ini:4097: more than 4096 keys"),
		"so are too many keys");
	ok(count(errors.text, '\n') == COMPLAINTS_MAX + 1 &&
			strstr(errors.text, "x.ini:4117: and more that is not shown\n"),
		"after twenty messages the rest is not shown");
	str_clear(&errors);
	while (s.len <= INIFILE_MAX_BYTES)
		str_add(&s, "; to and fro\n");
	ok(!parse(s.text, s.len, &errors) && !strcmp(errors.text, "x.ini: larger than 1 MiB\n"),
		"so is a file beyond 1 MiB");
	str_free(&s);
	str_free(&errors);
}

static void test_lines_of_entries(void)
{
	static const char text[] = "; c\n[a]\n\nk = 1\n  2\nl = 3\n";
	struct inifile *ini = parse(text, sizeof(text) - 1, NULL);

	ok(line_of_key(ini, "") == 2 && line_of_key(ini, "k") == 4 && line_of_key(ini, "l") == 6,
		"every entry knows its line");
	inifile_free(ini);
	ini = parse("", 0, NULL);
	ok(ini && !inifile_count(ini), "an empty file has no entries");
	inifile_free(ini);
}

int main(void)
{
	struct str errors = STR_INIT;
	struct complaints complaints = {.out = &errors};

	test_values();
	test_lines();
	test_errors();
	test_long_lines();
	test_sizes();
	test_lines_of_entries();
	complain(&complaints, "a\nb\x1b.ini", 3, "what");
	ok(!strcmp(errors.text, "a?b?.ini:3: what\n"),
		"a file's name with a line feed makes no second line");
	str_free(&errors);
	return tap_done();
}
