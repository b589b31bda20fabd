/* SPDX-License-Identifier: GPL-2.0-only */
/* What did a run somewhere, some day, find out, as far as its JSON report says? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/arena.h"
#include "output/read_check.h"
#include "output/read_json.h"
#include "report/announced_text.h"
#include "base/str.h"
#include "base/datetime.h"
#include "output/read_fields.h"

#define SCHEMA "tuesday/1"
#define CHECKS_MAX 1024
#define FACTS_MAX 64
#define ERRORS_MAX 1000
#define ANNOUNCED_MAX 100
#define CHANGES_MAX 10000

struct report_reader {
	struct report_fields fields; /* what all parts of a report are read with */
	struct report report;
	struct json_text schema;
	bool has_verdict;
};

struct report_reader *report_reader_new(bool brief)
{
	struct report_reader *reader = mem_zalloc(sizeof(*reader));

	reader->fields.brief = brief;
	return reader;
}

void report_reader_free(struct report_reader *reader)
{
	if (!reader)
		return;
	arena_free(&reader->fields.arena);
	free(reader);
}

const char *report_reader_wrong(const struct report_reader *reader)
{
	const char *wrong = reader->fields.scan.wrong;

	return wrong ? wrong : "nothing is wrong";
}

static time_t read_time(struct report_fields *fields)
{
	char *text = fields_text(fields, 64);
	struct tm utc = {0};
	const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc) : NULL;

	/* Leap seconds and years that strptime takes and nobody has are normalised or refused. */
	return end && !*end && utc.tm_year > 69 && utc.tm_year < 1100 ? timegm(&utc) : 0;
}

static void read_facts(struct report_fields *fields, struct fact **facts, size_t *n)
{
	struct json_scan *scan = &fields->scan;
	struct json_text key;
	size_t room = 0;

	*n = 0;
	if (!fields_enter(fields, '{'))
		return;
	while (json_member(scan, &key)) {
		char *name, *value;

		if (json_kind(scan) != '"') {
			json_skip(scan);
			continue;
		}
		name = fields_copy(fields, &key, 64);
		value = fields_text(fields, 256);
		if (!value || !*name || !*value || !fields_more(fields, *n, FACTS_MAX))
			continue;
		*facts = fields_grow(fields, *facts, *n, &room, sizeof(**facts));
		(*facts)[(*n)++] = (struct fact){name, value};
	}
}

static void read_candidates(struct report_fields *fields, struct incident_type *type)
{
	type->n_candidates = 0;
	if (!fields_enter(fields, '['))
		return;
	while (json_element(&fields->scan)) {
		const char *name;

		if (type->n_candidates == INCIDENT_RULES) {
			json_skip(&fields->scan);
			continue;
		}
		name = fields_text(fields, 64);
		if (name)
			type->candidates[type->n_candidates++] = name;
	}
}

static struct type_change read_change(struct report_fields *fields)
{
	struct type_change change = {0};
	struct json_text key;

	while (json_member(&fields->scan, &key))
		if (json_is(&key, "type"))
			change.type = fields_text(fields, 64);
		else if (json_is(&key, "by"))
			change.by = fields_text(fields, 400);
		else if (json_is(&key, "reason"))
			change.reason = fields_text(fields, 1500);
		else if (json_is(&key, "ref"))
			change.ref = fields_text(fields, 300);
		else if (json_is(&key, "at"))
			change.time = read_time(fields);
		else
			json_skip(&fields->scan);
	return change;
}

/* The first is what the rules said, which the other keys say too. */
static void read_changes(struct report_fields *fields, struct incident_type *type)
{
	size_t room = 0, seen = 0;

	type->n_changes = 0;
	if (!fields_enter(fields, '['))
		return;
	while (json_element(&fields->scan)) {
		struct type_change change;

		if (!fields_enter(fields, '{'))
			continue;
		change = read_change(fields);
		if (!seen++ || !change.type || !change.by || !change.reason ||
			!fields_more(fields, type->n_changes, CHANGES_MAX))
			continue;
		type->changes = fields_grow(
			fields, type->changes, type->n_changes, &room, sizeof(*type->changes));
		type->changes[type->n_changes++] = change;
	}
}

static void read_type(struct report_fields *fields, struct incident_type *type)
{
	static const char *const confidences[] = {"low", "medium", "high"};
	struct json_text key;

	if (!fields_enter(fields, '{'))
		return;
	while (json_member(&fields->scan, &key))
		if (json_is(&key, "name"))
			type->name = fields_text(fields, 64);
		else if (json_is(&key, "derived"))
			type->derived = fields_text(fields, 64);
		else if (json_is(&key, "rule"))
			type->rule = (unsigned int)fields_count(fields, 1000);
		else if (json_is(&key, "confidence"))
			type->confidence = (enum confidence)fields_word(
				fields, confidences, ARRAY_SIZE(confidences), CONFIDENCE_LOW);
		else if (json_is(&key, "confidence_ratio"))
			json_number(&fields->scan, &type->confidence_ratio);
		else if (json_is(&key, "due"))
			type->due = read_time(fields);
		else if (json_is(&key, "candidates"))
			read_candidates(fields, type);
		else if (json_is(&key, "history"))
			read_changes(fields, type);
		else if (json_is(&key, "invite"))
			type->invite = fields_text(fields, 4096);
		else if (json_is(&key, "notes"))
			type->notes = fields_text(fields, 4096);
		else if (json_is(&key, "why"))
			type->why = fields_text(fields, 1024);
		else
			json_skip(&fields->scan);
	if (!type->derived)
		type->derived = type->name;
}

static void read_continued(struct report_fields *fields, struct continued *continued)
{
	struct json_text key;

	if (!fields_enter(fields, '{'))
		return;
	continued->asked = true;
	while (json_member(&fields->scan, &key))
		if (json_is(&key, "time"))
			continued->time = read_time(fields);
		else if (json_is(&key, "seconds"))
			json_number(&fields->scan, &continued->seconds);
		else if (json_is(&key, "context"))
			continued->context = fields_text(fields, 256);
		else
			json_skip(&fields->scan);
}

static bool read_mute(struct report_fields *fields, struct muted *muted)
{
	struct json_text key;

	*muted = (struct muted){0};
	if (!fields_enter(fields, '{'))
		return false;
	while (json_member(&fields->scan, &key))
		if (json_is(&key, "check"))
			muted->check = fields_name(fields);
		else if (json_is(&key, "reason"))
			muted->reason = fields_text(fields, 1024);
		else if (json_is(&key, "by"))
			muted->by = fields_text(fields, 128);
		else if (json_is(&key, "until"))
			muted->until = read_time(fields);
		else
			json_skip(&fields->scan);
	return muted->check && muted->reason && muted->by;
}

static void read_muted(struct report_fields *fields, struct report *report)
{
	size_t room = 0;

	report->n_muted = 0;
	if (!fields_enter(fields, '['))
		return;
	while (json_element(&fields->scan) && fields_more(fields, report->n_muted, CHECKS_MAX)) {
		report->muted = fields_grow(
			fields, report->muted, report->n_muted, &room, sizeof(*report->muted));
		if (read_mute(fields, &report->muted[report->n_muted]))
			report->n_muted++;
	}
}

static bool read_announcement(struct report_fields *fields, struct announced *announced)
{
	struct json_text key;

	*announced = (struct announced){0};
	if (!fields_enter(fields, '{'))
		return false;
	while (json_member(&fields->scan, &key))
		if (json_is(&key, "what"))
			announced->what = fields_text(fields, 256);
		else if (json_is(&key, "by"))
			announced->by = fields_text(fields, 128);
		else if (json_is(&key, "since"))
			announced->since = read_time(fields);
		else if (json_is(&key, "until"))
			announced->until = read_time(fields);
		else
			json_skip(&fields->scan);
	return announced->what && announced->by;
}

static void read_announced(struct report_fields *fields, struct report *report)
{
	size_t room = 0;

	report->n_announced = 0;
	if (!fields_enter(fields, '['))
		return;
	while (json_element(&fields->scan) &&
		fields_more(fields, report->n_announced, ANNOUNCED_MAX)) {
		report->announced = fields_grow(fields, report->announced, report->n_announced,
			&room, sizeof(*report->announced));
		if (read_announcement(fields, &report->announced[report->n_announced]))
			report->n_announced++;
	}
}

static void read_checks(struct report_fields *fields, struct report *report)
{
	size_t room = 0;

	report->n_checks = 0;
	if (!fields_enter(fields, '['))
		return;
	while (json_element(&fields->scan) && fields_more(fields, report->n_checks, CHECKS_MAX)) {
		report->checks = fields_grow(
			fields, report->checks, report->n_checks, &room, sizeof(*report->checks));
		if (fields_check(fields, &report->checks[report->n_checks]))
			report->n_checks++;
	}
}

/* The ledger repeats which checks are exonerated and adds by what. */
static void read_ledger(struct report_fields *fields, struct report *report)
{
	struct json_scan *scan = &fields->scan;
	struct json_text key;
	size_t n = 0;

	if (!fields_enter(fields, '['))
		return;
	while (json_element(scan) && fields_more(fields, n++, CHECKS_MAX)) {
		char *name = NULL, *evidence = NULL;
		struct check_result *result;

		if (!fields_enter(fields, '{'))
			continue;
		while (json_member(scan, &key))
			if (json_is(&key, "check"))
				name = fields_name(fields);
			else if (json_is(&key, "evidence"))
				evidence = fields_text(fields, 4096);
			else
				json_skip(scan);
		result = name ? report_check(report, name) : NULL;
		if (result && result->exonerated)
			result->evidence = evidence;
	}
}

/* Cost is summed up over fleets by nobody yet, so it is read for one machine only. */
static bool report_read_list(struct report_reader *reader, const struct json_text *key)
{
	struct report_fields *fields = &reader->fields;
	struct report *report = &reader->report;

	if (json_is(key, "checks"))
		read_checks(fields, report);
	else if (json_is(key, "machine"))
		read_facts(fields, &report->facts, &report->n_facts);
	else if (json_is(key, "labels"))
		read_facts(fields, &report->labels, &report->n_labels);
	else if (json_is(key, "type"))
		read_type(fields, &report->type);
	else if (json_is(key, "since") && !fields->brief)
		read_continued(fields, &report->continued);
	else if (json_is(key, "muted") && !fields->brief)
		read_muted(fields, report);
	else if (json_is(key, "announced") && !fields->brief)
		read_announced(fields, report);
	else if (json_is(key, "not_asked") && !fields->brief)
		report->n_not_asked = fields_texts(fields, &report->not_asked, CHECKS_MAX);
	else if (json_is(key, "errors"))
		report->n_errors = fields_texts(fields, &report->errors, ERRORS_MAX);
	else if (json_is(key, "cost") && !fields->brief)
		fields_cost(fields, &report->cost);
	else
		return false;
	return true;
}

static enum began report_read_began(struct report_fields *fields)
{
	const char *text = fields_text(fields, 16);
	enum began began;

	for (began = BEGAN_BEFORE; text && began <= BEGAN_SINCE; began++)
		if (!strcmp(text, began_text(began)))
			return began;
	return BEGAN_UNKNOWN;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static bool report_read_text(struct report_reader *reader, const struct json_text *key)
{
	struct report_fields *fields = &reader->fields;
	struct report *report = &reader->report;

	if (json_is(key, "id"))
		snprintf(report->id, sizeof(report->id), "%s", or_empty(fields_text(fields, 32)));
	else if (json_is(key, "host"))
		report->host = fields_text(fields, 255);
	else if (json_is(key, "kernel"))
		report->kernel = fields_text(fields, 128);
	else if (json_is(key, "boot_id"))
		report->boot_id = fields_text(fields, 64);
	else if (json_is(key, "version"))
		report->version = fields_text(fields, 64);
	else if (json_is(key, "under_way"))
		report->under_way = fields_text(fields, 160);
	else if (json_is(key, "verdict"))
		reader->has_verdict = fields_verdict(fields, &report->verdict);
	else if (json_is(key, "accused_began"))
		report->accused_began = report_read_began(fields);
	else if (json_is(key, "time"))
		report->time_start = read_time(fields);
	else
		return false;
	return true;
}

static void report_read_number(struct report_reader *reader, const struct json_text *key)
{
	struct report_fields *fields = &reader->fields;
	struct report *report = &reader->report;

	if (json_is(key, "cpus"))
		report->cpus = (unsigned int)fields_count(fields, 1 << 20);
	else if (json_is(key, "windows"))
		report->windows = (unsigned int)fields_count(fields, 1 << 20);
	else if (json_is(key, "uptime_seconds"))
		json_number(&fields->scan, &report->uptime_seconds);
	else if (json_is(key, "duration_seconds"))
		json_number(&fields->scan, &report->seconds);
	else if (json_is(key, "window_seconds"))
		json_number(&fields->scan, &report->window_seconds);
	else if (json_is(key, "interrupted"))
		json_bool(&fields->scan, &report->interrupted);
	else if (json_is(key, "replay"))
		json_bool(&fields->scan, &report->replay);
	else if (json_is(key, "schema"))
		json_text(&fields->scan, &reader->schema);
	else
		json_skip(&fields->scan);
}

/* What every report has, so that other JSON is not taken for one. */
static int require_report(struct report_reader *reader)
{
	struct json_scan *scan = &reader->fields.scan;
	const char *wrong = NULL;

	if (!reader->schema.at)
		wrong = "it is no report: it names no schema";
	else if (!json_is(&reader->schema, SCHEMA))
		wrong = reader->schema.len > 8 && !strncmp(reader->schema.at, "tuesday/", 8)
			? "it is of a schema that this version cannot read"
			: "it is no report: its schema is another one";
	else if (!reader->report.host || !*reader->report.host)
		wrong = "it does not say of which host it is";
	else if (!reader->has_verdict)
		wrong = "it has no verdict";
	if (!wrong)
		return 0;
	scan->wrong = wrong;
	return scan->err = -EINVAL;
}

/* As people say it where they read the report. */
static void say_since(struct report_reader *reader)
{
	struct report *report = &reader->report;
	char *text, *kept;
	size_t i;

	if (!report->continued.time)
		return;
	text = format_since(report->continued.time, report->time_start);
	kept = arena_copy(&reader->fields.arena, text, strlen(text));
	free(text);
	for (i = 0; i < report->n_checks; i++)
		report->checks[i].since = kept;
}

static bool only_white_space(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!text[i] || !strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

int report_read(struct report_reader *reader, const char *text, size_t len, size_t *used,
	const struct report **report)
{
	struct report_fields *fields = &reader->fields;
	struct json_text key, ledger = {0};

	arena_clear(&fields->arena);
	reader->report = (struct report){.uptime_seconds = NAN};
	reader->schema = (struct json_text){0};
	reader->has_verdict = false;
	json_begin(&fields->scan, text, len);
	*used = len;
	if (only_white_space(text, len))
		return -ENODATA;
	json_enter(&fields->scan, '{');
	while (json_member(&fields->scan, &key))
		if (json_is(&key, "exonerated") && !fields->brief)
			fields_put_off(fields, &ledger);
		else if (!report_read_list(reader, &key) && !report_read_text(reader, &key))
			report_read_number(reader, &key);
	*used = (size_t)(fields->scan.at - text);
	if (fields->scan.err)
		return fields->scan.err;
	if (fields_take_up(fields, &ledger))
		read_ledger(fields, &reader->report);
	say_since(reader);
	if (!fields->scan.err && !require_report(reader))
		*report = &reader->report;
	return fields->scan.err;
}
