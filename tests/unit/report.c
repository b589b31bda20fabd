/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a report say no more than the checks do, and is its page harmless and bounded? */
#include "base/banned.h"

#include <math.h>

#include "output/read_json.h"
#include "base/str.h"
#include "tap.h"
#include "check/check.h"
#include "tools/report/text.h"
#include "tools/report/html.h"
#include "tools/report/series.h"
#include "tools/report/areas.h"
#include "tools/report/status.h"
#include "tools/report/model.h"

#define EVIL "<script>alert(1)</script>\\u001b[31m\\\"'&"

static struct report_reader *reader;

struct made {
	struct story story;
	struct str page, text;
};

/* From the checks of a report, as JSON. recent: whether each is about an issue of some versions, or
 * NULL. */
static void make_recent(
	struct made *made, const char *verdict, const char *checks, const bool *recent)
{
	char *json = mem_printf("{\"schema\":\"tuesday/1\",\"host\":\"h\",\"time\":"
				"\"2026-11-20T05:00:00Z\",\"windows\":5,\"window_seconds\":2.0,"
				"\"verdict\":\"%s\",\"checks\":[%s]}",
		verdict, checks);
	size_t used;

	*made = (struct made){0};
	made->story.recent = recent;
	if (report_read(reader, json, strlen(json), &used, &made->story.report))
		ok(false, "it is a report: %s", report_reader_wrong(reader));
	areas_make(&made->story.areas, made->story.report);
	status_make(&made->story.status, &made->story);
	story_as_html(&made->page, &made->story);
	story_as_text(&made->text, &made->story, false, 80);
	free(json);
}

static void make(struct made *made, const char *verdict, const char *checks)
{
	make_recent(made, verdict, checks, NULL);
}

static void unmake(struct made *made)
{
	status_free(&made->story.status);
	areas_free(&made->story.areas);
	str_free(&made->page);
	str_free(&made->text);
}

/* Whether a sentence of that kind begins so. */
static bool says(const struct made *made, enum sentence_kind kind, const char *beginning)
{
	const struct status *status = &made->story.status;
	size_t i;

	for (i = 0; i < status->n; i++)
		if (status->list[i].kind == kind && str_starts(status->list[i].text, beginning))
			return true;
	return false;
}

static bool in_page(const struct made *made, const char *text)
{
	return strstr(str_text(&made->page), text) != NULL;
}

static const struct area *area_of(const struct made *made, const char *name)
{
	size_t i;

	for (i = 0; i < made->story.areas.n; i++)
		if (!strcmp(made->story.areas.list[i].name, name))
			return &made->story.areas.list[i];
	return NULL;
}

#define CHECK(name, area, verdict, more) \
	"{\"check\":\"" name "\",\"area\":\"" area "\",\"verdict\":\"" verdict \
	"\",\"summary\":\"s of " name "\"" more "}"
#define CLEARED ",\"exonerated\":true"
#define HARM \
	",\"metrics\":[{\"name\":\"wait_ratio\",\"value\":0.5,\"unit\":\"ratio\",\"class\":" \
	"\"harm\",\"verdict\":\"bad\",\"maybe\":0.1,\"bad\":0.3,\"accuses\":\"above\"," \
	"\"normal\":{\"low\":0.01,\"middle\":0.02,\"high\":0.03,\"runs\":20}}]"

static void test_healthy(void)
{
	struct made made;

	make(&made, "good",
		CHECK("cpu", "cpu", "good", CLEARED) "," CHECK(
			"config", "config", "good", CLEARED));
	ok(says(&made, SAYS_NOT, "No issue was seen: 2 checks"), "nothing accused is no issue");
	ok(says(&made, SAYS_NOT, "It is not just load: there was work for cpu"),
		"work that nothing waits for is not just load");
	ok(says(&made, SAYS_NOT, "Configuration checks passed: "), "good configuration is not it");
	ok(says(&made, SAYS_UNKNOWN, "Whether it is a recent issue"),
		"what no check is about is not known");
	unmake(&made);
}

/* What is skipped was not looked for. */
static void test_recent(void)
{
	static const bool recent[] = {true, true, true};
	struct made made;

	make_recent(&made, "good",
		CHECK("old", "cpu", "skip", "") "," CHECK("older", "cpu", "skip", ""), recent);
	ok(says(&made, SAYS_UNKNOWN,
		   "Whether it is a recent issue was not examined: 2 that are known are of other "
		   "versions"),
		"that all are of other versions is no word that none is here");
	unmake(&made);
	make_recent(&made, "unknown",
		CHECK("old", "cpu", "skip", "") "," CHECK("new", "cpu", "good", "") "," CHECK(
			"unseen", "cpu", "unknown", ""),
		recent);
	ok(says(&made, SAYS_NOT,
		   "It is not the one recent issue that was looked for; 1 that is of other "
		   "versions was not; 1 more could not be examined"),
		"only what was looked for counts as not here");
	unmake(&made);
	make_recent(&made, "bad",
		CHECK("old", "cpu", "skip", "") "," CHECK("new", "cpu", "bad", ""), recent);
	ok(says(&made, SAYS_IS, "It is a recent issue: new"), "and what is found is said");
	unmake(&made);
}

static void test_accused(void)
{
	struct made made;

	make(&made, "bad",
		CHECK("cpu", "cpu", "bad",
			HARM ",\"culprits\":[{\"kind\":\"process\",\"name\":\"puma\",\"id\":\"7\"}"
			     "]") "," CHECK("config", "config", "unknown", ""));
	ok(says(&made, SAYS_IS, "It is a real issue, of this magnitude: cpu (s of cpu)"),
		"harm is a real issue, with its magnitude");
	ok(says(&made, SAYS_MAYBE,
		   "It may be load: more work alone may do this to cpu; cpu wait_ratio"),
		"a resource that is accused exonerates no load");
	ok(strstr(str_text(&made.text), "usually 1 % to 3 % here at this hour") != NULL,
		"what is usual at this hour is said");
	ok(says(&made, SAYS_UNKNOWN, "Whether it is configuration was not examined"),
		"unknown is never good");
	ok(says(&made, SAYS_IS, "Most likely cause: cpu (puma (pid 7))"), "and who did it is said");
	ok(in_page(&made, "blamed: puma"), "in the diagram too");
	unmake(&made);
}

/* What the history of the machine that wrote the report knew comes with it. */
static void test_told_past(void)
{
	struct made made;

	make(&made, "bad",
		CHECK("fs", "disk", "bad",
			",\"only_since\":true,\"since\":[{\"name\":\"kills_count\",\"value\":3.0,"
			"\"class\":\"error\",\"verdict\":\"bad\",\"bad\":0.0,\"accuses\":"
			"\"above\"}],\"metrics\":[{\"name\":\"full_ratio\",\"value\":0.9,"
			"\"unit\":\"ratio\",\"class\":\"limit\",\"verdict\":\"maybe\","
			"\"acquit\":0.5,\"maybe\":0.8,\"accuses\":\"above\",\"forecast\":{"
			"\"seconds\":86400.0,\"low\":43200.0,\"target\":1.0,\"over_seconds\":"
			"604800.0}}]"));
	ok(in_page(&made, "at 100 % in 24 h (12 h or more)"), "a forecast comes with a report");
	ok(in_page(&made, "kills_count"), "what accuses the time before does too");
	ok(says(&made, SAYS_IS, "It is a real issue, something has failed"),
		"and counts for what is known");
	ok(in_page(&made, "acquit&#160;&lt;=&#160;50&#160;%"),
		"a limit that acquits is on the other side");
	unmake(&made);
}

static void test_unknown(void)
{
	struct made made;

	make(&made, "unknown",
		CHECK("cpu", "cpu", "unknown", "") "," CHECK("clock", "cpu", "good", CLEARED));
	ok(says(&made, SAYS_UNKNOWN, "Whether it is load"),
		"an area that was looked at in part clears no load");
	unmake(&made);
	make(&made, "unknown", CHECK("cpu", "cpu", "unknown", ""));
	ok(says(&made, SAYS_UNKNOWN, "Whether there is an issue"),
		"where nothing was examined nothing is said");
	unmake(&made);
	make(&made, "good", "");
	ok(made.page.len > 0 && says(&made, SAYS_UNKNOWN, "Whether there is an issue"),
		"a report without checks is one too");
	unmake(&made);
}

static void test_areas(void)
{
	struct made made;
	const struct area *area;

	make(&made, "bad",
		CHECK("a", "disk", "good", "") "," CHECK("b", "disk", "bad", "") "," CHECK(
			"c", "network", "maybe", "") "," CHECK("d", "security", "unknown",
			"") ",{\"check\":\"e\",\"verdict\":\"good\"}");
	area = area_of(&made, "disk");
	ok(area && area->verdict == VERDICT_BAD && area->n == 2 &&
			!strcmp(made.story.report->checks[area->checks[0]].check->name, "b"),
		"the worst of an area is its light, and stands first");
	area = area_of(&made, "net");
	ok(area && area->verdict == VERDICT_MAYBE, "another name of an area is the same area");
	area = area_of(&made, "security");
	ok(area && area->width && area->y >= area_of(&made, "config")->y,
		"an area that the diagram does not know stands below");
	ok(area_of(&made, "other") != NULL, "and so does what has none");
	unmake(&made);
}

static void test_system(void)
{
	struct areas areas = {0};
	const struct report none = {0};
	size_t i, k, wrong = 0;

	areas_make(&areas, &none);
	for (i = 0; i < areas.n; i++) {
		const struct area *a = &areas.list[i];

		wrong += !a->title || !a->width || !a->height || a->x + a->width > 12;
		for (k = 0; k < i; k++) {
			const struct area *b = &areas.list[k];

			wrong += a->x < b->x + b->width && b->x < a->x + a->width &&
				a->y < b->y + b->height && b->y < a->y + a->height;
		}
	}
	ok(areas.n > 10 && !wrong, "no box of the diagram is without a place, or upon another");
	areas_free(&areas);
}

static void test_hostile(void)
{
	struct made made;

	make(&made, "bad",
		CHECK(EVIL, EVIL, "bad",
			",\"reason\":\"" EVIL "\",\"howevers\":[\"" EVIL "\"],\"next\":[\"" EVIL
			"\"],\"culprits\":[{\"kind\":\"process\",\"name\":\"" EVIL
			"\"}],\"metrics\":[{\"name\":\"" EVIL "\",\"instance\":\"" EVIL
			"\",\"value\":1.0,\"verdict\":\"bad\",\"why\":\"" EVIL
			"\",\"class\":\"harm\",\"source\":\"" EVIL "\"}]"));
	ok(!in_page(&made, "<script"), "a name is no element of the page");
	ok(!in_page(&made, "\033") && !strchr(str_text(&made.text), '\033'),
		"and no control character");
	ok(in_page(&made, "&lt;script&gt;alert(1)"), "but text");
	unmake(&made);
}

/* As many and as long names as a report may have. */
static void test_bounded(void)
{
	struct str checks = STR_INIT;
	struct made made;
	size_t i, k;

	for (i = 0; i < 300; i++) {
		str_addf(&checks,
			"%s{\"check\":\"c%zu\",\"area\":\"a%zu\",\"verdict\":\"bad\",\"metrics\":[",
			i ? "," : "", i, i);
		for (k = 0; k < 60; k++)
			str_addf(&checks,
				"%s{\"name\":\"a_rather_long_name_of_a_number_%zu\",\"value\":1.0,"
				"\"verdict\":\"good\",\"unit\":\"count\",\"class\":\"harm\"}",
				k ? "," : "", k);
		str_add(&checks, "]}");
	}
	make(&made, "bad", str_text(&checks));
	ok(made.page.len < PAGE_BYTES_MAX, "a page of 18,000 numbers is %zu KiB",
		made.page.len / 1024);
	ok(in_page(&made, "more numbers have no room here"), "and says what it left out");
	unmake(&made);
	str_free(&checks);
}

static struct str draw(const double *values, size_t n, double maybe)
{
	static const struct metric metric = {.name = "m", .unit = UNIT_COUNT};
	const struct metric_result result = {
		.metric = &metric, .value = 1, .maybe = maybe, .bad = NAN, .verdict = VERDICT_GOOD};
	struct trail trail = {.n = n};
	struct str out = STR_INIT;
	size_t i;

	for (i = 0; i < TRAIL_COLUMNS; i++)
		trail.columns[i] = i < n ? values[i] : NAN;
	svg_trail(&out, &trail, &result);
	return out;
}

static void test_trail(void)
{
	static const double rising[] = {1, 2, 3, 4}, gap[] = {1, NAN, 2}, flat[] = {0, 0},
			    huge[] = {-1.7e308, 1.7e308};
	struct str out = draw(rising, 4, 5);

	ok(strstr(str_text(&out), "least 1, largest 4") != NULL, "a course is told in words too");
	ok(strstr(str_text(&out), "class=\"limit maybe\"") != NULL, "a near limit is drawn");
	str_free(&out);
	out = draw(rising, 4, 5000);
	ok(out.len && !strstr(str_text(&out), "limit"), "a far one is not, to see the course");
	str_free(&out);
	out = draw(gap, 3, NAN);
	ok(strstr(str_text(&out), "M3.0") && strchr(strstr(str_text(&out), "M3.0") + 1, 'M'),
		"where there was no value there is no line");
	str_free(&out);
	out = draw(flat, 2, NAN);
	ok(out.len && !strstr(str_text(&out), "nan"), "nothing but zeros is a line");
	str_free(&out);
	out = draw(rising, 1, NAN);
	ok(!out.len, "a single value is no course");
	str_free(&out);
	out = draw(huge, 2, NAN);
	ok(!strstr(str_text(&out), "nan") && !strstr(str_text(&out), "inf"),
		"numbers beyond all measure draw nothing that is none");
	str_free(&out);
}

int main(void)
{
	reader = report_reader_new(false);
	test_healthy();
	test_recent();
	test_accused();
	test_told_past();
	test_unknown();
	test_areas();
	test_system();
	test_hostile();
	test_bounded();
	test_trail();
	report_reader_free(reader);
	return tap_done();
}
