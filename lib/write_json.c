/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a program get? One object of the schema that docs/json.md describes. Keys are kept for
 * ever; what is not known has no key.
 */
#include <math.h>

#include <jansson.h>

#include "escape.h"
#include "result.h"
#include "str.h"
#include "writer.h"

#define SCHEMA "tuesday/1"
/* ASCII, so that a report on a terminal is as harmless as one in a file; 15 digits, so that 0.1 is
 * written as 0.1. */
#define FLAGS (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

static json_t *make_text(const char *text)
{
	struct str valid = STR_INIT;
	json_t *json;

	escape_utf8(&valid, text);
	json = json_string(str_text(&valid));
	str_free(&valid);
	return json;
}

/* A text that is there: NULL and the empty one have no key. */
static void set_text(json_t *object, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(object, key, make_text(text));
}

/* Always a real, so that the type of a key does not change with its value. */
static void set_number(json_t *object, const char *key, double number)
{
	if (isfinite(number))
		json_object_set_new(object, key, json_real(number));
}

static void set_seconds(json_t *object, const char *key, uint64_t ns)
{
	set_number(object, key, (double)ns / 1e9);
}

static void set_count(json_t *object, const char *key, uint64_t count)
{
	json_object_set_new(object, key, json_integer((json_int_t)count));
}

static void set_if(json_t *object, const char *key, bool holds)
{
	if (holds)
		json_object_set_new(object, key, json_true());
}

static json_t *make_texts(char **list, size_t n)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(array, make_text(list[i]));
	return array;
}

/* A limit is a number that means nothing without its side: which values does it accuse? */
static void set_direction(json_t *object, const struct metric *metric)
{
	static const char *const texts[] = {
		[OP_LT] = "below",
		[OP_LE] = "below",
		[OP_GT] = "above",
		[OP_GE] = "above",
		[OP_EQ] = "equal",
		[OP_NE] = "unequal",
	};
	enum op op;

	if (limits_op(&metric->maybe, &op) || limits_op(&metric->bad, &op))
		set_text(object, "accuses", texts[op]);
}

static json_t *make_metric(const struct metric_result *result)
{
	const struct metric *metric = result->metric;
	json_t *object = json_object();

	set_text(object, "name", metric->name);
	set_text(object, "instance", result->instance);
	if (result->label && result->instance && strcmp(result->label, result->instance) != 0)
		set_text(object, "label", result->label);
	set_number(object, "value", result->value);
	set_text(object, "unit", unit_text(metric->unit));
	set_text(object, "class", metric_class_text(metric->class));
	set_text(object, "verdict", verdict_text(result->verdict));
	set_if(object, "idle", result->idle);
	set_if(object, "acquits", result->acquits);
	set_if(object, "capped", result->capped);
	set_number(object, "acquit", result->acquit);
	set_number(object, "maybe", result->maybe);
	set_number(object, "bad", result->bad);
	set_direction(object, metric);
	set_text(object, "source", metric->source);
	set_text(object, "why", metric->why);
	set_text(object, "however", metric->however);
	if (result->instances)
		set_count(object, "instances", result->instances);
	if (result->accused)
		set_count(object, "accused", result->accused);
	if (result->windows) {
		set_count(object, "windows_over", result->windows_over);
		set_count(object, "windows", result->windows);
	}
	set_text(object, "missing", result->missing);
	return object;
}

static json_t *make_culprit(const struct culprit *culprit)
{
	json_t *object = json_object();

	set_text(object, "kind", culprit->kind);
	set_text(object, "name", culprit->name);
	set_text(object, "id", culprit->id);
	if (culprit->share >= 0)
		set_number(object, "share", culprit->share);
	return object;
}

static json_t *make_cost(const struct cost *cost)
{
	json_t *object = json_object();

	set_seconds(object, "cpu_seconds", cost->cpu_ns);
	if (cost->wall_ns)
		set_seconds(object, "wall_seconds", cost->wall_ns);
	if (cost->rss_bytes)
		set_count(object, "rss_bytes", cost->rss_bytes);
	set_seconds(object, "trace_seconds", cost->trace_ns);
	if (cost->bpf_known)
		set_seconds(object, "bpf_seconds", cost->bpf_ns);
	return object;
}

static void set_knob(json_t *object, const struct experiment_result *result)
{
	set_text(object, "knob", result->knob);
	set_text(object, "instance", result->instance);
	set_text(object, "from", result->from);
	set_text(object, "to", result->to);
	json_object_set_new(object, "turned", json_boolean(result->turned));
	if (result->turned)
		json_object_set_new(object, "restored", json_boolean(!result->left));
	set_text(object, "left", result->left);
}

static json_t *make_experiment(const struct experiment_result *result)
{
	json_t *object = json_object();

	set_text(object, "name", result->name);
	set_text(object, "answer", answer_text(result->answer));
	if (result->answer == ANSWER_CHANGED)
		json_object_set_new(object, "better", json_boolean(result->better));
	set_text(object, "summary", result->summary);
	set_text(object, "why", result->why);
	set_knob(object, result);
	set_text(object, "observed", result->observed);
	set_number(object, "before", result->before);
	set_number(object, "meanwhile", result->meanwhile);
	set_number(object, "effect", result->effect);
	set_number(object, "low", result->low);
	set_number(object, "high", result->high);
	set_number(object, "margin", result->margin);
	set_count(object, "pairs", result->pairs);
	set_count(object, "control_pairs", result->control_pairs);
	set_number(object, "seconds", result->seconds);
	if (result->risk)
		set_count(object, "risk", (uint64_t)result->risk);
	set_text(object, "proves", result->proves);
	set_text(object, "however", result->however);
	json_object_set_new(object, "notes", make_texts(result->notes, result->n_notes));
	return object;
}

/* The key is there for who asked for experiments, and for nobody else. */
static void set_experiments(json_t *object, const struct check_result *result)
{
	json_t *array;
	size_t i;

	if (!result->n_experiments)
		return;
	array = json_array();
	for (i = 0; i < result->n_experiments; i++)
		json_array_append_new(array, make_experiment(&result->experiments[i]));
	json_object_set_new(object, "experiments", array);
}

static json_t *make_check(const struct check_result *result)
{
	json_t *object = json_object(), *metrics = json_array(), *culprits = json_array();
	bool looked = result->verdict != VERDICT_UNKNOWN && result->verdict != VERDICT_SKIP;
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		json_array_append_new(metrics, make_metric(&result->metrics[i]));
	for (i = 0; i < result->n_culprits; i++)
		json_array_append_new(culprits, make_culprit(&result->culprits[i]));
	set_text(object, "check", result->check->name);
	set_text(object, "area", result->check->area);
	set_text(object, "verdict", verdict_text(result->verdict));
	if (looked) {
		set_text(object, "tier", tier_text(result->tier));
		set_text(object, "confidence", confidence_text(result->confidence));
	}
	set_if(object, "idle", result->idle);
	json_object_set_new(object, "exonerated", json_boolean(result->exonerated));
	set_text(object, "summary", result->summary);
	set_text(object, "reason", result->reason);
	set_text(object, "method", result->method);
	set_text(object, "missing", result->missing);
	json_object_set_new(object, "metrics", metrics);
	json_object_set_new(object, "culprits", culprits);
	json_object_set_new(object, "howevers", make_texts(result->howevers, result->n_howevers));
	json_object_set_new(object, "next", make_texts(result->next, result->n_next));
	set_experiments(object, result);
	if (result->cost.trace_ns)
		json_object_set_new(object, "cost", make_cost(&result->cost));
	return object;
}

static json_t *make_ledger(const struct report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		json_t *entry;

		if (!report->checks[i].exonerated)
			continue;
		entry = json_object();
		set_text(entry, "check", report->checks[i].check->name);
		set_text(entry, "evidence", report->checks[i].evidence);
		json_array_append_new(array, entry);
	}
	return array;
}

static void set_time(json_t *object, const char *key, time_t time)
{
	struct tm utc;
	char text[64];

	if (gmtime_r(&time, &utc) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
		set_text(object, key, text);
}

static void set_machine(json_t *object, const struct report *report)
{
	json_object_set_new(object, "schema", json_string(SCHEMA));
	set_text(object, "version", report->version);
	set_text(object, "host", report->host);
	set_text(object, "kernel", report->kernel);
	set_text(object, "boot_id", report->boot_id);
	if (report->cpus)
		set_count(object, "cpus", report->cpus);
	set_number(object, "uptime_seconds", report->uptime_seconds);
	set_time(object, "time", report->time_start);
	set_number(object, "duration_seconds", report->seconds);
	set_number(object, "window_seconds", report->window_seconds);
	set_count(object, "windows", report->windows);
	set_if(object, "interrupted", report->interrupted);
	set_if(object, "replay", report->replay);
	set_text(object, "under_way", report->under_way);
}

static json_t *make_report(const struct report *report)
{
	json_t *object = json_object(), *checks = json_array(), *type;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		json_array_append_new(checks, make_check(&report->checks[i]));
	set_machine(object, report);
	set_text(object, "verdict", verdict_text(report->verdict));
	if (report->type.name) {
		type = json_object();
		set_text(type, "name", report->type.name);
		set_text(type, "why", report->type.why);
		json_object_set_new(object, "type", type);
	}
	json_object_set_new(object, "checks", checks);
	json_object_set_new(object, "exonerated", make_ledger(report));
	json_object_set_new(object, "errors", make_texts(report->errors, report->n_errors));
	json_object_set_new(object, "cost", make_cost(&report->cost));
	return object;
}

static int append(const char *bytes, size_t len, void *out)
{
	str_addn(out, bytes, len);
	return 0;
}

static void json_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	json_t *json;

	(void)options;
	/* Without memory the process ends here as everywhere; half an object is never written. */
	json_set_alloc_funcs(mem_alloc, free);
	json = make_report(report);
	json_dump_callback(json, append, out, FLAGS);
	str_addc(out, '\n');
	json_decref(json);
}

WRITER(json) = {
	.name = "json",
	.what = "one object for programs, schema " SCHEMA ": docs/json.md",
	.write = json_write,
};
