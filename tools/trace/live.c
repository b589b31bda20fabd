/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events does a trace have while it runs? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/progress.h"
#include "sys/caps.h"
#include "tools/trace/live.h"
#include "tools/trace/record.h"
#include "trace/log.h"
#include "trace/spec.h"
#include "trace/sums.h"

#define LOOK_NS 20000000 /* the ring of 8 MiB is full after that at 5 million events a second */
#define COLUMNS 60	 /* of a picture that fits a terminal */

struct live_look {
	struct trace_record *record;
	const struct trace_spec *spec;
	uint64_t wall_ns; /* what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC */
	uint64_t lost;
	uint64_t now_ns; /* of the look at sums that is under way */
};

/* A round time of which the look has about as many as a terminal has columns. */
static uint64_t live_column(const struct trace_options *asked)
{
	static const double of[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
	const double wanted = asked->seconds / COLUMNS;

	if (asked->column_seconds > 0)
		return (uint64_t)(asked->column_seconds * 1e9);
	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		if (of[i] >= wanted)
			return (uint64_t)(of[i] * 1e9);
	return 1000000000;
}

static void live_event(void *arg, const struct trace_log_event *event)
{
	struct live_look *look = arg;
	const struct trace_spec *spec = look->spec;
	double ns = (double)event->value;
	struct trace_slow slow = {
		.at_ns = event->end_ns + look->wall_ns,
		.pid = event->pid,
		.tid = event->tid,
		.cpu = event->cpu,
	};

	if (spec->event && spec->value)
		ns *= spec->value_unit * 1e9;
	slow.latency_ns = ns < 1e18 ? (uint64_t)(ns + 0.5) : (uint64_t)1e18;
	snprintf(slow.who, sizeof(slow.who), "%s", event->who);
	snprintf(slow.by, sizeof(slow.by), "%s", event->by);
	trace_record_add(look->record, &slow);
}

/* What was lost since the last look belongs to about now. */
static void live_trace_take(struct live_look *look, struct trace_log *log)
{
	const uint64_t now = monotonic_ns() + look->wall_ns, lost = trace_log_lost(log);

	trace_log_take(log, live_event, look);
	heatmap_see(&look->record->map, now);
	if (lost > look->lost)
		heatmap_add_lost(&look->record->map, now, lost - look->lost);
	look->lost = lost;
}

static void live_watch(struct live_look *look, struct trace_log *log, double seconds)
{
	const struct timespec pause = {0, LOOK_NS};
	uint64_t began, now;

	trace_log_begin(log);
	began = now = monotonic_ns();
	heatmap_see(&look->record->map, began + look->wall_ns);
	while ((double)(now - began) * 1e-9 < seconds && !progress_told_to_stop()) {
		nanosleep(&pause, NULL);
		live_trace_take(look, log);
		now = monotonic_ns();
		if (seconds > 2)
			progress_show("tracing", (double)(now - began) * 1e-9 / seconds);
	}
	progress_end();
	look->record->is_cut = progress_interrupted();
	trace_log_end(log);
	live_trace_take(look, log);
	look->record->seconds = (double)(now - began) * 1e-9;
}

static void live_make_map(
	struct live_look *look, const struct trace_options *asked, const struct trace_spec *spec)
{
	struct trace_record *record = look->record;

	record->is_counted = spec->event && !spec->value;
	if (record->is_counted)
		heatmap_init(&record->map, HEATMAP_OFFSET,
			asked->column_seconds > 0 ? (uint64_t)(asked->column_seconds * 1e9)
						  : 1000000000,
			100);
	else
		heatmap_init(&record->map, HEATMAP_LATENCY, live_column(asked), 0);
	record->map.is_wall = true;
	record->column_ns = record->map.column_ns;
	look->wall_ns = realtime_ns() - monotonic_ns();
}

static int live_complain(const struct trace_options *asked, const struct str *why, int err)
{
	char *shown = escape_path(str_text(why));

	fprintf(stderr, "%s: %s\n", asked->program, shown);
	free(shown);
	return err;
}

static int live_log(struct live_look *look, const struct trace_options *asked)
{
	struct trace_log *log = NULL;
	struct str why = STR_INIT;
	int err = trace_log_open(&log, look->spec, &why);

	if (err) {
		live_complain(asked, &why, err);
	} else {
		caps_start(0);
		live_make_map(look, asked, look->spec);
		live_watch(look, log, asked->seconds);
		look->record->method = mem_strdup(trace_log_method(log));
	}
	trace_log_close(log);
	str_free(&why);
	return err;
}

/* What was counted since the last look came before it: a nanosecond, so that it is in the column
 * that ends now. */
static void live_sum(void *arg, uint64_t ns, uint64_t times)
{
	struct live_look *look = arg;

	heatmap_add(&look->record->map, look->now_ns - 1, ns, heatmap_name(&look->record->map, ""),
		times);
}

static void live_charged(void *arg, const char *name, uint32_t pid, uint64_t max_ns)
{
	struct live_look *look = arg;
	struct trace_slow slow = {.latency_ns = max_ns, .pid = pid};

	snprintf(slow.who, sizeof(slow.who), "%s", name);
	trace_record_keep(look->record, &slow);
}

static void live_take_sums(struct live_look *look, struct trace_sums *sums)
{
	const uint64_t lost = trace_sums_lost(sums);

	look->now_ns = monotonic_ns() + look->wall_ns;
	trace_sums_take(sums, live_sum, look);
	heatmap_see(&look->record->map, look->now_ns - 1);
	if (lost > look->lost)
		heatmap_add_lost(&look->record->map, look->now_ns - 1, lost - look->lost);
	look->lost = lost;
}

/* Looks at the end of each column, so that everything is in its own. */
static void live_watch_sums(struct live_look *look, struct trace_sums *sums, double seconds)
{
	const uint64_t column = look->record->column_ns;
	uint64_t began, now;

	trace_sums_begin(sums);
	began = now = monotonic_ns();
	heatmap_see(&look->record->map, began + look->wall_ns);
	while ((double)(now - began) * 1e-9 < seconds && !progress_told_to_stop()) {
		const uint64_t left = column - (now + look->wall_ns) % column;
		const struct timespec pause = {
			(time_t)(left / 1000000000), (long)(left % 1000000000)};

		nanosleep(&pause, NULL);
		live_take_sums(look, sums);
		now = monotonic_ns();
		if (seconds > 2)
			progress_show("tracing", (double)(now - began) * 1e-9 / seconds);
	}
	progress_end();
	look->record->is_cut = progress_interrupted();
	trace_sums_end(sums);
	live_take_sums(look, sums);
	trace_sums_who(sums, live_charged, look);
	look->record->seconds = (double)(now - began) * 1e-9;
}

static int live_sums(struct live_look *look, const struct trace_options *asked, const char *field)
{
	struct trace_sums *sums = NULL;
	struct str why = STR_INIT;
	int err = trace_sums_open(&sums, look->spec, field, &why);

	if (err) {
		live_complain(asked, &why, err);
	} else {
		caps_start(CAPS_BPF);
		live_make_map(look, asked, look->spec);
		look->record->is_summed = true;
		live_watch_sums(look, sums, asked->seconds);
		look->record->method = mem_strdup(trace_sums_method(sums));
	}
	trace_sums_close(sums);
	str_free(&why);
	return err;
}

int trace_live(struct trace_record *record, const struct trace_options *asked,
	const struct trace_spec *spec, const char *field)
{
	struct live_look look = {.record = record, .spec = spec};

	if (spec->begin || spec->event)
		return live_log(&look, asked);
	return live_sums(&look, asked, field);
}
