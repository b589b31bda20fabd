/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a value that nobody wants passed to its end, wherever it lies, and no further? */
#include "base/banned.h"

#include <errno.h>

#include "base/json_read.h"
#include "base/str.h"
#include "tests/unit/tap.h"

/* More than two of the blocks that are looked at together. */
#define SHIFTS 150

/* With brackets and quotes in strings, where they mean nothing. */
static const char value[] =
	"{\"k\":[\"]}\\\"{[\",{\"a\\\\\":\"[\",\"\":[]},\"\\\\\\\\\",1e3,\"\\\"\"]}";

/* Behind so many bytes of a string, in a list: what is left behind it, or -errno. */
static long passes(size_t shift, size_t cut)
{
	struct str text = STR_INIT;
	struct json_scan scan;
	size_t i;
	long left;

	str_add(&text, "[\"");
	for (i = 0; i < shift; i++)
		str_addc(&text, i % 3 ? 'x' : '}');
	str_addf(&text, "\",%s]", value);
	json_begin(&scan, str_text(&text), text.len - cut);
	json_skip(&scan);
	left = scan.err ? scan.err : (long)(scan.end - scan.at);
	str_free(&text);
	return left;
}

static void test_places(void)
{
	size_t shift, cut, whole = 0, broken = 0, tried = 0;

	for (shift = 0; shift < SHIFTS; shift++) {
		whole += passes(shift, 0) == 0;
		for (cut = 1; cut < sizeof(value) + 3; cut++, tried++)
			broken += passes(shift, cut) == -EAGAIN;
	}
	ok(whole == SHIFTS, "a value is passed whole from every place (%zu of %d)", whole, SHIFTS);
	ok(broken == tried, "cut anywhere it breaks off (%zu of %zu)", broken, tried);
}

/* What is said of a text that is no JSON, behind so many blanks. */
static int error_of(const char *wrong, size_t shift, const char **why)
{
	struct str text = STR_INIT;
	struct json_scan scan;
	size_t i;

	str_addc(&text, '[');
	for (i = 0; i < shift; i++)
		str_addc(&text, ' ');
	str_add(&text, wrong);
	for (i = 0; i < SHIFTS; i++)
		str_addc(&text, ' ');
	json_begin(&scan, str_text(&text), text.len);
	json_skip(&scan);
	*why = scan.wrong ? scan.wrong : "nothing";
	str_free(&text);
	return scan.err;
}

static void test_wrong(void)
{
	struct str deep = STR_INIT;
	const char *why = "";
	size_t shift, kind = 0, depth = 0, i;

	for (i = 0; i <= JSON_DEPTH_MAX; i++)
		str_addc(&deep, '[');
	for (shift = 0; shift < SHIFTS; shift++) {
		kind += error_of("{\"a\":1]", shift, &why) == -EINVAL &&
			!strcmp(why, "a bracket closes another kind");
		depth += error_of(str_text(&deep), shift, &why) == -E2BIG;
	}
	ok(kind == SHIFTS, "a bracket that closes another kind is refused: %zu", kind);
	ok(depth == SHIFTS, "nesting that is too deep is refused: %zu", depth);
	str_free(&deep);
}

static void test_words(void)
{
	static const char text[] = "{\"verdict\":\"good\\n\",\"verdicts\":\"a\tb\"}";
	struct json_scan scan;
	struct json_text key, got;

	json_begin(&scan, text, sizeof(text) - 1);
	ok(json_enter(&scan, '{') && json_member(&scan, &key) && json_is(&key, "verdict") &&
			!json_is(&key, "verdicts") && !json_is(&key, "verdic") &&
			!json_is(&key, ""),
		"a key is its word, and neither a longer nor a shorter one");
	ok(json_text(&scan, &got) && got.escaped && got.len == 6, "an escape is seen");
	ok(json_member(&scan, &key) && !json_text(&scan, &got) && scan.err == -EINVAL,
		"a control character may not stand in what is wanted");
}

int main(void)
{
	test_places();
	test_wrong();
	test_words();
	return tap_done();
}
