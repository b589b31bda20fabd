/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has tracediagnose, and what do they mean? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/str.h"
#include "heatmap/number.h"
#include "tools/trace/options.h"

static int trace_set_mark(void *to, const char *program, const char *value)
{
	struct trace_options *asked = to;

	for (size_t i = 0; *value && i < HEATMAP_MARKS; i++)
		if (!asked->marks[i]) {
			asked->marks[i] = value;
			return 0;
		}
	return option_refused(program, "highlight", value, "a pattern, at most two");
}

static int trace_set_at(void *to, const char *program, const char *value)
{
	struct trace_options *asked = to;
	const char *at = value;

	if (heatmap_number(&at, 1000000000, &asked->at_ns) || *at)
		return option_refused(
			program, "at", value, "a time since the first column, such as 12.34");
	asked->has_at = true;
	return 0;
}

static int trace_set_range(void *to, const char *program, const char *value)
{
	struct trace_options *asked = to;
	const char *at = value;

	if (heatmap_number(&at, 1000000000, &asked->from_ns) || *at++ != ':' ||
		heatmap_number(&at, 1000000000, &asked->to_ns) || *at ||
		asked->to_ns <= asked->from_ns)
		return option_refused(program, "range", value,
			"two times since the first column, such as 12.3:12.7");
	asked->has_range = true;
	return 0;
}

static int trace_set_time_unit(void *to, const char *program, const char *value)
{
	struct trace_options *asked = to;

	asked->time_unit_ns = heatmap_unit_ns(value);
	return asked->time_unit_ns
		? 0
		: option_refused(program, "time-unit", value, "one of: s ms us ns");
}

static int trace_set_latency_unit(void *to, const char *program, const char *value)
{
	struct trace_options *asked = to;

	asked->latency_unit_ns = heatmap_unit_ns(value);
	return asked->latency_unit_ns
		? 0
		: option_refused(program, "latency-unit", value, "one of: s ms us ns");
}

static const struct option_row own[] = {
	{0, "begin", "A:B", "from this tracepoint, such as block:block_rq_issue",
		OPTION_TEXT(struct trace_options, begin)},
	{0, "end", "C:D", "to this one", OPTION_TEXT(struct trace_options, end)},
	{0, "event", "A:B", "a single tracepoint: when it occurs",
		OPTION_TEXT(struct trace_options, event)},
	{0, "only", "CONDITION", "condition on fields: 'order > 0 and comm != kswapd0'",
		OPTION_TEXT(struct trace_options, only)},
	{0, "key", "FIELDS", "what begin and end share: tid, cpu, or one or two fields",
		OPTION_TEXT(struct trace_options, key)},
	{0, "end-key", "FIELDS", "the same for the end, if its fields have other names",
		OPTION_TEXT(struct trace_options, end_key)},
	{0, "who", "FIELD", "who causes it: comm (default), cgroup, or a field",
		OPTION_TEXT(struct trace_options, who)},
	{0, "by", "FIELD", "of what: dev, cpu, or a field", OPTION_TEXT(struct trace_options, by)},
	{0, "value", "FIELD", "for --event: the field with its duration in ns",
		OPTION_TEXT(struct trace_options, value)},
	{0, "for", "TIME", "how long to trace (10s)",
		OPTION_SECONDS(
			struct trace_options, seconds, 0.1, 86400, "a time from 100ms to 1d")},
	{0, "slower", "TIME", "only what takes at least this long, which costs less",
		OPTION_SECONDS(
			struct trace_options, slower_seconds, 0, 86400, "a time from 0 to 1d")},
	{'n', "top", "N", "how many of the slowest to show (10)",
		OPTION_COUNT(struct trace_options, top, 0, TRACE_SLOWEST_MAX)},
	{0, "log", "FILE", "write a line for each event: its time, how long, whose, of what",
		OPTION_TEXT(struct trace_options, log)},
	{0, "svg", "FILE", "write the picture to FILE, for a browser",
		OPTION_TEXT(struct trace_options, svg)},
	{'o', "output", "FORMAT", "text, or json",
		OPTION_CHOICE(struct trace_options, format, option_json)},
	{0, "to", "FILE", "write that to FILE, replaced in one step",
		OPTION_TEXT(struct trace_options, to)},
	{0, "cells", "FILE", "write the cells, to be merged with those of other hosts",
		OPTION_TEXT(struct trace_options, cells)},
	{0, "merge", NULL, "FILEs are cells: combine them in one map",
		OPTION_FLAG(struct trace_options, merge)},
	{0, "compare", "BEFORE", "draw that file (cells, or a log) above, on the same scale",
		OPTION_TEXT(struct trace_options, compare)},
	{0, "isolate", "PATTERN", "draw only names that match, on the same axes",
		OPTION_TEXT(struct trace_options, isolate)},
	{0, "highlight", "PATTERN", "these names in another colour; twice: two colours",
		OPTION_CALL(trace_set_mark)},
	{0, "at", "TIME", "list whose events are so many seconds after the first column",
		OPTION_CALL(trace_set_at)},
	{0, "range", "FROM:TO", "only between these times, such as 12.3:12.7",
		OPTION_CALL(trace_set_range)},
	{0, "linear", NULL, "shades by number; else by rank, which shows the few",
		OPTION_FLAG(struct trace_options, linear)},
	{0, "column", "TIME", "the length of a column (by default fits the trace)",
		OPTION_SECONDS(struct trace_options, column_seconds, 0.001, 86400,
			"a time from 1ms to 1d")},
	{0, "time-unit", "UNIT", "of TIME in a file: s (default), ms, us, ns",
		OPTION_CALL(trace_set_time_unit)},
	{0, "latency-unit", "UNIT", "of LATENCY in a file: s (default), ms, us, ns",
		OPTION_CALL(trace_set_latency_unit)},
	{0, "title", "TEXT", "the picture's title (by default what was found)",
		OPTION_TEXT(struct trace_options, title)},
	{0, "color", "WHEN", "auto (default), always, never",
		OPTION_CHOICE(struct trace_options, color, option_colors)},
};

static const char *trace_options_wrong(const struct trace_options *asked)
{
	const bool declared = asked->begin || asked->end || asked->event;

	if (!declared && !asked->common.n_names)
		return "name what to trace: CHECK/TRACE, --begin and --end, or files; see --help";
	if (asked->event && asked->common.n_names)
		return "--event traces this machine: give no name or file";
	if (asked->begin && asked->common.n_names &&
		(asked->only || asked->key || asked->end_key || asked->by || asked->who))
		return "in a file two events are matched by their thread: no --only, --key, "
		       "--who, --by";
	if (asked->event && (asked->begin || asked->end))
		return "--event is one tracepoint, --begin and --end are two";
	if (!asked->begin != !asked->end)
		return "--begin and --end belong together";
	if (asked->value && !asked->event)
		return "--value needs --event";
	if (asked->merge && declared)
		return "--merge needs files";
	return NULL;
}

/* A file that is there is one; all else is the name of a trace. */
static bool trace_options_is_live(const struct trace_options *asked)
{
	return !asked->common.n_names ||
		(!asked->merge && !asked->begin && asked->common.n_names == 1 &&
			strcmp(asked->common.names[0], "-") != 0 &&
			access(asked->common.names[0], F_OK) != 0);
}

int trace_options_read(struct trace_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "tracediagnose CHECK/TRACE | --begin A:B --end C:D | FILE...",
		.what = "How long did each take, when, and who caused it? Takes a trace of a "
			"check (disk/block,\n"
			"cpu/runq; tuesday explain has them), two tracepoints, or files: "
			"lines \"TIME LATENCY\n"
			"[NAME]\", its own log, perf script text, or cells. It prints a "
			"histogram, the slowest and a\n"
			"heat map: time from left to right, longer is higher. See "
			"docs/tracediagnose.md.\n"
			"  tracediagnose disk/block --for 30s --svg disk.svg\n"
			"  tracediagnose --begin syscalls:sys_enter_fsync --end "
			"syscalls:sys_exit_fsync\n"
			"  tracediagnose --begin block:block_rq_issue --end "
			"block:block_rq_complete --only 'rwbs has R'\n"
			"  tracediagnose --merge host*.cells --compare yesterday.cells",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = asked,
		.status = "0 it is done, 3 it is not",
	};
	const char *wrong;
	int err;

	*asked = (struct trace_options){.program = argv[0],
		.seconds = 10,
		.top = 10,
		.time_unit_ns = 1000000000,
		.latency_unit_ns = 1000000000};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	wrong = trace_options_wrong(asked);
	if (wrong) {
		fprintf(stderr, "%s: %s\n", asked->program, wrong);
		return -EINVAL;
	}
	asked->is_live = trace_options_is_live(asked);
	return 0;
}

void trace_options_free(struct trace_options *asked)
{
	options_free(&asked->common);
}
