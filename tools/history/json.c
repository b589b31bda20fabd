/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get of the history? */
#include "base/json_write.h"
#include "history/format.h"
#include "base/str.h"
#include "tools/history/view.h"
#include "base/unit.h"

static json_t *time_json(time_t time)
{
	struct str text = STR_INIT;
	json_t *json;

	shown_utc(&text, time);
	json = json_string(str_text(&text));
	str_free(&text);
	return json;
}

static json_t *lane_json(const struct lane *lane)
{
	json_t *object = json_object(), *changes = json_array(), *runs = json_object();
	size_t i;

	for (i = 0; i < lane->n_changes; i++) {
		json_t *change = json_object();

		json_object_set_new(change, "time", time_json(lane->changes[i].time));
		json_object_set_new(change, "run", json_integer(lane->changes[i].run));
		json_object_set_new(
			change, "verdict", json_string(verdict_text(lane->changes[i].verdict)));
		json_array_append_new(changes, change);
	}
	for (i = 0; i <= VERDICT_SKIP; i++)
		json_object_set_new(
			runs, verdict_text((enum verdict)i), json_integer((json_int_t)lane->at[i]));
	json_object_set_new(object, "check", json_of_text(lane->check));
	json_object_set_new(object, "runs", runs);
	json_object_set_new(object, "changes", changes);
	return object;
}

static json_t *course_json(const struct course *course)
{
	json_t *object = json_object(), *values = json_array();
	size_t i;

	for (i = 0; i < course->n; i++) {
		json_t *value = json_object();

		json_object_set_new(value, "time", time_json(course->values[i].time));
		json_object_set_new(value, "run", json_integer(course->values[i].run));
		json_object_set_new(value, "value", json_real(course->values[i].value));
		json_array_append_new(values, value);
	}
	json_object_set_new(object, "name", json_of_text(course->metric));
	if (*course->instance)
		json_object_set_new(object, "instance", json_of_text(course->instance));
	json_object_set_new(object, "unit", json_string(unit_text(course->unit)));
	json_object_set_new(object, "class", json_string(metric_class_text(course->class)));
	json_object_set_new(object, "values", values);
	return object;
}

void history_print_json(const struct view *view)
{
	json_t *object = json_object(), *checks = json_array(), *metrics = json_array();
	size_t i;

	json_object_set_new(object, "schema", json_string("tuesday-history/1"));
	json_object_set_new(object, "from", time_json(view->from));
	json_object_set_new(object, "to", time_json(view->to));
	json_object_set_new(object, "runs", json_integer((json_int_t)view->runs));
	for (i = 0; i < view->n_lanes; i++)
		json_array_append_new(checks, lane_json(&view->lanes[i]));
	json_object_set_new(object, "checks", checks);
	for (i = 0; view->check && i < view->n_courses; i++)
		if (view->courses[i].n)
			json_array_append_new(metrics, course_json(&view->courses[i]));
	if (view->check)
		json_object_set_new(object, "metrics", metrics);
	else
		json_decref(metrics);
	json_dumpf(object, stdout, JSON_OURS);
	putchar('\n');
	json_decref(object);
}
