/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a program get? One object of the schema that docs/json.md describes. Keys are kept for
 * ever; what is not known has no key.
 */

#include "base/json_write.h"
#include "base/escape.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"

#define SCHEMA "tuesday/1"

static void set_seconds(json_t *object, const char *key, uint64_t ns)
{
	json_put_number(object, key, (double)ns / 1e9);
}

static json_t *make_texts(char **list, size_t n)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(array, json_of_text(list[i]));
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
		json_put_text(object, "accuses", texts[op]);
}

/* What is known of it from the history, which moves no verdict. */
static void set_past(json_t *object, const struct metric_result *result)
{
	const struct normal *normal = &result->normal;
	const struct forecast *forecast = &result->forecast;
	json_t *part;

	if (normal->runs) {
		part = json_object();
		json_put_number(part, "low", normal->low);
		json_put_number(part, "middle", normal->middle);
		json_put_number(part, "high", normal->high);
		json_put_count(part, "runs", normal->runs);
		json_object_set_new(object, "normal", part);
	}
	if (forecast->known) {
		part = json_object();
		json_put_number(part, "seconds", forecast->seconds);
		json_put_number(part, "low", forecast->low);
		json_put_number(part, "high", forecast->high);
		json_put_number(part, "target", forecast->target);
		json_put_number(part, "over_seconds", forecast->over_seconds);
		json_object_set_new(object, "forecast", part);
	}
}

static json_t *make_metric(const struct metric_result *result)
{
	const struct metric *metric = result->metric;
	json_t *object = json_object();

	json_put_text(object, "name", metric->name);
	json_put_text(object, "instance", result->instance);
	if (result->label && result->instance && strcmp(result->label, result->instance) != 0)
		json_put_text(object, "label", result->label);
	json_put_number(object, "value", result->value);
	json_put_text(object, "unit", unit_text(metric->unit));
	json_put_text(object, "class", metric_class_text(metric->class));
	json_put_text(object, "verdict", verdict_text(result->verdict));
	if (result->overruled != VERDICT_GOOD)
		json_put_text(object, "overruled", verdict_text(result->overruled));
	json_put_if(object, "idle", result->idle);
	json_put_if(object, "acquits", result->acquits);
	json_put_if(object, "looks", result->looks);
	json_put_if(object, "capped", result->capped);
	json_put_number(object, "acquit", result->acquit);
	json_put_number(object, "maybe", result->maybe);
	json_put_number(object, "bad", result->bad);
	json_put_number(object, "look", result->look);
	set_direction(object, metric);
	json_put_text(object, "source", metric->source);
	json_put_text(object, "why", metric->why);
	json_put_text(object, "however", metric->however);
	if (result->instances)
		json_put_count(object, "instances", result->instances);
	if (result->accused)
		json_put_count(object, "accused", result->accused);
	if (result->windows) {
		json_put_count(object, "windows_over", result->windows_over);
		json_put_count(object, "windows", result->windows);
	}
	json_put_text(object, "missing", result->missing);
	set_past(object, result);
	return object;
}

static json_t *make_culprit(const struct culprit *culprit)
{
	json_t *object = json_object();

	json_put_text(object, "kind", culprit->kind);
	json_put_text(object, "name", culprit->name);
	json_put_text(object, "id", culprit->id);
	if (culprit->share >= 0)
		json_put_number(object, "share", culprit->share);
	return object;
}

static json_t *make_cost(const struct cost *cost)
{
	json_t *object = json_object();

	set_seconds(object, "cpu_seconds", cost->cpu_ns);
	if (cost->wall_ns)
		set_seconds(object, "wall_seconds", cost->wall_ns);
	if (cost->rss_bytes)
		json_put_count(object, "rss_bytes", cost->rss_bytes);
	set_seconds(object, "trace_seconds", cost->trace_ns);
	if (cost->bpf_known)
		set_seconds(object, "bpf_seconds", cost->bpf_ns);
	return object;
}

static void set_knob(json_t *object, const struct experiment_result *result)
{
	json_put_text(object, "knob", result->knob);
	json_put_text(object, "instance", result->instance);
	json_put_text(object, "from", result->from);
	json_put_text(object, "to", result->to);
	json_object_set_new(object, "turned", json_boolean(result->turned));
	if (result->turned)
		json_object_set_new(object, "restored", json_boolean(!result->left));
	json_put_text(object, "left", result->left);
}

static json_t *make_experiment(const struct experiment_result *result)
{
	json_t *object = json_object();

	json_put_text(object, "name", result->name);
	json_put_text(object, "answer", answer_text(result->answer));
	if (result->answer == ANSWER_CHANGED)
		json_object_set_new(object, "better", json_boolean(result->better));
	json_put_text(object, "summary", result->summary);
	json_put_text(object, "why", result->why);
	set_knob(object, result);
	json_put_text(object, "observed", result->observed);
	json_put_number(object, "before", result->before);
	json_put_number(object, "meanwhile", result->meanwhile);
	json_put_number(object, "effect", result->effect);
	json_put_number(object, "low", result->low);
	json_put_number(object, "high", result->high);
	json_put_number(object, "margin", result->margin);
	json_put_count(object, "pairs", result->pairs);
	json_put_count(object, "control_pairs", result->control_pairs);
	json_put_number(object, "seconds", result->seconds);
	if (result->risk)
		json_put_count(object, "risk", (uint64_t)result->risk);
	json_put_text(object, "proves", result->proves);
	json_put_text(object, "however", result->however);
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

/* The key is there only where the time since the run before accuses. */
static void set_since(json_t *object, const struct check_result *result)
{
	json_t *array;
	size_t i;

	if (!result->n_past)
		return;
	array = json_array();
	for (i = 0; i < result->n_past; i++)
		json_array_append_new(array, make_metric(&result->past[i]));
	json_object_set_new(object, "since", array);
	json_put_if(object, "only_since", result->only_past);
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
	json_put_text(object, "check", result->check->name);
	json_put_text(object, "area", result->check->area);
	json_put_text(object, "verdict", verdict_text(result->verdict));
	if (looked) {
		json_put_text(object, "tier", tier_text(result->tier));
		json_put_text(object, "confidence", confidence_text(result->confidence));
	}
	json_put_if(object, "idle", result->idle);
	json_object_set_new(object, "exonerated", json_boolean(result->exonerated));
	json_put_text(object, "summary", result->summary);
	json_put_text(object, "reason", result->reason);
	json_put_text(object, "method", result->method);
	json_put_text(object, "missing", result->missing);
	json_object_set_new(object, "metrics", metrics);
	set_since(object, result);
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
		json_put_text(entry, "check", report->checks[i].check->name);
		json_put_text(entry, "evidence", report->checks[i].evidence);
		json_array_append_new(array, entry);
	}
	return array;
}

static void set_continued(json_t *object, const struct continued *continued)
{
	json_t *part;

	if (!continued->asked)
		return;
	part = json_object();
	if (continued->time)
		json_put_time(part, "time", continued->time);
	if (continued->seconds > 0)
		json_put_number(part, "seconds", continued->seconds);
	json_put_text(part, "context", continued->context);
	json_object_set_new(object, "since", part);
}

/* Names that people chose may be the same twice: the last one counts, as in any JSON object. */
static void set_facts(json_t *object, const char *key, const struct fact *facts, size_t n)
{
	json_t *table;
	size_t i;

	if (!n)
		return;
	table = json_object();
	for (i = 0; i < n; i++) {
		struct str name = STR_INIT;

		escape_utf8(&name, facts[i].name);
		json_put_text(table, str_text(&name), facts[i].value);
		str_free(&name);
	}
	json_object_set_new(object, key, table);
}

static void set_machine(json_t *object, const struct report *report)
{
	json_object_set_new(object, "schema", json_string(SCHEMA));
	json_put_text(object, "id", report->id);
	json_put_text(object, "version", report->version);
	json_put_text(object, "host", report->host);
	json_put_text(object, "kernel", report->kernel);
	json_put_text(object, "boot_id", report->boot_id);
	if (report->cpus)
		json_put_count(object, "cpus", report->cpus);
	set_facts(object, "machine", report->facts, report->n_facts);
	set_facts(object, "labels", report->labels, report->n_labels);
	json_put_number(object, "uptime_seconds", report->uptime_seconds);
	json_put_time(object, "time", report->time_start);
	json_put_number(object, "duration_seconds", report->seconds);
	json_put_number(object, "window_seconds", report->window_seconds);
	json_put_count(object, "windows", report->windows);
	json_put_if(object, "interrupted", report->interrupted);
	json_put_if(object, "replay", report->replay);
	json_put_text(object, "under_way", report->under_way);
	set_continued(object, &report->continued);
}

static json_t *make_muted(const struct report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->n_muted; i++) {
		json_t *entry = json_object();

		json_put_text(entry, "check", report->muted[i].check);
		json_put_text(entry, "reason", report->muted[i].reason);
		json_put_text(entry, "by", report->muted[i].by);
		json_put_time(entry, "until", report->muted[i].until);
		json_array_append_new(array, entry);
	}
	return array;
}

static json_t *make_change(
	const char *type, const char *by, time_t time, const char *reason, const char *ref)
{
	json_t *object = json_object();

	json_put_text(object, "type", type);
	json_put_text(object, "by", by);
	json_put_time(object, "at", time);
	json_put_text(object, "reason", reason);
	json_put_text(object, "ref", ref);
	return object;
}

/* What was said of the type, by the rules first and then by people. */
static json_t *make_changes(const struct report *report)
{
	const struct incident_type *type = &report->type;
	char *by = mem_printf("tuesday/%s", report->version ? report->version : "");
	char *reason = mem_printf("rule %u", type->rule);
	json_t *array = json_array();
	size_t i;

	json_array_append_new(
		array, make_change(type->derived, by, report->time_start, reason, NULL));
	for (i = 0; i < type->n_changes; i++) {
		const struct type_change *change = &type->changes[i];

		json_array_append_new(array,
			make_change(change->type, change->by, change->time, change->reason,
				change->ref));
	}
	free(by);
	free(reason);
	return array;
}

/* What the rules say, and what people said to that. */
static void set_derivation(json_t *object, const struct report *report)
{
	const struct incident_type *type = &report->type;
	json_t *candidates = json_array();
	size_t i;

	for (i = 0; i < type->n_candidates; i++)
		json_array_append_new(candidates, json_of_text(type->candidates[i]));
	json_put_count(object, "rule", type->rule);
	json_put_text(object, "confidence", confidence_text(type->confidence));
	json_put_number(object, "confidence_ratio", type->confidence_ratio);
	json_object_set_new(object, "candidates", candidates);
	if (type->due)
		json_put_time(object, "due", type->due);
	json_object_set_new(object, "history", make_changes(report));
}

static void set_type(json_t *report_object, const struct report *report)
{
	const struct incident_type *type = &report->type;
	json_t *object;

	if (!type->name)
		return;
	object = json_object();
	json_put_text(object, "name", type->name);
	json_put_text(object, "current", type->name);
	json_put_text(object, "derived", type->derived);
	json_put_text(object, "why", type->why);
	if (type->rule)
		set_derivation(object, report);
	json_put_text(object, "invite", type->invite);
	json_put_text(object, "notes", type->notes);
	json_object_set_new(report_object, "type", object);
}

static json_t *make_report(const struct report *report)
{
	json_t *object = json_object(), *checks = json_array();
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		json_array_append_new(checks, make_check(&report->checks[i]));
	set_machine(object, report);
	json_put_text(object, "verdict", verdict_text(report->verdict));
	set_type(object, report);
	json_object_set_new(object, "checks", checks);
	json_object_set_new(object, "exonerated", make_ledger(report));
	json_object_set_new(object, "muted", make_muted(report));
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
	json_dump_callback(json, append, out, JSON_OURS);
	str_addc(out, '\n');
	json_decref(json);
}

WRITER(json) = {
	.name = "json",
	.what = "one object for programs, schema " SCHEMA ": docs/json.md",
	.write = json_write,
};
