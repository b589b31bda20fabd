/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a program get? One object of the schema that docs/json.md describes. Keys are kept for
 * ever; what is not known has no key.
 */

#include "base/banned.h"
#include "base/json_write.h"
#include "check/ends.h"
#include "report/announced_text.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "trace/result.h"

#define SCHEMA "tuesday/1"

static void write_seconds(struct json_writer *json, const char *key, uint64_t ns)
{
	json_write_number(json, key, (double)ns / 1e9);
}

/* A limit is a number that means nothing without its side: which values does it accuse? */
static void write_direction(struct json_writer *json, const struct metric *metric)
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
		json_write_text(json, "accuses", texts[op]);
}

static void write_forecast(
	struct json_writer *json, const char *name, const struct forecast *forecast)
{
	if (!forecast->known)
		return;
	json_open(json, name, '{');
	json_write_number(json, "seconds", forecast->seconds);
	json_write_number(json, "low", forecast->low);
	json_write_number(json, "high", forecast->high);
	json_write_number(json, "target", forecast->target);
	json_write_number(json, "over_seconds", forecast->over_seconds);
	json_write_text(json, "source", forecast_source_text(forecast->source));
	json_write_if(json, "due", forecast->due);
	json_close(json);
}

/* What is usual moves no verdict; of a limit that it is reached soon does. */
static void write_past(struct json_writer *json, const struct metric_result *result)
{
	const struct normal *normal = &result->normal;

	if (normal->runs) {
		json_open(json, "normal", '{');
		json_write_number(json, "low", normal->low);
		json_write_number(json, "middle", normal->middle);
		json_write_number(json, "high", normal->high);
		json_write_count(json, "runs", normal->runs);
		json_close(json);
	}
	write_forecast(json, "forecast", &result->forecast);
	write_forecast(json, "later", &result->later);
}

/* What a check file says of its number, which is half of a report. */
static void write_words(struct json_writer *json, const struct metric *metric)
{
	json_write_text(json, "source", metric->source);
	json_write_text(json, "why", metric->why);
	json_write_text(json, "however", metric->however);
}

/* What is to be said of a number that accuses, by itself. */
static void json_write_accusation(struct json_writer *json, const struct metric_result *result)
{
	const struct metric_words *words = &result->words;

	json_write_text(json, "ends", metric_ends(result->metric));
	json_write_text(json, "say", words->say);
	if (words->n_howevers)
		json_write_texts(json, "howevers", words->howevers, words->n_howevers);
	json_write_text(json, "remedy", words->remedy);
	if (words->n_next)
		json_write_texts(json, "next", words->next, words->n_next);
}

static void write_metric(struct json_writer *json, const struct metric_result *result, bool brief)
{
	const bool accuses = result->verdict == VERDICT_BAD || result->verdict == VERDICT_MAYBE;
	const struct metric *metric = result->metric;

	json_open(json, NULL, '{');
	json_write_text(json, "name", metric->name);
	json_write_text(json, "instance", result->instance);
	if (result->label && result->instance && strcmp(result->label, result->instance) != 0)
		json_write_text(json, "label", result->label);
	json_write_number(json, "value", result->value);
	json_write_number(json, "worst", result->worst);
	json_write_text(json, "unit", unit_text(metric->unit));
	json_write_text(json, "class", metric_class_text(metric->class));
	json_write_text(json, "verdict", verdict_text(result->verdict));
	if (result->overruled != VERDICT_GOOD)
		json_write_text(json, "overruled", verdict_text(result->overruled));
	json_write_if(json, "over", result->over);
	json_write_if(json, "idle", result->idle);
	json_write_if(json, "acquits", result->acquits);
	json_write_if(json, "looks", result->looks);
	json_write_if(json, "capped", result->capped);
	json_write_number(json, "acquit", result->acquit);
	json_write_number(json, "maybe", result->maybe);
	json_write_number(json, "bad", result->bad);
	json_write_number(json, "look", result->look);
	write_direction(json, metric);
	if (accuses || !brief)
		write_words(json, metric);
	if (accuses)
		json_write_accusation(json, result);
	if (result->instances)
		json_write_count(json, "instances", result->instances);
	if (result->accused)
		json_write_count(json, "accused", result->accused);
	if (result->windows) {
		json_write_count(json, "windows_over", result->windows_over);
		json_write_count(json, "windows", result->windows);
	}
	json_write_text(json, "missing", result->missing);
	write_past(json, result);
	json_close(json);
}

static void write_culprit(struct json_writer *json, const struct culprit *culprit)
{
	json_open(json, NULL, '{');
	json_write_text(json, "kind", culprit->kind);
	json_write_text(json, "name", culprit->name);
	json_write_text(json, "id", culprit->id);
	if (culprit->share >= 0)
		json_write_number(json, "share", culprit->share);
	if (*culprit->unit)
		json_write_text(json, "unit", culprit->unit);
	if (culprit->up_seconds > 0)
		json_write_number(json, "up_seconds", culprit->up_seconds);
	json_close(json);
}

static void json_write_cost(struct json_writer *json, const struct cost *cost)
{
	json_open(json, "cost", '{');
	write_seconds(json, "cpu_seconds", cost->cpu_ns);
	if (cost->wall_ns)
		write_seconds(json, "wall_seconds", cost->wall_ns);
	if (cost->rss_bytes)
		json_write_count(json, "rss_bytes", cost->rss_bytes);
	write_seconds(json, "trace_seconds", cost->trace_ns);
	if (cost->bpf_known)
		write_seconds(json, "bpf_seconds", cost->bpf_ns);
	json_close(json);
}

static void write_knob(struct json_writer *json, const struct experiment_result *result)
{
	json_write_text(json, "knob", result->knob);
	json_write_text(json, "instance", result->instance);
	json_write_text(json, "from", result->from);
	json_write_text(json, "to", result->to);
	json_write_bool(json, "turned", result->turned);
	if (result->turned)
		json_write_bool(json, "restored", !result->left);
	json_write_text(json, "left", result->left);
}

static void write_experiment(struct json_writer *json, const struct experiment_result *result)
{
	json_open(json, NULL, '{');
	json_write_text(json, "name", result->name);
	json_write_text(json, "answer", answer_text(result->answer));
	if (result->answer == ANSWER_CHANGED)
		json_write_bool(json, "better", result->better);
	if (result->answer == ANSWER_TOLD)
		json_write_text(json, "told", verdict_text(result->told));
	json_write_text(json, "summary", result->summary);
	json_write_text(json, "why", result->why);
	write_knob(json, result);
	json_write_text(json, "observed", result->observed);
	json_write_number(json, "before", result->before);
	json_write_number(json, "meanwhile", result->meanwhile);
	json_write_number(json, "effect", result->effect);
	json_write_number(json, "low", result->low);
	json_write_number(json, "high", result->high);
	json_write_number(json, "margin", result->margin);
	json_write_count(json, "pairs", result->pairs);
	json_write_count(json, "control_pairs", result->control_pairs);
	json_write_number(json, "seconds", result->seconds);
	json_write_number(json, "most_seconds", result->most_seconds);
	if (result->risk)
		json_write_count(json, "risk", (uint64_t)result->risk);
	json_write_text(json, "proves", result->proves);
	json_write_text(json, "however", result->however);
	json_write_texts(json, "notes", result->notes, result->n_notes);
	json_close(json);
}

/* The key is there for who asked for experiments, and for nobody else. */
static void write_experiments(struct json_writer *json, const struct check_result *result)
{
	size_t i;

	if (!result->n_experiments)
		return;
	json_open(json, "experiments", '[');
	for (i = 0; i < result->n_experiments; i++)
		write_experiment(json, &result->experiments[i]);
	json_close(json);
}

/* The key is there where something is offered. */
static void write_offers(struct json_writer *json, const struct check_result *result)
{
	size_t i;

	if (!result->n_offers)
		return;
	json_open(json, "offers", '[');
	for (i = 0; i < result->n_offers; i++) {
		const struct experiment_offer *offer = &result->offers[i];

		json_open(json, NULL, '{');
		json_write_text(json, "experiment", offer->experiment);
		json_write_text(json, "command", offer->command);
		json_write_number(json, "seconds", offer->seconds);
		json_write_count(json, "risk", (uint64_t)offer->risk);
		json_write_bool(json, "clears", offer->clears);
		json_write_bool(json, "changes", offer->changes);
		json_write_text(json, "question", offer->question);
		json_write_text(json, "warning", offer->warning);
		json_close(json);
	}
	json_close(json);
}

static void write_metrics(struct json_writer *json, const char *key,
	const struct metric_result *list, size_t n, bool brief)
{
	size_t i;

	json_open(json, key, '[');
	for (i = 0; i < n; i++)
		write_metric(json, &list[i], brief);
	json_close(json);
}

/* The key is there only where the time since the run before accuses. */
static void write_since(struct json_writer *json, const struct check_result *result, bool brief)
{
	if (!result->n_past)
		return;
	write_metrics(json, "since", result->past, result->n_past, brief);
	json_write_if(json, "only_since", result->only_past);
}

static void json_write_culprits(struct json_writer *json, const struct check_result *result)
{
	size_t i;

	json_open(json, "culprits", '[');
	for (i = 0; i < result->n_culprits; i++)
		write_culprit(json, &result->culprits[i]);
	json_close(json);
}

static void json_write_check(
	struct json_writer *json, const struct check_result *result, bool brief)
{
	bool looked = result->verdict != VERDICT_UNKNOWN && result->verdict != VERDICT_SKIP;

	json_open(json, NULL, '{');
	json_write_text(json, "check", result->check->name);
	json_write_text(json, "area", result->check->area);
	json_write_text(json, "verdict", verdict_text(result->verdict));
	json_write_text(json, "set_aside", set_aside_text(result->set_aside));
	if (looked) {
		json_write_text(json, "tier", tier_text(result->tier));
		json_write_text(json, "confidence", confidence_text(result->confidence));
	}
	json_write_if(json, "idle", result->idle);
	json_write_bool(json, "exonerated", result->exonerated);
	json_write_text(json, "summary", result->summary);
	json_write_text(json, "reason", result->reason);
	json_write_text(json, "method", result->method);
	json_write_text(json, "missing", result->missing);
	write_metrics(json, "metrics", result->metrics, result->n_metrics, brief);
	write_since(json, result, brief);
	json_write_culprits(json, result);
	json_write_texts(json, "howevers", result->howevers, result->n_howevers);
	if (result->n_remedies)
		json_write_texts(json, "remedies", result->remedies, result->n_remedies);
	json_write_texts(json, "next", result->next, result->n_next);
	write_experiments(json, result);
	write_offers(json, result);
	if (result->cost.trace_ns)
		json_write_cost(json, &result->cost);
	json_close(json);
}

static void write_ledger(struct json_writer *json, const struct report *report)
{
	size_t i;

	json_open(json, "exonerated", '[');
	for (i = 0; i < report->n_checks; i++) {
		if (!report->checks[i].exonerated)
			continue;
		json_open(json, NULL, '{');
		json_write_text(json, "check", report->checks[i].check->name);
		json_write_text(json, "evidence", report->checks[i].evidence);
		json_close(json);
	}
	json_close(json);
}

static void write_not_cleared(struct json_writer *json, const struct report *report)
{
	size_t i;

	json_open(json, "not_cleared", '[');
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != VERDICT_GOOD || result->exonerated)
			continue;
		json_open(json, NULL, '{');
		json_write_text(json, "check", result->check->name);
		json_write_text(json, "reason", result->reason);
		json_close(json);
	}
	json_close(json);
}

static void write_continued(struct json_writer *json, const struct continued *continued)
{
	if (!continued->asked)
		return;
	json_open(json, "since", '{');
	if (continued->time)
		json_write_time(json, "time", continued->time);
	if (continued->seconds > 0)
		json_write_number(json, "seconds", continued->seconds);
	json_write_text(json, "context", continued->context);
	json_close(json);
}

/* Names that people chose may be the same twice: the last value counts, as in any JSON object, and
 * stands in the place of the first. NULL where it stands before i. */
static const char *value_of_fact(const struct fact *facts, size_t n, size_t i)
{
	const char *value = NULL;
	size_t j;

	for (j = 0; j < n; j++) {
		if (strcmp(facts[j].name, facts[i].name) != 0)
			continue;
		if (j < i)
			return NULL;
		value = facts[j].value;
	}
	return value;
}

static void json_write_facts(
	struct json_writer *json, const char *key, const struct fact *facts, size_t n)
{
	size_t i;

	if (!n)
		return;
	json_open(json, key, '{');
	for (i = 0; i < n; i++)
		json_write_text(json, facts[i].name, value_of_fact(facts, n, i));
	json_close(json);
}

static void write_machine(struct json_writer *json, const struct report *report)
{
	json_write_string(json, "schema", SCHEMA);
	json_write_text(json, "id", report->id);
	json_write_text(json, "version", report->version);
	json_write_text(json, "host", report->host);
	json_write_text(json, "kernel", report->kernel);
	json_write_text(json, "boot_id", report->boot_id);
	if (report->cpus)
		json_write_count(json, "cpus", report->cpus);
	json_write_facts(json, "machine", report->facts, report->n_facts);
	json_write_facts(json, "labels", report->labels, report->n_labels);
	json_write_number(json, "uptime_seconds", report->uptime_seconds);
	json_write_time(json, "time", report->time_start);
	json_write_number(json, "duration_seconds", report->seconds);
	json_write_number(json, "window_seconds", report->window_seconds);
	json_write_count(json, "windows", report->windows);
	json_write_if(json, "interrupted", report->interrupted);
	json_write_if(json, "replay", report->replay);
	json_write_text(json, "under_way", report->under_way);
	write_continued(json, &report->continued);
}

static void write_muted(struct json_writer *json, const struct report *report)
{
	size_t i;

	json_open(json, "muted", '[');
	for (i = 0; i < report->n_muted; i++) {
		json_open(json, NULL, '{');
		json_write_text(json, "check", report->muted[i].check);
		json_write_text(json, "reason", report->muted[i].reason);
		json_write_text(json, "by", report->muted[i].by);
		json_write_time(json, "until", report->muted[i].until);
		json_close(json);
	}
	json_close(json);
}

static void write_announced(struct json_writer *json, const struct report *report)
{
	size_t i;

	if (!report->n_announced)
		return;
	json_open(json, "announced", '[');
	for (i = 0; i < report->n_announced; i++) {
		json_open(json, NULL, '{');
		json_write_text(json, "what", report->announced[i].what);
		json_write_text(json, "by", report->announced[i].by);
		json_write_time(json, "since", report->announced[i].since);
		json_write_time(json, "until", report->announced[i].until);
		json_close(json);
	}
	json_close(json);
	json_write_text(json, "accused_began", began_text(report->accused_began));
}

static void write_change(struct json_writer *json, const char *type, const char *by, time_t time,
	const char *reason, const char *ref)
{
	json_open(json, NULL, '{');
	json_write_text(json, "type", type);
	json_write_text(json, "by", by);
	json_write_time(json, "at", time);
	json_write_text(json, "reason", reason);
	json_write_text(json, "ref", ref);
	json_close(json);
}

/* What was said of the type, by the rules first and then by people. */
static void write_changes(struct json_writer *json, const struct report *report)
{
	const struct incident_type *type = &report->type;
	char *by = mem_printf("tuesday/%s", report->version ? report->version : "");
	char *reason = mem_printf("rule %u", type->rule);
	size_t i;

	json_open(json, "history", '[');
	write_change(json, type->derived, by, report->time_start, reason, NULL);
	for (i = 0; i < type->n_changes; i++) {
		const struct type_change *change = &type->changes[i];

		write_change(
			json, change->type, change->by, change->time, change->reason, change->ref);
	}
	json_close(json);
	free(by);
	free(reason);
}

/* What the rules say, and what people said to that. */
static void write_derivation(struct json_writer *json, const struct report *report)
{
	const struct incident_type *type = &report->type;
	size_t i;

	json_write_count(json, "rule", type->rule);
	json_write_text(json, "confidence", confidence_text(type->confidence));
	json_write_number(json, "confidence_ratio", type->confidence_ratio);
	json_open(json, "candidates", '[');
	for (i = 0; i < type->n_candidates; i++)
		json_write_string(json, NULL, type->candidates[i]);
	json_close(json);
	if (type->due)
		json_write_time(json, "due", type->due);
	write_changes(json, report);
}

static void write_type(struct json_writer *json, const struct report *report)
{
	const struct incident_type *type = &report->type;

	if (!type->name)
		return;
	json_open(json, "type", '{');
	json_write_text(json, "name", type->name);
	json_write_text(json, "current", type->name);
	json_write_text(json, "derived", type->derived);
	json_write_text(json, "why", type->why);
	if (type->rule)
		write_derivation(json, report);
	json_write_text(json, "invite", type->invite);
	json_write_text(json, "notes", type->notes);
	json_close(json);
}

static void json_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	struct json_writer json;
	size_t i;

	json_start(&json, out);
	write_machine(&json, report);
	json_write_text(&json, "verdict", verdict_text(report->verdict));
	write_type(&json, report);
	json_open(&json, "checks", '[');
	for (i = 0; i < report->n_checks; i++)
		json_write_check(&json, &report->checks[i], options->brief);
	json_close(&json);
	write_ledger(&json, report);
	write_not_cleared(&json, report);
	if (report->n_not_asked)
		json_write_texts(&json, "not_asked", report->not_asked, report->n_not_asked);
	write_muted(&json, report);
	write_announced(&json, report);
	json_write_texts(&json, "errors", report->errors, report->n_errors);
	json_write_cost(&json, &report->cost);
	json_finish(&json);
}

WRITER(json) = {
	.name = "json",
	.what = "one object for programs, schema " SCHEMA ": docs/json.md",
	.write = json_write,
};
