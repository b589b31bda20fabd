/* SPDX-License-Identifier: GPL-2.0-only */
/* How long did each take, when, and whose was it? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "base/sparkline.h"
#include "base/str.h"
#include "heatmap/axis.h"
#include "heatmap/cells_file.h"
#include "heatmap/periods.h"
#include "heatmap/show.h"
#include "sys/atomic_file.h"
#include "tools/trace/answer.h"
#include "tools/trace/record.h"

#define BAR_COLUMNS 40
#define NAME_COLUMNS 32
#define OCTAVE (1u << HEATMAP_LATENCY_BITS)

static int answer_write(const struct trace_options *asked, const char *path, const struct str *text)
{
	struct str why = STR_INIT;
	int err = 0;

	if (!strcmp(path, "-"))
		fwrite(str_text(text), 1, text->len, stdout);
	else
		err = write_file_atomically(path, FILE_BY_UMASK, str_text(text), text->len, &why);
	if (err) {
		char *shown = escape_path(path);

		fprintf(stderr, "%s: %s: %s\n", asked->program, shown, str_text(&why));
		free(shown);
	}
	str_free(&why);
	return err;
}

static void answer_add_subject(struct str *out, const struct trace_options *asked)
{
	if (asked->begin && asked->common.n_names) {
		escape_terminal(out, asked->common.names[0]);
		str_add(out, ", ");
	}
	if (asked->begin) {
		escape_terminal(out, asked->begin);
		str_add(out, " to ");
		escape_terminal(out, asked->end);
	} else if (asked->event) {
		escape_terminal(out, asked->event);
	} else {
		escape_terminal(out, asked->common.names[0]);
		if (asked->common.n_names > 1)
			str_addf(out, " and %zu more", asked->common.n_names - 1);
	}
}

/* A quantile is at most the end of its row, and no more than the longest of all where that is
 * known. */
static uint64_t answer_quantile(const struct trace_record *record, double q)
{
	const uint64_t ns = heatmap_latency_quantile(&record->map, q);
	const bool is_known = record->n_slowest && !record->is_summed && !record->has_range;

	return is_known && record->slowest[0].latency_ns < ns ? record->slowest[0].latency_ns : ns;
}

/* "disk/block: 1234 events in 10 s: half took 120 us at most, 99 % 4 ms, the slowest 0.52 s" */
static void answer_add_title(
	struct str *out, const struct trace_options *asked, const struct trace_record *record)
{
	const struct heatmap *map = &record->map;

	if (asked->title) {
		escape_terminal(out, asked->title);
		return;
	}
	answer_add_subject(out, asked);
	str_addf(out, ": %llu event%s in ", (unsigned long long)map->total,
		map->total == 1 ? "" : "s");
	heatmap_axis_time(out,
		record->seconds > 0 ? (uint64_t)(record->seconds * 1e9)
				    : map->seen_to_ns - map->seen_from_ns);
	if (map->hosts > 1)
		str_addf(out, " on %u hosts", map->hosts);
	if (record->is_counted || !map->total)
		return;
	str_add(out, ": half took ");
	heatmap_axis_time(out, answer_quantile(record, 0.5));
	str_add(out, " at most, 99 % ");
	heatmap_axis_time(out, answer_quantile(record, 0.99));
	str_add(out, ", the slowest ");
	heatmap_axis_time(out, answer_quantile(record, 1));
}

/* What a reader of the picture should know: how was looked, and what is missing. */
static void answer_add_note(
	struct str *out, const struct trace_options *asked, const struct trace_record *record)
{
	if (record->method) {
		escape_terminal(out, record->method);
		if (asked->slower_seconds > 0) {
			str_add(out, ", from ");
			heatmap_axis_time(out, (uint64_t)(asked->slower_seconds * 1e9));
			str_add(out, " on");
		}
	}
	if (record->is_summed)
		str_addf(out, "%sSums of the kernel, read at the end of each column",
			out->len ? ". " : "");
	if (record->is_cut)
		str_addf(out, "%sThe trace was ended early", out->len ? ". " : "");
	heatmap_show_notes(out, &record->map);
	if (record->unread)
		str_addf(out, "%s%llu line%s could not be read", out->len ? ". " : "",
			(unsigned long long)record->unread, record->unread == 1 ? "" : "s");
	if (record->left_out)
		str_addf(out, "%sThe last %llu events are not in the log", out->len ? ". " : "",
			(unsigned long long)record->left_out);
}

/* Events by powers of two. */
static void answer_octaves(
	const struct heatmap *map, uint64_t *octaves, size_t *least, size_t *most)
{
	*least = HEATMAP_LATENCY_ROWS / OCTAVE;
	*most = 0;
	for (size_t i = 0; i < map->n_cells; i++) {
		const size_t octave = map->cells[i].row / OCTAVE;

		octaves[octave] += map->cells[i].weight;
		if (octave < *least)
			*least = octave;
		if (octave > *most)
			*most = octave;
	}
}

static void answer_add_histogram(struct str *out, const struct heatmap *map)
{
	uint64_t octaves[HEATMAP_LATENCY_ROWS / OCTAVE] = {0}, greatest = 0;
	size_t least, most;

	answer_octaves(map, octaves, &least, &most);
	str_addf(out, "%10s %9s\n", "from", "events");
	for (size_t i = least; i <= most && map->n_cells; i++)
		greatest = octaves[i] > greatest ? octaves[i] : greatest;
	for (size_t i = least; i <= most && map->n_cells; i++) {
		struct str from = STR_INIT;
		size_t bar = (size_t)((double)octaves[i] / (double)greatest * BAR_COLUMNS + 0.5);

		heatmap_axis_time(&from, heatmap_latency_least((uint32_t)i * OCTAVE));
		str_addf(out, "%10s %9llu %5.1f %% ", str_text(&from),
			(unsigned long long)octaves[i],
			100.0 * (double)octaves[i] / (double)map->total);
		/* What is there at all is seen. */
		for (bar += octaves[i] && !bar; bar; bar--)
			str_addc(out, '#');
		while (out->len && out->text[out->len - 1] == ' ')
			out->text[--out->len] = 0;
		str_addc(out, '\n');
		str_free(&from);
	}
}

/* Of a live look the time of day, else as the file has it. */
static void answer_add_time(struct str *out, const struct trace_record *record, uint64_t at_ns)
{
	const time_t seconds = (time_t)(at_ns / 1000000000);
	const unsigned int us = (unsigned int)(at_ns % 1000000000 / 1000);
	struct tm parts;
	char text[32];

	if (record->map.is_wall && localtime_r(&seconds, &parts) &&
		strftime(text, sizeof(text), "%H:%M:%S", &parts))
		str_addf(out, "%s.%06u", text, us);
	else
		str_addf(out, "%llu.%06u", (unsigned long long)seconds, us);
}

static size_t answer_top(const struct trace_options *asked, const struct trace_record *record)
{
	return record->n_slowest < asked->top ? record->n_slowest : asked->top;
}

static void answer_add_slowest(
	struct str *out, const struct trace_options *asked, const struct trace_record *record)
{
	const size_t top = answer_top(asked, record);

	if (!top)
		return;
	str_addf(out,
		record->is_summed ? "The slowest of each, %zu of them:\n" : "The slowest %zu:\n",
		top);
	for (size_t i = 0; i < top; i++) {
		const struct trace_slow *slow = &record->slowest[i];
		struct str took = STR_INIT;

		heatmap_axis_time(&took, slow->latency_ns);
		str_addf(out, "%10s", str_text(&took));
		if (slow->at_ns) {
			str_add(out, ", ended ");
			answer_add_time(out, record, slow->at_ns);
		}
		if (*slow->who) {
			str_add(out, ", ");
			escape_name_cut(out, slow->who, NAME_COLUMNS);
		}
		if (slow->pid)
			str_addf(out, " (pid %u)", slow->pid);
		if (*slow->by) {
			str_add(out, ", on ");
			escape_name_cut(out, slow->by, NAME_COLUMNS);
		}
		str_addc(out, '\n');
		str_free(&took);
	}
}

static int answer_by_time(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* How many of those that are kept are slow: the slowest hundredth, ten at least. */
static size_t answer_slow(const struct trace_record *record)
{
	const size_t part = (size_t)(record->map.total / 100);
	const size_t n = part < 10 ? 10 : part;

	return n < record->n_slowest ? n : record->n_slowest;
}

/* Whether the slowest come again and again after the same time. */
static bool answer_period(const struct trace_record *record, struct heatmap_period *period)
{
	const size_t n = answer_slow(record);
	struct heatmap_periods *periods;
	struct heatmap_periods_limits limits;
	uint64_t *times;
	bool found;

	if (record->is_summed || !n)
		return false;
	times = mem_alloc(n * sizeof(*times));
	for (size_t i = 0; i < n; i++)
		times[i] = record->slowest[i].at_ns;
	qsort(times, n, sizeof(*times), answer_by_time);
	periods = heatmap_periods_new();
	for (size_t i = 0; i < n; i++)
		heatmap_periods_add(periods, "slow", 0, times[i]);
	free(times);
	heatmap_periods_limits_default(&limits);
	found = heatmap_periods_find(periods, 0, &limits, period, 1) == 1;
	heatmap_periods_free(periods);
	return found;
}

static void answer_add_period(struct str *out, const struct trace_record *record)
{
	struct heatmap_period period;
	const size_t n = answer_slow(record);

	if (!answer_period(record, &period))
		return;
	str_addf(out, "The slowest %zu, from ", n);
	heatmap_axis_time(out, record->slowest[n - 1].latency_ns);
	str_add(out, " on, come every ");
	heatmap_axis_time(out, (uint64_t)(period.seconds * 1e9 + 0.5));
	str_addf(out, " (%zu times)\n", period.times);
}

/* What the earlier look had, beside the picture. */
static void answer_add_before(struct str *out, const struct heatmap *before)
{
	str_addf(out, "before: %llu events in ", (unsigned long long)before->total);
	heatmap_axis_time(out, before->seen_to_ns - before->seen_from_ns);
	str_add(out, ": half took ");
	heatmap_axis_time(out, heatmap_latency_quantile(before, 0.5));
	str_add(out, " at most, 99 % ");
	heatmap_axis_time(out, heatmap_latency_quantile(before, 0.99));
	str_addc(out, '\n');
}

static struct heatmap_show answer_show(const struct trace_options *asked,
	const struct trace_record *record, const struct heatmap *before, const char *title,
	const char *note)
{
	return (struct heatmap_show){
		.map = &record->map,
		.before = before,
		.isolate = asked->isolate,
		.marks = {asked->marks[0], asked->marks[1]},
		.linear = asked->linear,
		.has_range = asked->has_range,
		.from_ns = asked->from_ns,
		.to_ns = asked->to_ns,
		.look = {.title = title,
			.note = note,
			.unit = "events",
			.colors = asked->to
				? 0
				: terminal_colors((enum color_when)asked->color, STDOUT_FILENO),
			.utf8 = spark_utf8()},
		.columns = terminal_columns(),
	};
}

static void answer_add_text(struct str *out, const struct trace_options *asked,
	const struct trace_record *record, const struct heatmap_show *show)
{
	str_addf(out, "%s\n", show->look.title);
	if (*show->look.note)
		str_addf(out, "%s\n", show->look.note);
	if (!record->map.total)
		return;
	if (!record->is_counted) {
		str_addc(out, '\n');
		answer_add_histogram(out, &record->map);
	}
	str_addc(out, '\n');
	if (heatmap_show_terminal(out, show))
		str_add(out, "nothing lies in that range\n");
	heatmap_show_unmatched(out, show);
	if (asked->has_at)
		heatmap_show_at(out, &record->map, asked->at_ns);
	if (show->before && !record->is_counted)
		answer_add_before(out, show->before);
	if (!record->is_counted && record->n_slowest) {
		str_addc(out, '\n');
		answer_add_slowest(out, asked, record);
		answer_add_period(out, record);
	}
}

static void answer_add_json_lists(struct json_writer *json, const struct trace_options *asked,
	const struct trace_record *record)
{
	uint64_t octaves[HEATMAP_LATENCY_ROWS / OCTAVE] = {0};
	size_t least, most;

	answer_octaves(&record->map, octaves, &least, &most);
	json_open(json, "histogram", '[');
	for (size_t i = least; i <= most && record->map.n_cells; i++) {
		json_open(json, NULL, '{');
		json_write_number(json, "from_seconds",
			(double)heatmap_latency_least((uint32_t)i * OCTAVE) * 1e-9);
		json_write_count(json, "events_count", octaves[i]);
		json_close(json);
	}
	json_close(json);
	json_open(json, "slowest", '[');
	for (size_t i = 0; i < answer_top(asked, record); i++) {
		const struct trace_slow *slow = &record->slowest[i];

		json_open(json, NULL, '{');
		json_write_number(json, "took_seconds", (double)slow->latency_ns * 1e-9);
		if (slow->at_ns)
			json_write_count(json, "ended_ns", slow->at_ns);
		json_write_text(json, "who", slow->who);
		json_write_text(json, "of", slow->by);
		if (slow->pid)
			json_write_count(json, "pid", slow->pid);
		json_close(json);
	}
	json_close(json);
}

static void answer_add_json(struct str *out, const struct trace_options *asked,
	const struct trace_record *record, const struct heatmap_show *show)
{
	const struct heatmap *map = &record->map;
	struct heatmap_period period;
	struct json_writer json;

	json_start(&json, out);
	json_write_string(&json, "title", show->look.title);
	json_write_text(&json, "note", show->look.note);
	json_write_count(&json, "events_count", map->total);
	json_write_count(&json, "lost_count", map->lost);
	json_write_count(&json, "hosts_count", map->hosts);
	json_write_if(&json, "interrupted", record->is_cut);
	if (!record->is_counted && map->total) {
		json_write_number(
			&json, "p50_seconds", (double)answer_quantile(record, 0.5) * 1e-9);
		json_write_number(
			&json, "p99_seconds", (double)answer_quantile(record, 0.99) * 1e-9);
		answer_add_json_lists(&json, asked, record);
		if (answer_period(record, &period)) {
			json_write_number(&json, "slow_period_seconds", period.seconds);
			json_write_number(&json, "slow_period_error_seconds", period.error_seconds);
		}
	}
	heatmap_show_json(&json, show);
	json_finish(&json);
}

/* A picture, the cells and the log, where they are asked for. */
static int answer_files(const struct trace_options *asked, const struct trace_record *record,
	const struct heatmap_show *show)
{
	struct str out = STR_INIT;
	int err = 0;

	if (asked->log)
		err = answer_write(asked, asked->log, &record->log);
	if (!err && asked->cells) {
		cells_file_write(&out, &record->map);
		err = answer_write(asked, asked->cells, &out);
		str_clear(&out);
	}
	if (!err && asked->svg && record->map.total) {
		if (heatmap_show_svg(&out, show)) {
			fprintf(stderr, "%s: nothing lies in that range\n", asked->program);
			err = -ENODATA;
		} else {
			err = answer_write(asked, asked->svg, &out);
		}
	}
	str_free(&out);
	return err;
}

int trace_answer(struct str *out, const struct trace_options *asked,
	const struct trace_record *record, const struct heatmap *before)
{
	struct str title = STR_INIT, note = STR_INIT;
	struct heatmap_show show;
	int err;

	answer_add_title(&title, asked, record);
	answer_add_note(&note, asked, record);
	show = answer_show(asked, record, before, str_text(&title), str_text(&note));
	err = answer_files(asked, record, &show);
	if (!err && asked->format)
		answer_add_json(out, asked, record, &show);
	else if (!err)
		answer_add_text(out, asked, record, &show);
	if (!err && asked->to) {
		err = answer_write(asked, asked->to, out);
		str_clear(out);
	}
	str_free(&title);
	str_free(&note);
	return err;
}
