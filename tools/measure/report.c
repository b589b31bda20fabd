/* SPDX-License-Identifier: GPL-2.0-only */
/* What did a microbenchmark find? For people and for programs. */
#include "base/banned.h"

#include <math.h>

#include "base/json_write.h"
#include "base/escape.h"
#include "stats/stats.h"
#include "tools/measure/internal.h"
#include "output/writer.h"
#include "base/unit.h"
#include "stats/quantile.h"

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

static void measured_add_notes(struct str *out, const char *notes)
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
	measured_add_notes(out, str_text(&measured->notes));
}

static void measured_write_quantile(
	struct json_writer *json, const char *key, const struct measured *measured, double q)
{
	const struct quantile found = measured_quantile(measured, q);

	json_open(json, key, '{');
	json_write_number(json, "value", found.value);
	json_write_number(json, "low", found.low);
	json_write_number(json, "high", found.high);
	json_close(json);
}

static void measured_write_notes(struct json_writer *json, const char *notes)
{
	json_open(json, "howevers", '[');
	while (*notes) {
		size_t len = strcspn(notes, "\n");
		char *note = mem_strndup(notes, len);

		json_write_string(json, NULL, note);
		notes += len + (notes[len] == '\n');
		free(note);
	}
	json_close(json);
}

void measured_as_json(struct str *out, const struct measured *measured)
{
	const struct microbench *bench = measured->bench;
	struct json_writer json;

	json_start(&json, out);
	json_write_text(&json, "schema", "tuesday-measure/1");
	json_write_text(&json, "measure", bench->name);
	json_write_text(&json, "argument", measured->arg);
	json_write_text(&json, "unit", unit_text(bench->unit));
	json_write_count(&json, "samples", measured->n);
	json_write_number(&json, "duration_seconds", measured->seconds);
	json_write_if(&json, "interrupted", measured->interrupted);
	measured_write_quantile(&json, "median", measured, 0.5);
	measured_write_quantile(
		&json, bench->unit == UNIT_SECONDS ? "p99" : "p1", measured, tail_of(bench));
	measured_write_notes(&json, str_text(&measured->notes));
	json_finish(&json);
}
