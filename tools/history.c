/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How did the lights of this machine stand, and how did the numbers of a check move, over the last
 * hours, days and months?
 */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/parsetime.h"
#include "run/options.h"
#include "history/format.h"
#include "base/sparkline.h"
#include "base/str.h"
#include "tools/history/internal.h"
#include "output/writer.h"
#include "base/unit.h"
#include "stats/quantile.h"
#include "history/query.h"
#include "history/read.h"
#include "history/trends.h"
#include "check/trend_rule.h"

#define CHANGES_SHOWN 10
#define TREND_DAYS 7
#define HOUR 3600

static int cmd_history(int argc, char **argv);
COMMAND(history_command) = {
	.name = "history",
	.args = "[CHECK]",
	.what = "show the verdicts and numbers of the last days",
	.group = COMMAND_KEEPS,
	.run = cmd_history,
};

static size_t view_column_of(const struct view *view, time_t time)
{
	double share = difftime(time, view->from) / (difftime(view->to, view->from) + 1);

	return share <= 0 ? 0 : share >= 1 ? COLUMNS - 1 : (size_t)(share * COLUMNS);
}

static struct lane *lane_of(struct view *view, const char *check)
{
	size_t i;

	for (i = 0; i < view->n_lanes; i++)
		if (!strcmp(view->lanes[i].check, check))
			return &view->lanes[i];
	ARRAY_GROW(view->lanes, view->n_lanes, view->room_lanes);
	view->lanes[view->n_lanes] = (struct lane){.check = mem_strdup(check)};
	return &view->lanes[view->n_lanes++];
}

static int view_take_verdict(void *arg, const struct history_verdict *light)
{
	struct view *view = arg;
	struct lane *lane = lane_of(view, light->check);
	size_t column = view_column_of(view, light->time);

	if (!lane->seen[column] || verdict_is_worse(light->verdict, lane->worst[column]))
		lane->worst[column] = light->verdict;
	lane->seen[column] = true;
	lane->runs++;
	lane->at[light->verdict]++;
	if (lane->n_changes && lane->changes[lane->n_changes - 1].verdict == light->verdict)
		return 0;
	ARRAY_GROW(lane->changes, lane->n_changes, lane->room_changes);
	lane->changes[lane->n_changes++] = (struct change){light->run, light->time, light->verdict};
	return 0;
}

static int view_take_run(void *arg, const struct history_run *run)
{
	(void)run;
	((struct view *)arg)->runs++;
	return 0;
}

static int view_take_series(void *arg, const struct history_series *series)
{
	struct view *view = arg;

	ARRAY_GROW(view->courses, view->n_courses, view->room_courses);
	view->courses[view->n_courses++] = (struct number_course){
		.id = series->id,
		.metric = mem_strdup(series->metric),
		.instance = mem_strdup(series->instance),
		.unit = series->unit,
		.class = series->class,
		.accuses = series->accuses,
		.maybe = series->maybe,
		.bad = series->bad,
	};
	return 0;
}

/* Series come by number. */
static int view_take_value(void *arg, const struct history_value *value)
{
	struct view *view = arg;
	size_t low = 0, high = view->n_courses;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (view->courses[middle].id < value->series)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < view->n_courses && view->courses[low].id == value->series) {
		struct number_course *course = &view->courses[low];

		ARRAY_GROW(course->values, course->n, course->room);
		course->values[course->n++] = *value;
	}
	return 0;
}

static void add_strip(struct str *out, const struct lane *lane)
{
	static const char letters[] = {
		[VERDICT_GOOD] = '.',
		[VERDICT_MAYBE] = '~',
		[VERDICT_BAD] = '#',
		[VERDICT_UNKNOWN] = '?',
		[VERDICT_SKIP] = '-',
	};
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		str_addc(out, lane->seen[i] ? letters[lane->worst[i]] : ' ');
}

static void view_add_share(struct str *out, const struct lane *lane, enum verdict verdict)
{
	if (!lane->at[verdict])
		return;
	str_addf(out, "  %s ", verdict_text(verdict));
	value_for_people(out, (double)lane->at[verdict] / (double)lane->runs, UNIT_RATIO);
}

static bool is_dull(const struct lane *lane)
{
	return lane->at[VERDICT_GOOD] + lane->at[VERDICT_SKIP] == lane->runs;
}

static void print_lane(const struct view *view, const struct lane *lane)
{
	const struct change *last = &lane->changes[lane->n_changes - 1];
	struct str line = STR_INIT;

	str_addf(&line, "  %-8s ", verdict_text(last->verdict));
	escape_terminal_cut(&line, lane->check, 16);
	while (line.len < 28)
		str_addc(&line, ' ');
	add_strip(&line, lane);
	view_add_share(&line, lane, VERDICT_BAD);
	view_add_share(&line, lane, VERDICT_MAYBE);
	view_add_share(&line, lane, VERDICT_UNKNOWN);
	if (lane->n_changes > 1) {
		str_add(&line, "  since ");
		format_time(&line, last->time, view->now);
	}
	puts(str_text(&line));
	str_free(&line);
}

/* Of two days both have their date: "10:48 to 10:48" would be no time at all. */
static void view_add_date(struct str *line, time_t time, time_t other, time_t now)
{
	struct tm a, b;

	if (localtime_r(&time, &a) && localtime_r(&other, &b) &&
		(a.tm_yday != b.tm_yday || a.tm_year != b.tm_year))
		format_time(line, time, time + 2 * 86400);
	else
		format_time(line, time, now);
}

static void view_print_head(const struct view *view)
{
	struct str line = STR_INIT;

	str_add(&line, "From ");
	view_add_date(&line, view->from, view->to, view->now);
	str_add(&line, " to ");
	view_add_date(&line, view->to, view->from, view->now);
	str_addf(&line, ": %zu run%s; a column is ", view->runs, view->runs == 1 ? "" : "s");
	value_for_people(&line, difftime(view->to, view->from) / COLUMNS, UNIT_SECONDS);
	str_add(&line, ": . good  ~ maybe  # bad  ? unknown  - skip");
	puts(str_text(&line));
	putchar('\n');
	str_free(&line);
}

/* The columns in which it was in force; what ended ends at most now. */
static void view_add_span(
	struct str *out, const struct view *view, const struct announcement *announcement)
{
	time_t last = announcement->until < view->to ? announcement->until : view->to;
	size_t from = view_column_of(view, announcement->since);
	size_t to = view_column_of(view, last), i;

	for (i = 0; i < COLUMNS; i++)
		str_addc(out, i >= from && i <= to ? '=' : ' ');
}

static void view_print_announced(const struct view *view)
{
	struct str line = STR_INIT;
	size_t i;

	for (i = 0; i < view->announced.n; i++) {
		const struct announcement *announcement = &view->announced.list[i];

		if (!announcement_within(announcement, view->from, view->to))
			continue;
		str_clear(&line);
		str_add(&line, "  announced");
		while (line.len < 28)
			str_addc(&line, ' ');
		view_add_span(&line, view, announcement);
		str_add(&line, "  '");
		escape_terminal_cut(&line, announcement->what, 60);
		str_add(&line, "' by ");
		escape_terminal_cut(&line, announcement->by, 40);
		str_add(&line, ", ");
		format_time(&line, announcement->since, view->now);
		str_add(&line, " to ");
		format_time(&line, announcement->until, view->now);
		puts(str_text(&line));
	}
	str_free(&line);
}

static void print_all(const struct view *view)
{
	size_t i, dull = 0;

	view_print_head(view);
	for (i = 0; i < view->n_lanes; i++)
		dull += is_dull(&view->lanes[i]);
	for (i = 0; i < view->n_lanes; i++)
		if (!is_dull(&view->lanes[i]))
			print_lane(view, &view->lanes[i]);
	view_print_announced(view);
	printf("%sGood throughout, or not on this machine: %zu of %zu checks.\n",
		dull < view->n_lanes ? "\n" : "", dull, view->n_lanes);
}

/* The value of each column that accuses most. */
static void add_spark(struct str *out, const struct view *view, const struct number_course *course)
{
	double columns[COLUMNS];
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		columns[i] = NAN;
	for (i = 0; i < course->n; i++) {
		double *column = &columns[view_column_of(view, course->values[i].time)];

		*column = course->accuses < 0 ? fmin(*column, course->values[i].value)
					      : fmax(*column, course->values[i].value);
	}
	spark_add(out, columns, COLUMNS, spark_utf8());
}

static void add_spread(struct str *out, const struct number_course *course)
{
	double *sorted = mem_realloc_array(NULL, course->n, sizeof(double));
	size_t i;

	for (i = 0; i < course->n; i++)
		sorted[i] = course->values[i].value;
	stats_sort(sorted, course->n);
	str_add(out, "  ");
	value_for_people(out, sorted[0], course->unit);
	str_add(out, " .. ");
	value_for_people(out, stats_median(sorted, course->n), course->unit);
	str_add(out, " .. ");
	value_for_people(out, sorted[course->n - 1], course->unit);
	str_add(out, ", last ");
	value_for_people(out, course->values[course->n - 1].value, course->unit);
	free(sorted);
}

/* Of the values of the last days, one for each hour. */
static struct forecast forecast_of(const struct view *view, const struct number_course *course)
{
	double target = limit_full(course->unit, course->accuses, course->maybe, course->bad);
	double *times = mem_realloc_array(NULL, course->n, sizeof(double));
	double *values = mem_realloc_array(NULL, course->n, sizeof(double)), hour = -1;
	struct forecast forecast = {0};
	size_t i, n = 0;

	for (i = 0; i < course->n; i++) {
		const struct history_value *value = &course->values[i];

		if (floor((double)value->time / HOUR) <= hour ||
			value->time < view->to - TREND_DAYS * 86400)
			continue;
		hour = floor((double)value->time / HOUR);
		times[n] = (double)value->time;
		values[n++] = value->value;
	}
	if (course->class == CLASS_LIMIT && course->unit != UNIT_SECONDS && !isnan(target))
		forecast = history_forecast(
			times, values, n, (double)view->to, target, course->accuses > 0);
	free(times);
	free(values);
	return forecast;
}

static void print_forecast(const struct view *view, const struct number_course *course)
{
	struct forecast forecast = forecast_of(view, course);
	struct str line = STR_INIT;

	if (!forecast.known)
		return;
	str_add(&line, "      at ");
	value_for_people(&line, forecast.target, course->unit);
	str_add(&line, " in ");
	value_for_people(&line, forecast.seconds, UNIT_SECONDS);
	str_add(&line, " (95 %: ");
	value_for_people(&line, forecast.low, UNIT_SECONDS);
	str_add(&line, " to ");
	value_for_people(&line, forecast.high, UNIT_SECONDS);
	str_add(&line, ") if it goes on as in the last ");
	value_for_people(&line, forecast.over_seconds, UNIT_SECONDS);
	puts(str_text(&line));
	str_free(&line);
}

static void view_print_course(const struct view *view, const struct number_course *course)
{
	struct str line = STR_INIT;

	if (!course->n)
		return;
	str_add(&line, "  ");
	escape_terminal_cut(&line, course->metric, 60);
	if (*course->instance) {
		str_addc(&line, '[');
		escape_terminal_cut(&line, course->instance, 60);
		str_addc(&line, ']');
	}
	str_add(&line, "\n      ");
	add_spark(&line, view, course);
	add_spread(&line, course);
	puts(str_text(&line));
	str_free(&line);
	print_forecast(view, course);
}

static void print_changes(const struct view *view, const struct lane *lane)
{
	size_t i = lane->n_changes > CHANGES_SHOWN ? lane->n_changes - CHANGES_SHOWN : 0;
	struct str line = STR_INIT;

	if (lane->n_changes == 1)
		puts("\nThe verdict has not changed:");
	else
		printf("\n%zu change%s of the verdict%s:\n", lane->n_changes - 1,
			lane->n_changes == 2 ? "" : "s", i ? ", the last of them" : "");
	for (; i < lane->n_changes; i++) {
		str_clear(&line);
		str_add(&line, "  ");
		format_time(&line, lane->changes[i].time, view->now);
		printf("%s  %s (run #%lld)\n", str_text(&line),
			verdict_text(lane->changes[i].verdict), (long long)lane->changes[i].run);
	}
	str_free(&line);
}

static void print_check(const struct view *view)
{
	size_t i;

	view_print_head(view);
	print_lane(view, &view->lanes[0]);
	view_print_announced(view);
	putchar('\n');
	for (i = 0; i < view->n_courses; i++)
		view_print_course(view, &view->courses[i]);
	print_changes(view, &view->lanes[0]);
}

static int view_read(struct view *view, struct history *history)
{
	int err = history_each_run(history, view->from, view->to, view_take_run, view);

	if (!err)
		err = history_each_verdict(
			history, view->check, view->from, view->to, view_take_verdict, view);
	if (!err && view->check)
		err = history_each_series(history, view->check, view_take_series, view);
	if (!err && view->check)
		err = history_each_value(
			history, view->check, view->from, view->to, view_take_value, view);
	if (err) {
		fprintf(stderr, "%s: the history cannot be read\n", view->program);
		return 3;
	}
	if (view->check && !view->n_lanes) {
		char *shown = escape_word(view->check);

		fprintf(stderr, "%s: no run of check '%s' in this time\n", view->program, shown);
		free(shown);
		return 3;
	}
	if (view->json)
		history_print_json(view);
	else if (view->check)
		print_check(view);
	else
		print_all(view);
	return 0;
}

static void view_free(struct view *view)
{
	size_t i;

	for (i = 0; i < view->n_lanes; i++) {
		free(view->lanes[i].check);
		free(view->lanes[i].changes);
	}
	for (i = 0; i < view->n_courses; i++) {
		free(view->courses[i].metric);
		free(view->courses[i].instance);
		free(view->courses[i].values);
	}
	free(view->lanes);
	free(view->courses);
	announcements_free(&view->announced);
}

static int view_set_since(void *to, const char *program, const char *value)
{
	struct view *view = to;
	time_t end;

	if (parsetime(value, view->now, &view->from, &end) || view->from > view->now)
		return option_refused(
			program, "since", value, "a time: 24h, 7d, 14:30, yesterday, 2026-11-20");
	return 0;
}

static int cmd_history(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "since", "WHEN", "since when: 24h, 7d, 14:30, yesterday, 2026-11-20 (24h)",
			OPTION_CALL(view_set_since)},
		{0, "json", NULL, "for programs: docs/history.md", OPTION_FLAG(struct view, json)},
	};
	time_t now = time(NULL);
	struct view view = {.program = argv[0], .now = now, .to = now, .from = now - 86400};
	const struct usage usage = {
		.line = "tuesday history [CHECK]",
		.what = "Shows the lights of earlier runs, or one check's light and numbers.",
		.groups = OPTIONS_STATE,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &view,
		.status = "0 shown, 3 nothing to show",
	};
	struct options options;
	struct history *opened;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names > 1) {
		fprintf(stderr, "%s: name one check; see --help\n", argv[0]);
	} else if (!err) {
		view.check = options.n_names ? options.names[0] : NULL;
		opened = history_open_to_show(argv[0], options.state);
		/* What cannot be read marks nothing. */
		announcements_load(&view.announced, options.state);
		status = opened ? view_read(&view, opened) : 3;
		history_close(opened);
	}
	view_free(&view);
	options_free(&options);
	return status;
}
