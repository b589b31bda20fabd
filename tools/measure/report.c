/* SPDX-License-Identifier: GPL-2.0-only */
/* What did a microbenchmark find? For people and for programs. */
#include <math.h>

#include "base/json_write.h"
#include "base/escape.h"
#include "stats/stats.h"
#include "tools/measure/measure.h"
#include "output/writer.h"
#include "base/unit.h"

/* As the reports of checks: ASCII, and 15 digits, so that 0.1 is written as 0.1. */

#define CONFIDENCE 0.95

struct quantile measured_quantile(const struct measured *measured, double q)
{
	struct stats_interval interval = {NAN, NAN};

	stats_quantile_interval(measured->samples, measured->n, q, CONFIDENCE, &interval);
	return (struct quantile){
		stats_quantile(measured->samples, measured->n, q), interval.low, interval.high};
}

/* The slow tail: of a time the p99, of a speed the p1. */
static double tail_of(const struct microbench *bench)
{
	return bench->unit == UNIT_SECONDS ? 0.99 : 0.01;
}

static void add_quantile(
	struct str *out, const struct measured *measured, const char *name, double q)
{
	const struct quantile found = measured_quantile(measured, q);
	enum unit unit = measured->bench->unit;

	str_addf(out, "  %-8s", name);
	value_for_people(out, found.value, unit);
	if (isnan(found.low)) {
		str_add(out, "  (too few samples for an interval)\n");
		return;
	}
	str_add(out, "  (95 %: ");
	value_for_people(out, found.low, unit);
	str_add(out, " to ");
	value_for_people(out, found.high, unit);
	str_add(out, ")\n");
}

static void add_notes(struct str *out, const char *notes)
{
	while (*notes) {
		size_t len = strcspn(notes, "\n");

		str_addf(out, "  however: %.*s\n", (int)len, notes);
		notes += len + (notes[len] == '\n');
	}
}

void measured_as_text(struct str *out, const struct measured *measured)
{
	const struct microbench *bench = measured->bench;

	str_add(out, bench->name);
	if (measured->arg) {
		str_addc(out, ' ');
		escape_terminal(out, measured->arg);
	}
	str_addf(out, ": %s; %zu samples in ", bench->what, measured->n);
	value_for_people(out, measured->seconds, UNIT_SECONDS);
	str_addf(out, "%s\n", measured->interrupted ? ", interrupted" : "");
	add_quantile(out, measured, "median", 0.5);
	add_quantile(out, measured, bench->unit == UNIT_SECONDS ? "p99" : "p1", tail_of(bench));
	add_notes(out, str_text(&measured->notes));
}

static void set_quantile(json_t *object, const char *key, const struct measured *measured, double q)
{
	const struct quantile found = measured_quantile(measured, q);
	json_t *inner = json_object();

	json_put_number(inner, "value", found.value);
	json_put_number(inner, "low", found.low);
	json_put_number(inner, "high", found.high);
	json_object_set_new(object, key, inner);
}

static json_t *list_of(const char *notes)
{
	json_t *list = json_array();

	while (*notes) {
		size_t len = strcspn(notes, "\n");

		json_array_append_new(list, json_stringn(notes, len));
		notes += len + (notes[len] == '\n');
	}
	return list;
}

void measured_as_json(struct str *out, const struct measured *measured)
{
	const struct microbench *bench = measured->bench;
	json_t *object = json_object();
	char *text;

	json_put_text(object, "schema", "tuesday-measure/1");
	json_put_text(object, "measure", bench->name);
	if (measured->arg)
		json_put_text(object, "argument", measured->arg);
	json_put_text(object, "unit", unit_text(bench->unit));
	json_object_set_new(object, "samples", json_integer((json_int_t)measured->n));
	json_put_number(object, "duration_seconds", measured->seconds);
	if (measured->interrupted)
		json_object_set_new(object, "interrupted", json_true());
	set_quantile(object, "median", measured, 0.5);
	set_quantile(object, bench->unit == UNIT_SECONDS ? "p99" : "p1", measured, tail_of(bench));
	json_object_set_new(object, "howevers", list_of(str_text(&measured->notes)));
	text = json_dumps(object, JSON_OURS);
	str_add(out, text ? text : "{}");
	str_addc(out, '\n');
	free(text);
	json_decref(object);
}
