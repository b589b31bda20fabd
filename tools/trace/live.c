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

#define LOOK_NS 20000000 /* the ring of 8 MiB is full after that at 5 million events a second */
#define COLUMNS 60	 /* of a picture that fits a terminal */

struct live_look {
	struct trace_record *record;
	const struct trace_spec *spec;
	uint64_t wall_ns; /* what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC */
	uint64_t lost;
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
static void live_take(struct live_look *look, struct trace_log *log)
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
		live_take(look, log);
		now = monotonic_ns();
		if (seconds > 2)
			progress_show("tracing", (double)(now - began) * 1e-9 / seconds);
	}
	progress_end();
	look->record->is_cut = progress_interrupted();
	trace_log_end(log);
	live_take(look, log);
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

int trace_live(struct trace_record *record, const struct trace_options *asked,
	const struct trace_spec *spec)
{
	struct live_look look = {.record = record, .spec = spec};
	struct trace_log *log = NULL;
	struct str why = STR_INIT;
	int err;

	if (!spec->begin && !spec->event) {
		fprintf(stderr,
			"%s: %s/%s has a tracer of its own, which sums up and tells of no single "
			"event: tuesday run %s --deep has its sums\n",
			asked->program, spec->check, spec->name, spec->check);
		return -ENOTSUP;
	}
	err = trace_log_open(&log, spec, &why);
	if (err) {
		char *shown = escape_path(str_text(&why));

		fprintf(stderr, "%s: %s\n", asked->program, shown);
		free(shown);
	} else {
		caps_start(0);
		live_make_map(&look, asked, spec);
		live_watch(&look, log, asked->seconds);
		record->method = mem_strdup(trace_log_method(log));
	}
	trace_log_close(log);
	str_free(&why);
	return err;
}
