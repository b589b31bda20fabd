/* SPDX-License-Identifier: GPL-2.0-only */
/* Which heat map does a file make? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/line_reader.h"
#include "base/number_map.h"
#include "base/str.h"
#include "heatmap/cells_file.h"
#include "heatmap/heatmap.h"
#include "heatmap/input.h"
#include "heatmap/number.h"
#include "heatmap/pairs.h"
#include "heatmap/perf_script.h"
#include "heatmap/periods.h"
#include "heatmap/tick.h"

/* Samples that are held back until it is known how often was looked. */
#define HELD_MAX 65536
/* Folded stacks of a range: what a flame graph needs, and no more than memory holds. */
#define THREADS_MAX 1000000 /* that are between begin and end */
#define FOLDED_MAX ((size_t)512 << 20)

struct held_sample {
	struct tick_look look;
	uint64_t tid;
	uint64_t lost;
	uint16_t name;
	bool is_idle;
};

struct input_reading {
	struct heatmap_input *input;
	struct heatmap *map;
	struct str *why;
	int err;
	bool is_known; /* the format */
	struct perf_script perf;
	struct pairs pairs;
	struct cells_file cells;
	struct held_sample *held;
	size_t n_held, held_room;
	bool is_settled; /* the map's rows are known */
	uint64_t first_ns;
	bool has_first;
	struct number_map by_tid; /* places in begins */
	uint64_t *begins;	  /* of threads that are between begin and end; 0: none */
	size_t n_begins, begins_room;
};

static void input_count_sample(struct input_reading *reading, const struct held_sample *sample)
{
	struct heatmap_input *input = reading->input;
	const char *name = reading->map->names[sample->name];

	if (sample->lost) {
		heatmap_add_lost(reading->map, sample->look.at_ns, sample->lost);
		return;
	}
	heatmap_see(reading->map, sample->look.at_ns);
	if (sample->is_idle)
		return;
	input->events++;
	heatmap_add(reading->map, sample->look.at_ns, 0, sample->name, 1);
	if (input->periods)
		heatmap_periods_add(input->periods, name, sample->tid, sample->look.at_ns);
	if (input->each)
		input->each(input->arg, sample->look.at_ns, 0, name);
}

/* How often was looked is told by what was held back: now rows are known, and all can be counted.
 */
static void input_settle(struct input_reading *reading)
{
	struct heatmap *map = reading->map;
	struct tick_look *looks = mem_alloc((reading->n_held + 1) * sizeof(*looks));
	size_t n = 0;

	for (size_t i = 0; i < reading->n_held; i++)
		if (!reading->held[i].lost)
			looks[n++] = reading->held[i].look;
	map->tick_ns = heatmap_tick(looks, n);
	free(looks);
	map->rows = reading->input->rows ? reading->input->rows
					 : heatmap_tick_rows(map->column_ns, map->tick_ns);
	reading->is_settled = true;
	for (size_t i = 0; i < reading->n_held; i++)
		input_count_sample(reading, &reading->held[i]);
	reading->n_held = 0;
}

static void input_add_folded(struct input_reading *reading, const struct perf_sample *sample)
{
	const struct heatmap_input *input = reading->input;
	const uint64_t period = reading->map->column_ns;
	const uint64_t begin = reading->first_ns / period * period;
	const uint64_t at = sample->at_ns > begin ? sample->at_ns - begin : 0;

	if (!input->folded || sample->is_idle || sample->lost || input->folded->len > FOLDED_MAX ||
		(input->has_range && (at < input->range_from_ns || at >= input->range_to_ns)))
		return;
	for (const char *c = sample->comm; *c; c++)
		str_addc(input->folded, *c == ';' ? ':' : *c);
	if (*sample->stack)
		str_addf(input->folded, ";%s", sample->stack);
	str_add(input->folded, " 1\n");
}

static void input_take_event(
	struct input_reading *reading, uint64_t at_ns, uint64_t latency_ns, const char *name)
{
	struct heatmap_input *input = reading->input;

	input->events++;
	heatmap_add(reading->map, at_ns, latency_ns, heatmap_name(reading->map, name), 1);
	if (input->each)
		input->each(input->arg, at_ns, latency_ns, name);
}

/* One of two events: a begin is kept for its thread until the end comes. */
static void input_take_half(void *arg, const struct perf_sample *sample)
{
	struct input_reading *reading = arg;
	const bool is_begin = !strcmp(sample->event, reading->input->begin);
	size_t at;

	if (sample->lost) {
		heatmap_add_lost(reading->map, sample->at_ns, sample->lost);
		return;
	}
	heatmap_see(reading->map, sample->at_ns);
	if (!number_map_get(&reading->by_tid, sample->tid, &at)) {
		if (!is_begin || reading->n_begins == THREADS_MAX)
			return;
		ARRAY_GROW(reading->begins, reading->n_begins, reading->begins_room);
		at = reading->n_begins++;
		reading->begins[at] = 0;
		number_map_add(&reading->by_tid, sample->tid, at);
	}
	if (is_begin) {
		reading->begins[at] = sample->at_ns;
	} else if (!strcmp(sample->event, reading->input->end) && reading->begins[at] &&
		sample->at_ns >= reading->begins[at]) {
		input_take_event(
			reading, sample->at_ns, sample->at_ns - reading->begins[at], sample->comm);
		reading->begins[at] = 0;
	}
}

static void input_take_sample(void *arg, const struct perf_sample *sample)
{
	struct input_reading *reading = arg;
	const struct held_sample held = {
		.look = {sample->has_cpu ? sample->cpu : UINT64_MAX / 2 + sample->tid,
			sample->at_ns},
		.tid = sample->tid,
		.lost = sample->lost,
		.name = heatmap_name(reading->map, sample->comm),
		.is_idle = sample->is_idle,
	};

	if (!reading->has_first && !sample->lost) {
		reading->has_first = true;
		reading->first_ns = sample->at_ns;
	}
	input_add_folded(reading, sample);
	if (reading->is_settled) {
		input_count_sample(reading, &held);
		return;
	}
	ARRAY_GROW(reading->held, reading->n_held, reading->held_room);
	reading->held[reading->n_held++] = held;
	if (reading->n_held == HELD_MAX)
		input_settle(reading);
}

static void input_take_pair(void *arg, const struct pair *pair)
{
	input_take_event(arg, pair->at_ns, pair->latency_ns, pair->name);
}

/* Two numbers, and neither "[CPU]" nor "TIME:" behind them, as of a program that is called by one.
 */
static bool input_is_pair(const char *line)
{
	uint64_t ns;

	return !heatmap_number(&line, 1, &ns) && (*line == ' ' || *line == '\t' || *line == ',') &&
		!heatmap_number(&line, 1, &ns) && !strstr(line, ": ") && !strstr(line, " [");
}

/* By the first line that says anything. */
static void input_know(struct input_reading *reading, const char *line)
{
	struct heatmap_input *input = reading->input;

	reading->is_known = true;
	if (cells_file_begins(line)) {
		input->format = HEATMAP_FORMAT_CELLS;
		reading->cells.map = reading->map;
		reading->cells.why = reading->why;
		return;
	}
	if (input->wants_latency || input_is_pair(line)) {
		input->format = HEATMAP_FORMAT_PAIRS;
		heatmap_init(reading->map, HEATMAP_LATENCY, input->column_ns, 0);
		reading->pairs = (struct pairs){input_take_pair, reading, input->time_unit_ns,
			input->latency_unit_ns, 0, 0};
		return;
	}
	input->format = HEATMAP_FORMAT_PERF;
	if (input->begin)
		heatmap_init(reading->map, HEATMAP_LATENCY, input->column_ns, 0);
	else
		heatmap_init(reading->map, HEATMAP_OFFSET, input->period_ns, 1);
	reading->is_settled = input->begin;
	reading->perf.each = input->begin ? input_take_half : input_take_sample;
	reading->perf.arg = reading;
	reading->perf.wants_stacks = input->folded != NULL;
}

static bool input_take_line(void *arg, char *line, size_t len)
{
	struct input_reading *reading = arg;

	if (!reading->is_known && line[strspn(line, " \t")] && *line != '#')
		input_know(reading, line);
	if (!reading->is_known)
		return true;
	switch (reading->input->format) {
	case HEATMAP_FORMAT_CELLS:
		reading->err = cells_file_line(&reading->cells, line);
		return !reading->err;
	case HEATMAP_FORMAT_PAIRS:
		return pairs_line(&reading->pairs, line, len);
	default:
		return perf_script_line(&reading->perf, line, len);
	}
}

static int input_end(struct input_reading *reading)
{
	struct heatmap_input *input = reading->input;

	if (!reading->is_known)
		return -ENODATA;
	if (input->format == HEATMAP_FORMAT_CELLS) {
		reading->err = cells_file_end(&reading->cells);
		input->events = reading->map->total;
		return reading->err;
	}
	if (input->format == HEATMAP_FORMAT_PERF) {
		perf_script_end(&reading->perf);
		if (!reading->is_settled)
			input_settle(reading);
		input->idle = reading->perf.idle;
		input->unread = reading->perf.unread;
	} else {
		input->unread = reading->pairs.unread;
	}
	return reading->map->total ? 0 : -ENODATA;
}

int heatmap_input_read(struct heatmap_input *input, struct heatmap *map, int fd, struct str *why)
{
	struct input_reading *reading = mem_zalloc(sizeof(*reading));
	struct line_reader lines = {.each = input_take_line, .arg = reading};
	int err, at_end;

	heatmap_init(map, HEATMAP_OFFSET, 1000000000, 1);
	input->events = input->idle = input->unread = 0;
	reading->input = input;
	reading->map = map;
	reading->why = why;
	err = line_reader_read(&lines, fd, input->doing);
	at_end = input_end(reading);
	input->unread += lines.too_long;
	free(reading->held);
	free(reading->begins);
	number_map_free(&reading->by_tid);
	free(reading);
	return err ? err : at_end;
}
