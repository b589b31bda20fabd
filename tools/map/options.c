/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has tuesday map, and what do they mean? */
#include "base/banned.h"

#include <errno.h>

#include "base/str.h"
#include "heatmap/heatmap.h"
#include "heatmap/number.h"
#include "tools/map/options.h"

#define LOOK_SECONDS 10

static const char *const formats[] = {"text", "json", "folded", NULL};

static int map_set_mark(void *to, const char *program, const char *value)
{
	struct map_options *asked = to;

	for (size_t i = 0; *value && i < HEATMAP_MARKS; i++)
		if (!asked->marks[i]) {
			asked->marks[i] = value;
			return 0;
		}
	return option_refused(program, "highlight", value, "a pattern, at most two");
}

static int map_set_at(void *to, const char *program, const char *value)
{
	struct map_options *asked = to;
	const char *at = value;

	if (heatmap_number(&at, 1000000000, &asked->at_ns) || *at)
		return option_refused(
			program, "at", value, "a time since the first column, such as 12.34");
	asked->has_at = true;
	return 0;
}

static int map_set_range(void *to, const char *program, const char *value)
{
	struct map_options *asked = to;
	const char *at = value;

	if (heatmap_number(&at, 1000000000, &asked->from_ns) || *at++ != ':' ||
		heatmap_number(&at, 1000000000, &asked->to_ns) || *at ||
		asked->to_ns <= asked->from_ns)
		return option_refused(program, "range", value,
			"two times since the first column, such as 12.3:12.7");
	asked->has_range = true;
	return 0;
}

static int map_set_unit(const char *program, const char *option, const char *value, uint64_t *ns)
{
	*ns = heatmap_unit_ns(value);
	return *ns ? 0 : option_refused(program, option, value, "one of: s ms us ns");
}

static int map_set_time_unit(void *to, const char *program, const char *value)
{
	struct map_options *asked = to;

	return map_set_unit(program, "time-unit", value, &asked->time_unit_ns);
}

static int map_set_latency_unit(void *to, const char *program, const char *value)
{
	struct map_options *asked = to;

	return map_set_unit(program, "latency-unit", value, &asked->latency_unit_ns);
}

static const struct option_row own[] = {
	{0, "for", "TIME", "without FILE: how long to sample this machine (10s)",
		OPTION_SECONDS(struct map_options, seconds, 0.5, 86400, "a time from 500ms to 1d")},
	{0, "latency", NULL, "FILE has lines \"TIME LATENCY [NAME]\": a latency map",
		OPTION_FLAG(struct map_options, latency)},
	{0, "svg", "FILE", "write the picture to FILE, for a browser",
		OPTION_TEXT(struct map_options, svg)},
	{'o', "output", "FORMAT", "text, json, or folded: the stacks of the samples in the range",
		OPTION_CHOICE(struct map_options, format, formats)},
	{0, "to", "FILE", "write that to FILE, replaced in one step",
		OPTION_TEXT(struct map_options, to)},
	{0, "cells", "FILE", "write the cells, to combine them with those of other hosts",
		OPTION_TEXT(struct map_options, cells)},
	{0, "compare", "BEFORE", "draw that file above, on the same scale",
		OPTION_TEXT(struct map_options, compare)},
	{0, "isolate", "PATTERN", "only names that match, on the same axes",
		OPTION_TEXT(struct map_options, isolate)},
	{0, "highlight", "PATTERN", "these names in another colour; twice: two colours",
		OPTION_CALL(map_set_mark)},
	{0, "at", "TIME", "list who ran so many seconds after the first column began",
		OPTION_CALL(map_set_at)},
	{0, "range", "FROM:TO", "only between these times, such as 12.3:12.7",
		OPTION_CALL(map_set_range)},
	{0, "linear", NULL, "shades by number; else by rank, which shows small differences",
		OPTION_FLAG(struct map_options, linear)},
	{0, "period", "TIME", "the length of a column; offsets are within it (1s)",
		OPTION_SECONDS(
			struct map_options, period_seconds, 0.001, 86400, "a time from 1ms to 1d")},
	{0, "rows", "N", "rows of an offset map (as the samples allow, at most 100)",
		OPTION_COUNT(struct map_options, rows, 1, HEATMAP_ROWS_MAX)},
	{0, "time-unit", "UNIT", "of TIME without a unit: s (default), ms, us, ns",
		OPTION_CALL(map_set_time_unit)},
	{0, "latency-unit", "UNIT", "of LATENCY without a unit: s (default), ms, us, ns",
		OPTION_CALL(map_set_latency_unit)},
	{0, "wall", NULL, "times are times of day, to combine several hosts",
		OPTION_FLAG(struct map_options, wall)},
	{0, "title", "TEXT", "the picture's title (by default what was found)",
		OPTION_TEXT(struct map_options, title)},
	{0, "color", "WHEN", "auto (default), always, never",
		OPTION_CHOICE(struct map_options, color, option_colors)},
};

static int map_options_check(const struct map_options *asked)
{
	const char *wrong = NULL;

	if (asked->is_live && (asked->latency || asked->format == MAP_FORMAT_FOLDED))
		wrong = "--latency and -o folded need a file";
	else if (!asked->is_live && asked->seconds > 0)
		wrong = "--for samples this machine: name no file";
	else if (asked->format == MAP_FORMAT_FOLDED && asked->latency)
		wrong = "lines of time and latency have no stacks: -o folded needs perf script "
			"text";
	else if (asked->format == MAP_FORMAT_FOLDED && asked->common.n_names > 1)
		wrong = "-o folded takes one file";
	for (size_t i = 0, n = 0; !wrong && i < asked->common.n_names; i++) {
		n += !strcmp(asked->common.names[i], "-");
		if (n + (asked->compare && !strcmp(asked->compare, "-")) > 1)
			wrong = "standard input can be read only once";
	}
	if (!wrong)
		return 0;
	fprintf(stderr, "%s: %s\n", asked->program, wrong);
	return -EINVAL;
}

int map_options_read(struct map_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "tuesday map [FILE...]",
		.what = "Who ran when? Draws samples by the second and by the offset within it, "
			"which shows pauses\n"
			"and what runs once a second, and says who runs at which intervals. "
			"Without FILE it samples the\n"
			"CPUs of this machine. FILE is what `perf script` prints, lines \"TIME "
			"LATENCY [NAME]\", or cells of\n"
			"an earlier map; several are laid over each other; - is standard input. "
			"A PATTERN is a piece of a\n"
			"name: ^ begins it, $ ends it, * is anything, | is between several. See "
			"docs/map.md.\n"
			"  tuesday map --for 30s --highlight riak\n"
			"  perf record -F 99 -a -g -- sleep 60; perf script | tuesday map -\n"
			"  tuesday map perf.txt --highlight riak --highlight zoneadmd\n"
			"  tuesday map perf.txt --range 12.3:12.7 -o folded | tuesday flame -\n"
			"  tuesday map --latency reads.txt --latency-unit us --svg reads.svg",
		.own = own,
		.n_own = sizeof(own) / sizeof(own[0]),
		.to = asked,
		.status = "0 it is done, 3 it is not",
	};
	int err;

	*asked = (struct map_options){.program = argv[0],
		.period_seconds = 1,
		.time_unit_ns = 1000000000,
		.latency_unit_ns = 1000000000};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	asked->is_live = !asked->common.n_names;
	err = map_options_check(asked);
	if (!(asked->seconds > 0))
		asked->seconds = LOOK_SECONDS;
	return err;
}

void map_options_free(struct map_options *asked)
{
	options_free(&asked->common);
}
