/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the history know what is usual at an hour, and when something is full? Is a run found by
 * whatever a person calls it? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>

#include "history/history.h"
#include "base/arena.h"
#include "base/str.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"
#include "history/insert.h"
#include "history/query.h"
#include "history/read.h"
#include "history/baseline.h"
#include "history/retention.h"
#include "history/trends.h"

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

static size_t times_written;

static void write_empty(struct str *json, const struct report *report)
{
	(void)report;
	str_add(json, "{}");
}

static void write_whole(struct str *json, const struct report *report)
{
	(void)report;
	times_written++;
	str_add(json, "{\"whole\": true}");
}

static int64_t enter(struct history *history, time_t time, enum verdict verdict)
{
	struct retention retention = retention_default();
	struct metric_result metrics[2];
	struct check_result result;
	struct report report;

	fill(&report, &result, metrics, time);
	result.verdict = verdict;
	return history_enter(history, &report, write_whole, "me", &retention);
}

/* A run of a single check, about something else. */
static void enter_cpu(struct history *history, time_t time)
{
	struct retention retention = retention_default();
	struct check cpu = {.name = (char *)"cpu"};
	struct check_result result = {.check = &cpu, .verdict = VERDICT_GOOD};
	struct report report = {.time_start = time, .checks = &result, .n_checks = 1};

	history_enter(history, &report, write_empty, NULL, &retention);
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
	ok(times_written == 1, "nor are they written (%zu)", times_written);
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

/* A table of a thousand that fills, as one run of a boot sees it. */
struct look {
	time_t time;
	double used, whole;
	const char *boot;
};

static struct metric table = {.name = "table_ratio",
	.unit = UNIT_RATIO,
	.class = CLASS_LIMIT,
	.say = "the table is {value} full",
	.remedy = "make it larger",
	.maybe = {.plain = {.set = true, .op = OP_GT}},
	.trend = {.within_seconds = 3600, .from = 0.5}};

static void look_fill(const struct look *look, struct report *report, struct check_result *result,
	struct metric_result *metric)
{
	*metric = (struct metric_result){.metric = &table,
		.instance = (char *)"",
		.label = (char *)"",
		.value = look->used,
		.whole = look->whole,
		.worst = NAN,
		.acquit = NAN,
		.maybe = 0.99,
		.bad = NAN,
		.instances = 1};
	*result = (struct check_result){
		.check = &check, .metrics = metric, .n_metrics = 1, .exonerated = true};
	*report = (struct report){.time_start = look->time,
		.boot_id = (char *)look->boot,
		.checks = result,
		.n_checks = 1};
}

static void look_free(struct check_result *result)
{
	free(result->summary);
	while (result->n_next)
		free(result->next[--result->n_next]);
	while (result->n_remedies)
		free(result->remedies[--result->n_remedies]);
	free(result->next);
	free(result->remedies);
	metric_words_free(&result->metrics[0].words);
}

static void enter_look(struct history *history, const struct look *look)
{
	struct retention retention = retention_default();
	struct metric_result metric;
	struct check_result result;
	struct report report;

	look_fill(look, &report, &result, &metric);
	history_enter(history, &report, write_empty, NULL, &retention);
}

/* What the last of these looks is told by the others; they begin hours before it, and grow by so
 * much an hour. */
static bool recalls_maybe(const char *dir, const struct look *last, double hours, double per_hour,
	const struct look *other, struct forecast *forecast)
{
	char *name = mem_printf("%s/due-%g-%g-%d", dir, per_hour, last->whole, other != NULL);
	struct metric_result metric;
	struct check_result result;
	struct history *history;
	struct report report;
	time_t time = last->time - (time_t)(hours * 3600);
	bool maybe;

	*forecast = (struct forecast){0};
	maybe = !history_open(&history, name, HISTORY_MAKE);
	free(name);
	if (!maybe)
		return false;
	for (; time < last->time; time += STEP) {
		struct look look = *last;

		/* Half of the time it was another limit, or another boot. */
		if (other && time < last->time - (time_t)(hours * 1800))
			look = *other;
		look.time = time;
		look.used -= per_hour * (double)(last->time - time) / 3600;
		enter_look(history, &look);
	}
	look_fill(last, &report, &result, &metric);
	if (history_trends_matter(&report) && history_recall_trends(history, &report, false))
		maybe = result.verdict == VERDICT_MAYBE && metric.verdict == VERDICT_MAYBE &&
			!result.exonerated && strstr(result.summary, "; at this rate full in ");
	else
		maybe = false;
	*forecast = metric.forecast;
	history_close(history);
	look_free(&result);
	return maybe;
}

/* Whether the run that tells of another instance than the worst is kept, with what each one was. */
static bool keeps_both(struct history *history, const struct report *report)
{
	const struct metric_result *metric = &report->checks[0].metrics[0];
	struct retention retention = retention_default();

	return !strcmp(metric->near[0].instance, "/") && metric->near[0].value > 0.79 &&
		history_enter(history, report, write_empty, NULL, &retention) > 0;
}

/* The worst stands still at 80 %, and another one comes from 60 % to 75 % in five hours, or hardly
 * moves. *kept: whether what it tells then can be entered. */
static bool recalls_other(const char *dir, double per_hour, bool *kept)
{
	struct retention retention = retention_default();
	char *name = mem_printf("%s/other-%g", dir, per_hour);
	struct near_instance near = {.instance = (char *)"/var",
		.label = (char *)"",
		.acquit = NAN,
		.maybe = 0.99,
		.bad = NAN,
		.whole = 1000};
	struct metric_result metric;
	struct check_result result;
	struct history *history;
	struct report report;
	bool told = !history_open(&history, name, HISTORY_MAKE);
	time_t time;

	free(name);
	for (time = NOW - 5 * 3600; told && time <= NOW; time += STEP) {
		look_fill(&(struct look){time, 0.8, 1000, "now"}, &report, &result, &metric);
		metric.instance = (char *)"/";
		metric.near = &near;
		metric.n_near = 1;
		near.value = 0.75 - per_hour * (double)(NOW - time) / 3600;
		if (time < NOW)
			history_enter(history, &report, write_empty, NULL, &retention);
	}
	told = told && history_recall_trends(history, &report, false) &&
		result.verdict == VERDICT_MAYBE && !strcmp(metric.instance, "/var") &&
		metric.value < 0.76 && metric.forecast.due &&
		strstr(result.summary, "75 % full; at this rate full in ");
	*kept = told && keeps_both(history, &report);
	history_close(history);
	look_free(&result);
	return told;
}

/* A check that is maybe by something else already. */
static bool recalls_beside(const char *dir)
{
	const struct look last = {NOW, 0.97, 1000, "now"};
	char *name = mem_printf("%s/beside", dir);
	struct metric_result metric;
	struct check_result result;
	struct history *history;
	struct report report;
	bool told = !history_open(&history, name, HISTORY_MAKE);
	time_t time;

	free(name);
	for (time = NOW - 5 * 3600; told && time < NOW; time += STEP)
		enter_look(history,
			&(struct look){
				time, 0.97 - 0.06 * (double)(NOW - time) / 3600, 1000, "now"});
	look_fill(&last, &report, &result, &metric);
	result.verdict = VERDICT_MAYBE;
	result.exonerated = false;
	told = told && !history_recall_trends(history, &report, false) &&
		metric.verdict == VERDICT_MAYBE && result.n_remedies == 1 &&
		!strcmp(result.remedies[0], "make it larger");
	history_close(history);
	look_free(&result);
	return told;
}

static void test_due(const char *dir)
{
	const struct look last = {NOW, 0.97, 1000, "now"};
	const struct look small = {NOW, 0.97, 500, "now"};
	const struct look before = {NOW, 0.995, 1000, "before"};
	const struct look disk = {NOW, 0.97, 1000, "before"};
	struct forecast forecast;
	struct arena arena = {0};
	struct str error = STR_INIT;
	size_t column;
	bool kept;

	table.value = expr_parse(
		"table:used / 1000", &(struct expr_scope){.arena = &arena}, &error, &column);
	ok(recalls_maybe(dir, &last, 5, 0.06, NULL, &forecast) && forecast.due &&
			forecast.source == FORECAST_HISTORY && fabs(forecast.seconds - 1800) < 60,
		"what earlier runs see full within the hour is maybe");
	ok(!recalls_maybe(dir, &last, 5, 0.01, NULL, &forecast) && forecast.known &&
			!forecast.due && fabs(forecast.seconds - 3 * 3600) < 300,
		"what they see full in three hours is said, and good");
	ok(!recalls_maybe(dir, &last, 1, 0.07, NULL, &forecast) && !forecast.known,
		"from a few runs nothing is said");
	ok(!recalls_maybe(dir, &last, 3, 0.08, &small, &forecast) && !forecast.known,
		"a limit that was changed begins anew");
	ok(!recalls_maybe(dir, &last, 3, 0.09, &before, &forecast) && !forecast.known,
		"so does what a start of the machine set back");
	ok(recalls_maybe(dir, &last, 3, 0.05, &disk, &forecast),
		"what goes on over it, as on a disk, does not");
	ok(recalls_beside(dir), "what to do about it is told beside what else is accused");
	ok(recalls_other(dir, 0.3, &kept),
		"an instance beside the worst is told where it is there first");
	ok(kept, "and the history keeps that run, with what the worst was");
	ok(!recalls_other(dir, 0.03, &kept), "and not where it is far from it");
	arena_free(&arena);
	str_free(&error);
}

/* Windows that see it full in five minutes, of what has come back before, or has not. */
static enum verdict recalls_windows(
	const char *dir, const double *values, size_t n, size_t accused, struct str *reason)
{
	const struct look last = {NOW, 0.7, 1000, "now"};
	char *name = mem_printf("%s/back-%zu-%zu-%g", dir, n, accused, values[0]);
	struct metric_result metric;
	struct check_result result;
	struct history *history;
	struct report report;
	bool open = !history_open(&history, name, HISTORY_MAKE);
	size_t i;

	free(name);
	if (!open)
		return VERDICT_UNKNOWN;
	for (i = 0; i < n; i++)
		enter_look(history,
			&(struct look){NOW - (time_t)((n - i) * 3600), values[i], 1000, "now"});
	look_fill(&last, &report, &result, &metric);
	metric.forecast = (struct forecast){.known = true,
		.due = true,
		.source = FORECAST_WINDOWS,
		.seconds = 300,
		.low = 300,
		.high = 300,
		.target = 1,
		.over_seconds = 10};
	metric.verdict = result.verdict = VERDICT_MAYBE;
	metric.accused = accused;
	result.exonerated = false;
	history_recall_trends(history, &report, false);
	history_close(history);
	str_clear(reason);
	str_add(reason, result.reason ? result.reason : "");
	free(result.reason);
	free(result.summary);
	return result.verdict;
}

static void test_came_back(const char *dir)
{
	static const double saw[] = {0.5, 0.6, 0.7, 0.8, 0.5, 0.6, 0.7, 0.8, 0.5, 0.6};
	static const double killed[] = {0.5, 0.7, 0.9, 0.995, 0.2, 0.4, 0.6};
	static const double higher[] = {0.3, 0.4, 0.5, 0.3, 0.4, 0.5, 0.6};
	static const double flat[] = {0.69, 0.69, 0.69, 0.69, 0.69, 0.69};
	struct str reason = STR_INIT;

	ok(recalls_windows(dir, saw, 10, 1, &reason) == VERDICT_GOOD &&
			!strcmp(str_text(&reason),
				"it grows, but has been at 80 % in the last 7 d, and came back"),
		"what was taken back before is not accused by the windows of a run");
	ok(recalls_windows(dir, saw, 10, 2, &reason) == VERDICT_MAYBE,
		"unless others of its kind are accused too, of whom that says nothing");
	ok(recalls_windows(dir, killed, 7, 1, &reason) == VERDICT_MAYBE,
		"what came to its limit is: that may have ended it");
	ok(recalls_windows(dir, higher, 7, 1, &reason) == VERDICT_MAYBE,
		"so is what has not been as high yet");
	ok(recalls_windows(dir, flat, 6, 1, &reason) == VERDICT_MAYBE, "and what begins to grow");
	str_free(&reason);
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

/* What cannot be read for want of memory is not damaged: it is not put aside. */
static void test_no_memory(struct history *history, const struct tree *tree, time_t time)
{
	int64_t run;

	sqlite3_hard_heap_limit64(1);
	run = enter(history, time, VERDICT_BAD);
	sqlite3_hard_heap_limit64(0);
	ok(run == -ENOMEM, "a run that finds no memory is not entered, and hears why (%lld)",
		(long long)run);
	ok(access(tree_path(tree, "history.db.damaged"), F_OK) &&
			!access(tree_path(tree, "history.db"), F_OK) &&
			enter(history, time, VERDICT_BAD) > 0,
		"and the history stays, for the next");
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
	test_no_memory(history, &tree, NOW + 92 * 86400);
	history_close(history);
	other = mem_printf("%s/other", tree.dir);
	third = mem_printf("%s/third", tree.dir);
	test_forget(other);
	test_first_of_hour(third);
	test_due(tree.dir);
	test_came_back(tree.dir);
	free(other);
	free(third);
	tree_free(&tree);
	return tap_done();
}
