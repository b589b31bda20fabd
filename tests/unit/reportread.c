/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a JSON report come back as the struct that it was written from, and nothing hostile in? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include <jansson.h>

#include "output/read_json.h"
#include "check/check.h"
#include "base/json_read.h"
#include "base/str.h"
#include "tap.h"
#include "output/writer.h"
#include "trace/result.h"

/* Every key that the writer has. */
#define WHOLE \
	"{\"schema\":\"tuesday/1\",\"version\":\"1.2\",\"host\":\"web\\u0007\\\"7\"," \
	"\"kernel\":\"6.1.0\",\"boot_id\":\"07a5\",\"cpus\":8,\"machine\":{\"cpu_model\":\"X\"," \
	"\"memory\":\"16 GiB\"},\"labels\":{\"rack\":\"A12\"},\"uptime_seconds\":1.5,\"time\":" \
	"\"2026-11-24T06:00:00Z\",\"duration_seconds\":10.5,\"window_seconds\":2.0,\"windows\":5," \
	"\"interrupted\":true,\"replay\":true,\"under_way\":\"disk/slow\",\"verdict\":\"bad\"," \
	"\"id\":\"00ff\",\"since\":{\"time\":\"2026-11-24T05:55:00Z\",\"seconds\":290.5," \
	"\"context\":\"rebooted since\"},\"muted\":[{\"check\":\"tcp\",\"reason\":\"r\"," \
	"\"by\":\"root\",\"until\":\"2026-11-24T07:00:00Z\"}]," \
	"\"announced\":[{\"what\":\"rollout\",\"by\":\"al\",\"since\":\"2026-11-24T05:50:00Z\"," \
	"\"until\":\"2026-11-24T06:30:00Z\"}],\"accused_began\":\"since\"," \
	"\"type\":{\"name\":\"major\",\"current\":\"major\",\"derived\":\"isolated\"," \
	"\"why\":\"only disk\",\"rule\":4,\"confidence\":\"medium\",\"confidence_ratio\":0.5," \
	"\"candidates\":[\"isolated\",\"ambiguous\"],\"due\":\"2026-11-30T06:00:00Z\"," \
	"\"history\":[" \
	"{\"type\":\"isolated\",\"by\":\"tuesday/" \
	"1.2\",\"at\":\"2026-11-24T06:00:00Z\",\"reason\":" \
	"\"rule " \
	"4\"},{\"type\":\"major\",\"by\":\"al\",\"at\":\"2026-11-24T06:05:00Z\",\"reason\":\"r\"," \
	"\"ref\":\"INC-42\"}],\"invite\":\"them\",\"notes\":\"n\"},\"checks\":[{\"check\":" \
	"\"disk\"," \
	"\"area\":\"disk\",\"verdict\":\"bad\",\"tier\":\"trace\",\"confidence\":\"high\"," \
	"\"exonerated\":false,\"summary\":\"slow\",\"method\":\"m\",\"missing\":\"caps\"," \
	"\"metrics\":[{\"name\":\"await_seconds\",\"instance\":\"sda\",\"label\":\"a disk\"," \
	"\"value\":0.5,\"unit\":\"seconds\",\"class\":\"harm\",\"verdict\":\"bad\"," \
	"\"overruled\":\"maybe\",\"over\":true,\"capped\":true,\"acquit\":0.1,\"maybe\":0.2," \
	"\"bad\":0.25," \
	"\"accuses\":\"above\"," \
	"\"source\":\"s\",\"why\":\"w\",\"however\":\"h\",\"ends\":\"later\",\"instances\":3," \
	"\"accused\":1," \
	"\"windows_over\":4,\"windows\":5,\"normal\":{\"low\":0.1,\"middle\":0.2,\"high\":0.3," \
	"\"runs\":40},\"forecast\":{\"seconds\":10.5,\"low\":5.5,\"high\":20.5,\"target\":1.5," \
	"\"over_seconds\":99.5,\"source\":\"windows\",\"due\":true}," \
	"\"later\":{\"seconds\":30.5,\"low\":25.5,\"target\":1.5,\"over_seconds\":9.5," \
	"\"source\":\"history\"}}],\"since\":[{\"name\":\"kills_count\",\"value\":3.0,\"unit\":" \
	"\"count\",\"class\":\"error\",\"verdict\":\"bad\",\"ends\":\"then\"}],\"only_since\":" \
	"true,\"culprits\":[{" \
	"\"kind\":\"process\",\"name\":" \
	"\"\\u00e4\\ud83d\\ude00\",\"id\":\"1\",\"share\":0.75}],\"howevers\":[\"x\"]," \
	"\"remedies\":[\"r\"],\"next\":" \
	"[\"diskdiagnose sda\"],\"experiments\":[{\"name\":\"e\",\"answer\":\"changed\"," \
	"\"better\":true,\"summary\":\"s\",\"knob\":\"/k\",\"instance\":\"sda\",\"from\":\"1\"," \
	"\"to\":\"2\",\"turned\":true,\"restored\":false,\"left\":\"l\",\"observed\":\"o\"," \
	"\"before\":1.5,\"meanwhile\":1.0,\"effect\":0.5,\"low\":0.25,\"high\":0.75," \
	"\"margin\":0.125,\"pairs\":12,\"control_pairs\":8,\"seconds\":3.5,\"risk\":2," \
	"\"proves\":\"p\",\"however\":\"h\",\"notes\":[\"n\"]}],\"cost\":{\"cpu_seconds\":0.5," \
	"\"trace_seconds\":5.0,\"bpf_seconds\":0.25}},{\"check\":\"l2arc\",\"verdict\":\"skip\"," \
	"\"exonerated\":false,\"reason\":\"no ZFS here\",\"metrics\":[],\"culprits\":[]," \
	"\"howevers\":[],\"next\":[]},{\"check\":\"tcp\",\"area\":\"net\",\"verdict\":\"good\"," \
	"\"tier\":\"counters\",\"confidence\":\"low\",\"idle\":true,\"exonerated\":true," \
	"\"summary\":\"idle\",\"metrics\":[{\"name\":\"x_count\",\"unit\":\"count\",\"class\":" \
	"\"error\",\"verdict\":\"good\",\"idle\":true,\"acquits\":true,\"missing\":\"none\"}]," \
	"\"culprits\":[],\"howevers\":[],\"next\":[]}],\"exonerated\":[{\"check\":\"tcp\"," \
	"\"evidence\":\"nothing to do\"}],\"not_cleared\":[],\"not_asked\":[\"thp\"]," \
	"\"errors\":[\"x.ini:1: no\"],\"cost\":{" \
	"\"cpu_seconds\":0.25,\"wall_seconds\":10.5,\"rss_bytes\":4096,\"trace_seconds\":5.0}}"

#define HEAD "{\"schema\":\"tuesday/1\",\"host\":\"a\",\"verdict\":\"good\""

static struct report_reader *whole, *brief;

static int read_one(
	struct report_reader *reader, const char *text, size_t len, const struct report **report)
{
	/* Of exactly its size, so that a byte too many is noticed. */
	char *copy = malloc(len ? len : 1);
	size_t used;
	int err;

	memcpy(copy, text, len);
	err = report_read(reader, copy, len, &used, report);
	free(copy);
	return err;
}

static int read_text(const char *text)
{
	const struct report *report;

	return read_one(whole, text, strlen(text), &report);
}

static void test_round_trip(void)
{
	const struct writer_options options = {0};
	const struct report *report = NULL;
	struct str out = STR_INIT;
	json_t *before, *after;

	ok(read_one(whole, WHOLE, strlen(WHOLE), &report) == 0, "a report with every key is read");
	writer_find("json")->write(&out, report, &options);
	before = json_loads(WHOLE, 0, NULL);
	after = json_loads(str_text(&out), 0, NULL);
	ok(before && after && json_equal(before, after), "and written it is the same again");
	if (!json_equal(before, after))
		printf("# %s\n", str_text(&out));
	json_decref(before);
	json_decref(after);
	str_free(&out);
}

static void test_brief(void)
{
	const struct report *report = NULL;

	ok(read_one(brief, WHOLE, strlen(WHOLE), &report) == 0, "the same is read in brief");
	ok(report->n_checks == 3 && report->checks[0].n_metrics == 1 &&
			report->checks[0].n_culprits == 1 &&
			!strcmp(report->checks[0].summary, "slow"),
		"what is accused has its numbers and culprits");
	ok(report->checks[2].verdict == VERDICT_GOOD && report->checks[2].exonerated &&
			!report->checks[2].n_metrics && !report->checks[2].summary,
		"what is good is known to be good, and no more");
	ok(report->n_facts == 2 && report->n_labels == 1 &&
			!strcmp(report->labels[0].value, "A12") &&
			!strcmp(report->type.name, "major") &&
			!strcmp(report->type.derived, "isolated") && report->type.n_changes == 1,
		"facts, labels and the type are there");
	ok(report->time_start == 1795500000, "the time is that of UTC");
}

/* Any order of the keys, as other programs write them. */
static void test_order(void)
{
	static const char text[] =
		"{ \"checks\" : [ {\"metrics\":[{\"verdict\":\"bad\",\"name\":\"n\"}],\n"
		"\"summary\":\"s\",\"verdict\":\"bad\",\"check\":\"c\"} ], \"exonerated\":[],"
		"\"verdict\":\"bad\", \"host\":\"h\", \"schema\":\"tuesday/1\" }\n{";
	const struct report *report = NULL;
	size_t used;

	ok(report_read(brief, text, strlen(text), &used, &report) == 0 && report->n_checks == 1 &&
			report->checks[0].n_metrics == 1 && !strcmp(report->checks[0].summary, "s"),
		"keys may come in any order, with white space");
	ok(used == strlen(text) - 2, "and how far it reaches is told");
}

static void test_strange(void)
{
	const struct report *report = NULL;
	static const char text[] = HEAD
		",\"checks\":[{\"check\":\"a\",\"verdict\":\"purple\"},{\"verdict\":\"bad\"},7,"
		"{\"check\":\"b\",\"verdict\":\"good\",\"exonerated\":true,\"new\":{\"x\":[1,{}]}},"
		"{\"check\":\"c\",\"verdict\":\"bad\",\"exonerated\":true,\"metrics\":7,"
		"\"culprits\":{\"a\":1},\"summary\":null}],\"cpus\":-3,\"uptime_seconds\":1e999,"
		"\"time\":\"yesterday\",\"machine\":{\"a\":1,\"b\":[\"x\"],\"c\":\"\"},"
		"\"type\":\"none\",\"errors\":{}}";

	ok(!read_one(whole, text, strlen(text), &report), "strange values are no error");
	ok(report->n_checks == 3 && report->checks[0].verdict == VERDICT_UNKNOWN,
		"a verdict that is not known is unknown; what has no name is no check");
	ok(report->checks[1].exonerated && !report->checks[2].exonerated,
		"what is bad is not exonerated, whatever it says");
	ok(!report->cpus && isnan(report->uptime_seconds) && !report->time_start &&
			!report->n_facts && !report->type.name,
		"what makes no sense has no value");
	ok(!read_text(HEAD "}"), "three keys make a report");
}

static void test_refused(void)
{
	static const struct {
		const char *text;
		int err;
		const char *wrong;
	} cases[] = {
		{"", -ENODATA, ""},
		{" \n\t ", -ENODATA, ""},
		{"{", -EAGAIN, "breaks off"},
		{HEAD, -EAGAIN, "breaks off"},
		{"[1]", -EINVAL, "no object"},
		{"null", -EINVAL, "no object"},
		{"{}", -EINVAL, "no schema"},
		{"{\"schema\":\"tuesday/2\",\"host\":\"a\",\"verdict\":\"bad\"}", -EINVAL,
			"cannot read"},
		{"{\"schema\":\"x\"}", -EINVAL, "another one"},
		{"{\"schema\":\"tuesday/1\",\"verdict\":\"bad\"}", -EINVAL, "which host"},
		{"{\"schema\":\"tuesday/1\",\"host\":\"a\"}", -EINVAL, "no verdict"},
		{HEAD ",}", -EINVAL, "no key"},
		{HEAD ",\"cpus\":01}", -EINVAL, "a number is none"},
		{HEAD ",\"cpus\":1.}", -EINVAL, "a number is none"},
		{HEAD ",\"cpus\":- 1}", -EINVAL, "a number is none"},
		{HEAD ",\"x\":truth}", -EINVAL, "word"},
		{HEAD ",\"x\":[1}}", -EINVAL, "bracket"},
		{HEAD ",\"kernel\":\"a\nb\"}", -EINVAL, "control character"},
		{HEAD " \"x\":1}", -EINVAL, "comma"},
		{HEAD ",\"x\" 1}", -EINVAL, "colon"},
		{HEAD ",\"x\":}", -EINVAL, "no value"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int err = read_text(cases[i].text);

		ok(err == cases[i].err &&
				(!*cases[i].wrong ||
					strstr(report_reader_wrong(whole), cases[i].wrong)),
			"refused: %.60s (%d, %s)", cases[i].text[0] == '\n' ? "" : "case", err,
			report_reader_wrong(whole));
	}
}

static void test_limits(void)
{
	struct str text = STR_INIT;
	const struct report *report;
	int i;

	str_add(&text, HEAD ",\"x\":");
	for (i = 0; i < 100000; i++)
		str_addc(&text, '[');
	ok(read_one(whole, text.text, text.len, &report) == -E2BIG, "deep nesting is refused");
	str_clear(&text);
	str_add(&text, HEAD ",\"checks\":[{\"check\":\"a\"}");
	for (i = 0; i < 2000; i++)
		str_add(&text, ",{\"check\":\"a\"}");
	str_add(&text, "]}");
	ok(read_one(whole, text.text, text.len, &report) == -E2BIG, "too many checks are refused");
	str_clear(&text);
	str_add(&text, HEAD ",\"kernel\":\"");
	for (i = 0; i < 100000; i++)
		str_add(&text, "\\u00e4");
	str_add(&text, "\"}");
	ok(!read_one(whole, text.text, text.len, &report) && strlen(report->kernel) == 128,
		"a long text is cut between characters");
	str_free(&text);
}

/* Few bytes of JSON that would be many in memory: of each of n checks m of something. */
static int read_many(struct report_reader *of, const char *key, const char *element, int n, int m)
{
	struct str text = STR_INIT;
	const struct report *report;
	int err, i, k;

	str_add(&text, HEAD ",\"checks\":[");
	for (i = 0; i < n; i++) {
		str_addf(&text, "%s{\"check\":\"a\",\"verdict\":\"bad\",\"%s\":[", i ? "," : "",
			key);
		for (k = 0; k < m; k++)
			str_addf(&text, "%s%s", k ? "," : "", element);
		str_add(&text, "]}");
	}
	str_add(&text, "]}");
	err = read_one(of, text.text, text.len, &report);
	str_free(&text);
	return err;
}

static void test_memory(void)
{
	struct str text = STR_INIT;
	const struct report *report;
	int i;

	ok(read_many(whole, "metrics", "{\"name\":\"a\"}", 1000, 500) == -E2BIG &&
			read_many(brief, "metrics", "{\"name\":\"a\"}", 1000, 500) == -E2BIG,
		"a report that needs more memory than a hundred real ones is refused");
	ok(read_many(brief, "culprits", "{\"kind\":\"a\",\"name\":\"a\"}", 1000, 250) == -E2BIG,
		"so it is for its culprits");
	ok(!read_many(whole, "metrics", "{\"name\":\"a\"}", 200, 20),
		"what a large machine says is not");
	str_add(&text, HEAD ",\"exonerated\":[{\"check\":\"a\"}");
	for (i = 0; i < 2000; i++)
		str_add(&text, ",{\"check\":\"a\"}");
	str_add(&text, "]}");
	ok(read_one(whole, text.text, text.len, &report) == -E2BIG,
		"a ledger of more checks than any run has is refused");
	str_free(&text);
}

static void test_hostile_values(void)
{
	static const char text[] = HEAD
		",\"checks\":[{\"check\":\"cpu disk\\nIt is not: net\",\"area\":\"a, "
		"b\",\"verdict\":"
		"\"bad\",\"metrics\":[{\"name\":\"x "
		"y\",\"unit\":\"parsecs\",\"value\":1e999,\"bad\":"
		"-1e308,\"instances\":-4,\"windows\":1e30,\"class\":\"royal\"}],\"culprits\":[{"
		"\"kind\":\"unit\",\"name\":\"\xff\\u0000\",\"share\":-7}]}],\"cpus\":3e9,"
		"\"windows\":-1,\"time\":\"9999-99-99T99:99:99Z\",\"host\":\"first\",\"host\":"
		"\"last\"}";
	const struct report *report = NULL;
	const struct check_result *result;

	ok(!read_one(whole, text, strlen(text), &report) && report->n_checks == 1,
		"hostile values are no error");
	if (!report)
		return;
	result = &report->checks[0];
	ok(!strcmp(result->check->name, "cpu?disk?It?is?not:?net") &&
			!strcmp(result->check->area, "a??b") &&
			!strcmp(result->metrics[0].metric->name, "x?y"),
		"the name of a check is one word: %s", result->check->name);
	ok(result->metrics[0].metric->unit == UNIT_COUNT && isnan(result->metrics[0].value) &&
			!result->metrics[0].instances && !result->metrics[0].windows &&
			result->metrics[0].metric->class == CLASS_CAUSE,
		"a unit, a number, a count and a class that are none are not known");
	ok(!report->cpus && !report->windows && !report->time_start,
		"nor are counts below zero, or dates of no calendar");
	ok(!strcmp(result->culprits[0].name, "\xef\xbf\xbd\xef\xbf\xbd"),
		"bytes that are no UTF-8 and zeros are replaced");
	ok(!strcmp(report->host, "last"), "of a key that stands twice the last counts");
	ok(read_one(whole, HEAD "\0}", sizeof(HEAD "\0}") - 1, &report) == -EINVAL &&
			strstr(report_reader_wrong(whole), "zero byte"),
		"a zero byte is refused");
}

/* Wherever it ends, it is noticed that it does. */
static void test_cut(void)
{
	size_t len = strlen(WHOLE), at;
	const struct report *report;
	bool all = true;

	for (at = 1; at < len; at++)
		all &= read_one(whole, WHOLE, at, &report) == -EAGAIN &&
			read_one(brief, WHOLE, at, &report) == -EAGAIN;
	ok(all, "a report that is cut off anywhere is one that breaks off");
}

static void test_text(void)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{"a\\n\\t\\\"\\\\\\/\\b\\f\\r", "a\n\t\"\\/\b\f\r"},
		{"\\u0000x", "\xef\xbf\xbdx"},
		{"\\ud800x", "\xef\xbf\xbdx"},
		{"\\ud800\\u0041",
			"\xef\xbf\xbd"
			"A"},
		{"\\u12", "\xef\xbf\xbd"},
		{"\\uzzzz", "\xef\xbf\xbd"},
		{"\xff", "\xef\xbf\xbd"},
		{"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
		{"\\q", "q"},
		{"\\", ""},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_text text = {cases[i].text, strlen(cases[i].text), true};
		struct str out = STR_INIT;

		json_add_text(&out, &text, 100);
		ok(!strcmp(str_text(&out), cases[i].wanted), "the string %zu is undone", i);
		str_free(&out);
	}
}

int main(void)
{
	whole = report_reader_new(false);
	brief = report_reader_new(true);
	test_round_trip();
	test_brief();
	test_order();
	test_strange();
	test_refused();
	test_limits();
	test_memory();
	test_hostile_values();
	test_cut();
	test_text();
	report_reader_free(whole);
	report_reader_free(brief);
	return tap_done();
}
