/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what we write JSON, byte for byte what it always was, and is there no way to write what is
 * not? */
#include "base/banned.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/json_write.h"
#include "base/str.h"
#include "tap.h"

static void start(struct json_writer *json, struct str *out)
{
	str_clear(out);
	json_start(json, out);
}

static void ends_as(struct json_writer *json, const char *expected, const char *what)
{
	json_finish(json);
	if (!ok(!strcmp(str_text(json->out), expected), "%s", what))
		printf("# got '%s'\n", str_text(json->out));
}

static void test_shapes(void)
{
	char a[] = "a", none[] = "", b[] = "b", *const list[] = {a, none, b};
	struct str out = STR_INIT;
	struct json_writer json;

	start(&json, &out);
	ends_as(&json, "{}\n", "an empty object");
	start(&json, &out);
	json_open(&json, "a", '[');
	json_open(&json, NULL, '[');
	json_close(&json);
	json_open(&json, NULL, '{');
	json_close(&json);
	json_close(&json);
	ends_as(&json, "{\"a\":[[],{}]}\n", "what is empty has no comma in it, and one behind it");
	start(&json, &out);
	json_write_texts(&json, "list", list, ARRAY_SIZE(list));
	json_write_texts(&json, "none", NULL, 0);
	json_open(&json, "in", '{');
	json_write_bool(&json, "no", false);
	json_write_bool(&json, "yes", true);
	json_close(&json);
	json_write_count(&json, "after", 1);
	ends_as(&json,
		"{\"list\":[\"a\",\"\",\"b\"],\"none\":[],"
		"\"in\":{\"no\":false,\"yes\":true},\"after\":1}\n",
		"keys stand in the order in which they were written");
	str_free(&out);
}

static void test_unknown(void)
{
	struct str out = STR_INIT;
	struct json_writer json;

	start(&json, &out);
	json_write_text(&json, "a", NULL);
	json_write_text(&json, "b", "");
	json_write_number(&json, "c", NAN);
	json_write_number(&json, "d", INFINITY);
	json_write_number(&json, "e", -INFINITY);
	json_write_if(&json, "f", false);
	json_write_time(&json, "g", 0);
	ends_as(&json, "{}\n", "what is not known has no key");
	start(&json, &out);
	json_open(&json, "list", '[');
	json_write_number(&json, NULL, NAN);
	json_write_string(&json, NULL, "");
	json_write_number(&json, NULL, NAN);
	json_write_if(&json, NULL, true);
	json_write_time(&json, NULL, 1795500000);
	json_write_count(&json, NULL, UINT64_MAX);
	json_close(&json);
	ends_as(&json, "{\"list\":[\"\",true,\"2026-11-24T06:00:00Z\",9223372036854775807]}\n",
		"and no element, nor a comma");
	str_free(&out);
}

static void test_strings(void)
{
	struct str out = STR_INIT;
	struct json_writer json;

	start(&json, &out);
	json_write_text(
		&json, "\"k\\\n\xff", "</script>\"\\\001\033\x7f\xe2\x80\xae\xf0\x9f\x98\x80");
	json_write_text(&json, "lone", "\xed\xa0\x80|\xed\xb0\x80|\xc0\x80|\xe6\x97");
	ends_as(&json,
		"{\"\\\"k\\\\\\n\\uFFFD\":"
		"\"</script>\\\"\\\\\\u0001\\u001B\x7f\\u202E\\uD83D\\uDE00\","
		"\"lone\":\"\\uFFFD\\uFFFD\\uFFFD|\\uFFFD\\uFFFD\\uFFFD|\\uFFFD\\uFFFD|"
		"\\uFFFD\\uFFFD\"}\n",
		"hostile keys and texts are escaped, and invalid bytes replaced");
	str_free(&out);
}

/* One number as jansson writes it, which wrote our reports before. */
static bool as_before(double number, int digits)
{
	json_t *object = json_pack("{sf}", "n", number);
	char *expected = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION((size_t)digits));
	struct str out = STR_INIT;
	struct json_writer json;
	bool same;

	start(&json, &out);
	json.digits = digits;
	json_write_number(&json, "n", number);
	json_finish(&json);
	same = out.len == strlen(expected) + 1 && !strncmp(out.text, expected, out.len - 1);
	if (!same)
		printf("# %s, not %s\n", out.text, expected);
	free(expected);
	json_decref(object);
	str_free(&out);
	return same;
}

/* What a reader gets back. */
static double again(double number, int digits)
{
	struct str out = STR_INIT;
	struct json_writer json;
	double read;

	start(&json, &out);
	json.digits = digits;
	json_write_number(&json, "n", number);
	read = strtod(strchr(out.text, ':') + 1, NULL);
	str_free(&out);
	return read;
}

static void test_numbers(void)
{
	static const double numbers[] = {0, -0.0, 1, -1, 0.1, 1.0 / 3, 212.5, 1e5, 1e-4, 1e-5,
		123456789012345.0, 1e15, 1e16, 1e20, 1e21, 1.5e100, 1e-10, -2.5e-100, 5e-324,
		DBL_MIN, 1e308, DBL_MAX};
	bool same = true, back = true, near = true;
	uint64_t bits = 1;
	double number;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		same = as_before(numbers[i], 15) && as_before(numbers[i], 9) && same;
		back = back && again(numbers[i], 17) == numbers[i];
	}
	for (i = 0; i < 20000; i++) {
		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&number, &bits, sizeof(number));
		if (!isfinite(number) || fabs(number) < 1e-300 || fabs(number) > 1e300)
			continue;
		same = as_before(number, 15) && same;
		back = back && again(number, 17) == number;
		near = near && fabs(again(number, 15) - number) <= 1e-14 * fabs(number);
	}
	ok(same, "numbers are written as they always were, with every exponent");
	ok(back, "with 17 digits a reader gets back the same");
	ok(near && again(0.1, 15) == 0.1, "and with 15 what differs only beyond them");
}

static void nest(struct json_writer *json, unsigned int levels)
{
	unsigned int i;

	json_open(json, "a", '[');
	for (i = 1; i < levels; i++)
		json_open(json, NULL, '[');
	for (i = 0; i < levels; i++)
		json_close(json);
}

static void test_depth(void)
{
	struct str out = STR_INIT;
	struct json_writer json;
	struct json_scan scan;
	struct json_text key;

	start(&json, &out);
	nest(&json, JSON_DEPTH_MAX - 1);
	json_finish(&json);
	json_begin(&scan, out.text, out.len);
	ok(json_enter(&scan, '{') && json_member(&scan, &key) &&
			(json_skip(&scan), !json_member(&scan, &key)) && !scan.err,
		"as deep as our reader goes may be written");
	str_free(&out);
}

static void close_all(struct json_writer *json)
{
	json_close(json);
	json_finish(json);
}

static void finish_open(struct json_writer *json)
{
	json_open(json, "a", '{');
	json_finish(json);
}

static void write_behind(struct json_writer *json)
{
	json_finish(json);
	json_write_count(json, "a", 1);
}

static void key_in_array(struct json_writer *json)
{
	json_open(json, "a", '[');
	json_write_count(json, "b", 1);
}

static void no_key(struct json_writer *json)
{
	json_write_count(json, NULL, 1);
}

static void too_deep(struct json_writer *json)
{
	nest(json, JSON_DEPTH_MAX);
}

static bool aborts(void (*misuse)(struct json_writer *json))
{
	const struct rlimit no_core = {0, 0};
	pid_t child = fork();
	int status = 0;

	if (!child) {
		struct str out = STR_INIT;
		struct json_writer json;

		setrlimit(RLIMIT_CORE, &no_core);
		json_start(&json, &out);
		misuse(&json);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		WTERMSIG(status) == SIGABRT;
}

static void test_misuse(void)
{
	ok(!aborts(json_finish), "an object may be empty");
	ok(aborts(close_all), "what is not open cannot be closed");
	ok(aborts(finish_open), "what is open cannot be finished");
	ok(aborts(write_behind), "nothing comes behind the end");
	ok(aborts(key_in_array), "an element has no key");
	ok(aborts(no_key), "a member has one");
	ok(aborts(too_deep), "nothing is deeper than our reader goes");
}

int main(void)
{
	test_shapes();
	test_unknown();
	test_strings();
	test_numbers();
	test_depth();
	test_misuse();
	return tap_done();
}
