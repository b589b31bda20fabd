/* SPDX-License-Identifier: GPL-2.0-only */
/* What is one check of a report, and what are the values that it is made of? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "output/read_check.h"
#include "base/str.h"
#include "output/read_fields.h"
#include "output/read_metric.h"
#include "check/check.h"

#define CULPRITS_MAX 256
#define TEXTS_MAX 256
#define TEXT_BYTES 4096

static void fields_read_into(struct report_fields *fields, char *to, size_t size)
{
	const char *text = fields_text(fields, size - 1);

	snprintf(to, size, "%s", text ? text : "");
}

/* One of its kind has a kind and a name at least. */
static bool read_culprit(struct report_fields *fields, struct culprit *culprit)
{
	struct json_scan *scan = &fields->scan;
	struct json_text key;

	*culprit = (struct culprit){.share = -1};
	if (!fields_enter(fields, '{'))
		return false;
	while (json_member(scan, &key))
		if (json_is(&key, "kind"))
			fields_read_into(fields, culprit->kind, sizeof(culprit->kind));
		else if (json_is(&key, "name"))
			fields_read_into(fields, culprit->name, sizeof(culprit->name));
		else if (json_is(&key, "id"))
			fields_read_into(fields, culprit->id, sizeof(culprit->id));
		else if (json_is(&key, "share"))
			json_number(scan, &culprit->share);
		else if (json_is(&key, "unit"))
			fields_read_into(fields, culprit->unit, sizeof(culprit->unit));
		else if (json_is(&key, "up_seconds"))
			json_number(scan, &culprit->up_seconds);
		else
			json_skip(scan);
	return *culprit->kind && *culprit->name;
}

static void read_culprits(struct report_fields *fields, struct check_result *result)
{
	size_t room = 0;

	if (!fields_enter(fields, '['))
		return;
	while (json_element(&fields->scan) &&
		fields_more(fields, result->n_culprits, CULPRITS_MAX)) {
		struct culprit culprit;

		if (!read_culprit(fields, &culprit))
			continue;
		result->culprits = fields_grow(
			fields, result->culprits, result->n_culprits, &room, sizeof(culprit));
		result->culprits[result->n_culprits++] = culprit;
	}
}

/* What is only wanted of a check that is accused, or could not look. */
struct put_off {
	struct json_text summary, reason, metrics, culprits, howevers, remedies, next, experiments,
		method, missing, cost, past;
};

static struct json_text *put_off_place_of(struct put_off *off, const struct json_text *key)
{
	static const struct {
		const char *key;
		size_t at;
	} places[] = {
		{"summary", offsetof(struct put_off, summary)},
		{"reason", offsetof(struct put_off, reason)},
		{"metrics", offsetof(struct put_off, metrics)},
		{"culprits", offsetof(struct put_off, culprits)},
		{"howevers", offsetof(struct put_off, howevers)},
		{"remedies", offsetof(struct put_off, remedies)},
		{"next", offsetof(struct put_off, next)},
		{"experiments", offsetof(struct put_off, experiments)},
		{"method", offsetof(struct put_off, method)},
		{"missing", offsetof(struct put_off, missing)},
		{"cost", offsetof(struct put_off, cost)},
		{"since", offsetof(struct put_off, past)},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (json_is(key, places[i].key))
			return (struct json_text *)((char *)off + places[i].at);
	return NULL;
}

static void fields_take_text(
	struct report_fields *fields, const struct json_text *value, char **text)
{
	if (fields_take_up(fields, value))
		*text = fields_text(fields, TEXT_BYTES);
}

static void read_accusation(
	struct report_fields *fields, const struct put_off *off, struct check_result *result)
{
	fields_take_text(fields, &off->summary, &result->summary);
	fields_take_text(fields, &off->reason, &result->reason);
	if (fields_take_up(fields, &off->metrics))
		result->n_metrics = fields_metrics(fields, &result->metrics);
	if (fields_take_up(fields, &off->past))
		result->n_past = fields_metrics(fields, &result->past);
	if (fields_take_up(fields, &off->culprits))
		read_culprits(fields, result);
}

static void read_details(
	struct report_fields *fields, const struct put_off *off, struct check_result *result)
{
	fields_take_text(fields, &off->method, &result->method);
	fields_take_text(fields, &off->missing, &result->missing);
	if (fields_take_up(fields, &off->howevers))
		result->n_howevers = fields_texts(fields, &result->howevers, TEXTS_MAX);
	if (fields_take_up(fields, &off->remedies))
		result->n_remedies = fields_texts(fields, &result->remedies, TEXTS_MAX);
	if (fields_take_up(fields, &off->next))
		result->n_next = fields_texts(fields, &result->next, TEXTS_MAX);
	if (fields_take_up(fields, &off->experiments))
		fields_experiments(fields, result);
	if (fields_take_up(fields, &off->cost))
		fields_cost(fields, &result->cost);
}

static void read_plain(struct report_fields *fields, const struct json_text *key,
	struct check *check, struct check_result *result)
{
	static const char *const tiers[] = {"counters", "trace", "experiment"};
	static const char *const asides[] = {"", "expected", "muted"};
	static const char *const confidences[] = {"low", "medium", "high"};

	if (json_is(key, "check"))
		check->name = fields_name(fields);
	else if (json_is(key, "area"))
		check->area = fields_name(fields);
	else if (json_is(key, "tier"))
		result->tier = (enum tier)fields_word(fields, tiers, 3, TIER_COUNTERS);
	else if (json_is(key, "confidence"))
		result->confidence =
			(enum confidence)fields_word(fields, confidences, 3, CONFIDENCE_LOW);
	else if (json_is(key, "set_aside"))
		result->set_aside = (enum set_aside)fields_word(fields, asides, 3, ASIDE_NOT);
	else if (json_is(key, "idle"))
		json_bool(&fields->scan, &result->idle);
	else if (json_is(key, "only_since"))
		json_bool(&fields->scan, &result->only_past);
	else if (json_is(key, "exonerated"))
		json_bool(&fields->scan, &result->exonerated);
	else if (json_is(key, "verdict"))
		fields_verdict(fields, &result->verdict);
	else
		json_skip(&fields->scan);
}

bool fields_check(struct report_fields *fields, struct check_result *result)
{
	struct check *check = arena_alloc(&fields->arena, sizeof(*check));
	struct put_off off = {0};
	struct json_text key, *place;
	const char *end;

	*result = (struct check_result){.check = check, .verdict = VERDICT_UNKNOWN};
	if (!fields_enter(fields, '{'))
		return false;
	while (json_member(&fields->scan, &key)) {
		place = put_off_place_of(&off, &key);
		if (place)
			fields_put_off(fields, place);
		else
			read_plain(fields, &key, check, result);
	}
	end = fields->scan.at;
	if (!fields->brief || verdict_is_worse(result->verdict, VERDICT_GOOD))
		read_accusation(fields, &off, result);
	if (!fields->brief)
		read_details(fields, &off, result);
	fields->scan.at = end;
	fields->scan.first = false;
	/* Only what is good can have been cleared. */
	result->exonerated &= result->verdict == VERDICT_GOOD;
	if (result->set_aside == ASIDE_EXPECTED && result->verdict != VERDICT_UNKNOWN)
		result->set_aside = ASIDE_NOT;
	return check->name && *check->name;
}
