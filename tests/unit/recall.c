/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the history know what is usual at an hour, and when something is full? Is a run found by
 * whatever a person calls it? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "history/history.h"
#include "base/str.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"
#include "history/insert.h"
#include "history/query.h"
#include "history/read.h"
#include "history/baseline.h"
#include "history/retention.h"

#define NOW 1795258800 /* 2026-11-21 11:00 UTC */
#define STEP 600
#define DAYS 9

static struct metric busy = {.name = "busy_ratio",
	.unit = UNIT_RATIO,
	.class = CLASS_HARM,
	.maybe = {.plain = {.set = true, .op = OP_GT}}};
static struct metric used = {.name = "used_ratio",
	.unit = UNIT_RATIO,
	.class = CLASS_LIMIT,
	.maybe = {.plain = {.set = true, .op = OP_GT}},
	.bad = {.plain = {.set = true, .op = OP_GT}}};
static struct check check = {.name = (char *)"disk"};

/* A machine that is busy by day, and whose disk fills by 1 % in a day. */
static void fill(struct report *report, struct check_result *result, struct metric_result *metrics,
	time_t time)
{
	double hour = fmod((double)time / 3600, 24);

	metrics[0] = (struct metric_result){.metric = &busy,
		.instance = (char *)"",
		.label = (char *)"",
		.value = hour > 8 && hour < 18 ? 0.5 + 0.01 * fmod((double)time / STEP, 5) : 0.02,
		.maybe = 0.4,
		.bad = NAN,
		.look = NAN,
		.acquit = NAN};
	metrics[1] = (struct metric_result){.metric = &used,
		.instance = (char *)"/var\n",
		.label = (char *)"",
		.value = 0.9 - 0.01 * (double)(NOW - time) / 86400,
		.maybe = 0.8,
		.bad = 0.95,
		.acquit = NAN,
		.instances = 1};
	*result = (struct check_result){
		.check = &check, .metrics = metrics, .n_metrics = 2, .verdict = VERDICT_MAYBE};
	*report = (struct report){
		.time_start = time, .checks = result, .n_checks = 1, .verdict = VERDICT_MAYBE};
	snprintf(report->id, sizeof(report->id), "%032llx", (unsigned long long)time);
}

static int64_t enter(struct history *history, time_t time, enum verdict verdict)
{
	struct retention retention = retention_default();
	struct metric_result metrics[2];
	struct check_result result;
	struct report report;

	fill(&report, &result, metrics, time);
	result.verdict = verdict;
	return history_enter(history, &report, "{\"whole\": true}", 15, "me", &retention);
}

/* A run of a single check, about something else. */
static void enter_cpu(struct history *history, time_t time)
{
	struct retention retention = retention_default();
	struct check cpu = {.name = (char *)"cpu"};
	struct check_result result = {.check = &cpu, .verdict = VERDICT_GOOD};
	struct report report = {.time_start = time, .checks = &result, .n_checks = 1};

	history_enter(history, &report, "{}", 2, NULL, &retention);
}

static bool finds(struct history *history, const char *text, int err, time_t time)
{
	struct history_run run = {0};
	struct str why = STR_INIT;
	bool found = history_find(history, text, NOW, &run, &why) == err &&
		(err ? why.len > 0 : run.time == time);

	if (!found)
		printf("# %s: run %lld of %lld; %s\n", text, (long long)run.id, (long long)run.time,
			str_text(&why));
	str_free(&why);
	return found;
}

static void test_find(struct history *history)
{
	time_t first = NOW - DAYS * 86400, last = NOW - STEP;
	struct str json = STR_INIT;
	char uuid[40];

	snprintf(uuid, sizeof(uuid), "%032llx", (unsigned long long)first);
	ok(finds(history, "1", 0, first) && finds(history, "#2", 0, first + STEP) &&
			finds(history, uuid, 0, first),
		"a run is found by its number and its id");
	ok(finds(history, "last", 0, last) && finds(history, "last-2", 0, last - 2 * STEP),
		"and by its age");
	ok(finds(history, "2026-11-20 14:35", 0, 1795185000) &&
			finds(history, "10:00", 0, NOW - 3600) &&
			finds(history, "2h", 0, NOW - 7200) && finds(history, "now", 0, last),
		"and by its time, the one before");
	ok(finds(history, "0", -ENOENT, 0) && finds(history, "last-99999", -ENOENT, 0) &&
			finds(history, "ffffffff", -ENOENT, 0) &&
			finds(history, "1999-01-01", -ENOENT, 0) &&
			finds(history, "noon\033", -EINVAL, 0) && finds(history, "", -EINVAL, 0),
		"what is not there is said");
	ok(!history_report(history, 1, &json) && !strcmp(str_text(&json), "{\"whole\": true}") &&
			history_report(history, 2, &json) == -ENOENT,
		"the report of a change is kept whole, others are not kept");
	str_free(&json);
}

static void test_recall(struct history *history)
{
	struct metric_result metrics[2];
	struct check_result result;
	struct report report;
	struct forecast *forecast = &metrics[1].forecast;

	fill(&report, &result, metrics, NOW);
	history_recall(history, &report, false);
	ok(metrics[0].normal.runs >= 50 && metrics[0].normal.low >= 0.5 &&
			metrics[0].normal.high <= 0.54 && metrics[0].normal.middle > 0.5,
		"by day it knows the day (%zu runs, %g to %g)", metrics[0].normal.runs,
		metrics[0].normal.low, metrics[0].normal.high);
	ok(result.verdict == VERDICT_MAYBE && report.verdict == VERDICT_MAYBE,
		"and changes no verdict");
	ok(forecast->known && fabs(forecast->seconds / 86400 - 10) < 0.2 &&
			forecast->low <= forecast->seconds && forecast->high >= forecast->seconds,
		"what fills by 1 %% in a day is full in ten (%.2f)", forecast->seconds / 86400);
	ok(!metrics[0].forecast.known, "only a limit has a forecast");
	fill(&report, &result, metrics, NOW - 8 * 3600);
	history_recall(history, &report, true);
	ok(metrics[0].normal.runs >= 20 && metrics[0].normal.high < 0.1, "by night the night");
	fill(&report, &result, metrics, NOW);
	result.verdict = VERDICT_GOOD;
	history_recall(history, &report, false);
	ok(!metrics[0].normal.runs, "what accuses nobody is asked only where all is");
}

/* Each hour begins with a run that has not seen the disk. */
static void test_first_of_hour(const char *dir)
{
	struct metric_result metrics[2];
	struct forecast *forecast = &metrics[1].forecast;
	struct check_result result;
	struct history *history;
	struct report report;
	time_t hour;

	if (!ok(!history_open(&history, dir, HISTORY_MAKE), "a third is begun"))
		return;
	for (hour = NOW - 4 * 86400; hour < NOW; hour += 3600) {
		enter_cpu(history, hour);
		enter(history, hour + STEP, VERDICT_MAYBE);
		enter(history, hour + 2 * STEP, VERDICT_MAYBE);
	}
	fill(&report, &result, metrics, NOW);
	history_recall(history, &report, false);
	ok(forecast->known && fabs(forecast->seconds / 86400 - 10) < 0.2,
		"a trend is of the first value of each hour, of whichever run (%.2f)",
		forecast->seconds / 86400);
	history_close(history);
}

static int64_t enter_many(struct history *history, time_t from, int n)
{
	int64_t run = 0;
	int i;

	for (i = 0; i < n && run >= 0; i++)
		run = enter(history, from + i * STEP, VERDICT_MAYBE);
	return run;
}

/* Only what is old by a clock that several runs agree on goes, and nothing that is younger. */
static void test_forget(const char *dir)
{
	const time_t year = 366 * 86400, later = NOW + 91 * 86400;
	struct history *history;
	bool kept;

	if (!ok(!history_open(&history, dir, HISTORY_MAKE), "another is begun"))
		return;
	enter_many(history, NOW, 5);
	enter_many(history, 86400, 1);
	enter_many(history, NOW + 6 * STEP, 5);
	ok(finds(history, "1", 0, NOW) && finds(history, "6", 0, 86400),
		"a run whose clock was not set yet takes no others with it");
	enter_many(history, NOW + year, 2);
	kept = finds(history, "1", 0, NOW);
	enter_many(history, NOW + 12 * STEP, 2);
	enter_many(history, 86400, 3);
	ok(kept && finds(history, "1", 0, NOW), "nor do runs whose clock is far ahead or behind");
	enter_many(history, NOW + 15 * STEP, 5);
	enter_many(history, later, 3);
	ok(finds(history, "1", 0, NOW), "nothing is old before some runs agree on the time");
	enter_many(history, later + 3 * STEP, 1);
	ok(finds(history, "1", -ENOENT, 0) && finds(history, "#10", 0, NOW + 9 * STEP),
		"then it goes, a few with each run");
	enter_many(history, later + 4 * STEP, 3);
	ok(finds(history, "#23", -ENOENT, 0) && finds(history, "#24", 0, later),
		"with those among it whose clock was wrong, and nothing that is young");
	history_close(history);
}

int main(void)
{
	/* Each run is synced to the disk: in memory that costs nothing. */
	struct tree shm = {"/dev/shm/tuesday-test-XXXXXX"};
	struct tree tree = mkdtemp(shm.dir) ? shm : tree_new();
	struct history *history;
	int64_t run = 0;
	time_t time;
	char *other, *third;

	setenv("TZ", "UTC", 1);
	setenv("TUESDAY_HISTORY_INI", "/nonexistent", 1);
	ok(history_open(&history, tree.dir, HISTORY_READ) == -ENOENT &&
			history_open(&history, tree.dir, HISTORY_ADD) == -ENOENT,
		"a history is not begun by who reads it");
	if (!ok(!history_open(&history, tree.dir, HISTORY_MAKE), "it is begun"))
		return tap_done();
	for (time = NOW - DAYS * 86400; time < NOW && run >= 0; time += STEP)
		run = enter(history, time, VERDICT_MAYBE);
	ok(run == DAYS * 86400 / STEP, "runs are numbered (%lld)", (long long)run);
	test_find(history);
	test_recall(history);
	ok(enter_many(history, NOW + 91 * 86400, 4) == run + 4, "runs are added after a long time");
	ok(finds(history, "1", -ENOENT, 0) &&
			finds(history, "last", 0, NOW + 91 * 86400 + 3 * STEP),
		"the old ones go, and numbers are never used twice");
	history_close(history);
	other = mem_printf("%s/other", tree.dir);
	third = mem_printf("%s/third", tree.dir);
	test_forget(other);
	test_first_of_hour(third);
	free(other);
	free(third);
	tree_free(&tree);
	return tap_done();
}
