/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get of the history? */
#include "base/banned.h"
#include "base/json_write.h"
#include "history/format.h"
#include "base/str.h"
#include "tools/history/internal.h"
#include "base/unit.h"
#include "history/read.h"

/* A time of the history is always known, be it 0. */
static void history_write_time(struct json_writer *json, const char *key, time_t time)
{
	struct str text = STR_INIT;

	format_utc(&text, time);
	json_write_string(json, key, str_text(&text));
	str_free(&text);
}

static void history_write_lane(struct json_writer *json, const struct lane *lane)
{
	size_t i;

	json_open(json, NULL, '{');
	json_write_string(json, "check", lane->check);
	json_open(json, "runs", '{');
	for (i = 0; i <= VERDICT_SKIP; i++)
		json_write_count(json, verdict_text((enum verdict)i), lane->at[i]);
	json_close(json);
	json_open(json, "changes", '[');
	for (i = 0; i < lane->n_changes; i++) {
		json_open(json, NULL, '{');
		history_write_time(json, "time", lane->changes[i].time);
		json_write_count(json, "run", (uint64_t)lane->changes[i].run);
		json_write_string(json, "verdict", verdict_text(lane->changes[i].verdict));
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void history_write_course(struct json_writer *json, const struct number_course *course)
{
	size_t i;

	json_open(json, NULL, '{');
	json_write_string(json, "name", course->metric);
	json_write_text(json, "instance", course->instance);
	json_write_string(json, "unit", unit_text(course->unit));
	json_write_string(json, "class", metric_class_text(course->class));
	json_open(json, "values", '[');
	for (i = 0; i < course->n; i++) {
		json_open(json, NULL, '{');
		history_write_time(json, "time", course->values[i].time);
		json_write_count(json, "run", (uint64_t)course->values[i].run);
		json_write_number(json, "value", course->values[i].value);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void history_write_announced(struct json_writer *json, const struct view *view)
{
	size_t i;

	json_open(json, "announced", '[');
	for (i = 0; i < view->announced.n; i++) {
		const struct announcement *announcement = &view->announced.list[i];

		if (!announcement_within(announcement, view->from, view->to))
			continue;
		json_open(json, NULL, '{');
		json_write_string(json, "what", announcement->what);
		json_write_string(json, "by", announcement->by);
		history_write_time(json, "since", announcement->since);
		history_write_time(json, "until", announcement->until);
		json_close(json);
	}
	json_close(json);
}

void history_print_json(const struct view *view)
{
	struct str out = STR_INIT;
	struct json_writer json;
	size_t i;

	json_start(&json, &out);
	json_write_string(&json, "schema", "tuesday-history/1");
	history_write_time(&json, "from", view->from);
	history_write_time(&json, "to", view->to);
	json_write_count(&json, "runs", view->runs);
	history_write_announced(&json, view);
	json_open(&json, "checks", '[');
	for (i = 0; i < view->n_lanes; i++)
		history_write_lane(&json, &view->lanes[i]);
	json_close(&json);
	if (view->check) {
		json_open(&json, "metrics", '[');
		for (i = 0; i < view->n_courses; i++)
			if (view->courses[i].n)
				history_write_course(&json, &view->courses[i]);
		json_close(&json);
	}
	json_print(&json);
}
