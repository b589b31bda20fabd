/* SPDX-License-Identifier: GPL-2.0-only */
/* What is one check of a report, and what are the values that it is made of? */
#include <errno.h>
#include <math.h>

#include "output/read_check.h"
#include "base/str.h"

#define CULPRITS_MAX 256
#define TEXTS_MAX 256
#define TEXT_BYTES 4096
#define NAME_BYTES 128

bool fields_enter(struct report_fields *fields, char bracket)
{
	if (json_kind(&fields->scan) == bracket)
		return json_enter(&fields->scan, bracket);
	json_skip(&fields->scan);
	return false;
}

bool fields_more(struct report_fields *fields, size_t n, size_t max)
{
	if (n < max)
		return true;
	if (!fields->scan.err) {
		fields->scan.err = -E2BIG;
		fields->scan.wrong = "it has more of something than any run writes";
	}
	return false;
}

void *fields_grow(struct report_fields *fields, void *array, size_t n, size_t *room, size_t size)
{
	void *grown;

	if (n < *room)
		return array;
	*room = *room ? *room * 2 : 4;
	grown = arena_alloc(&fields->arena, *room * size);
	return n ? memcpy(grown, array, n * size) : grown;
}

static bool is_plain(const struct json_text *text)
{
	size_t i;

	for (i = 0; i < text->len; i++)
		if ((unsigned char)text->at[i] >= 0x80)
			return false;
	return !text->escaped;
}

char *fields_copy(struct report_fields *fields, const struct json_text *text, size_t max)
{
	struct str valid = STR_INIT;
	char *copy;

	if (is_plain(text))
		return arena_copy(&fields->arena, text->at, text->len < max ? text->len : max);
	json_add_text(&valid, text, max);
	copy = arena_copy(&fields->arena, str_text(&valid), valid.len);
	str_free(&valid);
	return copy;
}

char *fields_text(struct report_fields *fields, size_t max)
{
	struct json_text text;

	return json_text(&fields->scan, &text) ? fields_copy(fields, &text, max) : NULL;
}

size_t fields_texts(struct report_fields *fields, char ***list, size_t max)
{
	size_t n = 0, room = 0;

	if (!fields_enter(fields, '['))
		return 0;
	while (json_element(&fields->scan)) {
		char *text = fields_text(fields, TEXT_BYTES);

		if (!text || !fields_more(fields, n, max))
			continue;
		*list = fields_grow(fields, *list, n, &room, sizeof(**list));
		(*list)[n++] = text;
	}
	return n;
}

uint64_t fields_count(struct report_fields *fields, uint64_t max)
{
	double number;

	if (!json_number(&fields->scan, &number) || number < 0 || number > (double)max)
		return 0;
	return (uint64_t)number;
}

bool fields_verdict(struct report_fields *fields, enum verdict *verdict)
{
	struct json_text text;
	int i;

	if (!json_text(&fields->scan, &text))
		return false;
	*verdict = VERDICT_UNKNOWN;
	for (i = VERDICT_GOOD; i <= VERDICT_SKIP; i++)
		if (json_is(&text, verdict_text((enum verdict)i)))
			*verdict = (enum verdict)i;
	return true;
}

static uint64_t read_ns(struct report_fields *fields)
{
	double seconds;

	if (!json_number(&fields->scan, &seconds) || seconds < 0 || seconds > 1e9)
		return 0;
	return (uint64_t)(seconds * 1e9);
}

void fields_cost(struct report_fields *fields, struct cost *cost)
{
	struct json_scan *scan = &fields->scan;
	struct json_text key;

	if (!fields_enter(fields, '{'))
		return;
	while (json_member(scan, &key))
		if (json_is(&key, "cpu_seconds")) {
			cost->cpu_ns = read_ns(fields);
		} else if (json_is(&key, "wall_seconds")) {
			cost->wall_ns = read_ns(fields);
		} else if (json_is(&key, "trace_seconds")) {
			cost->trace_ns = read_ns(fields);
		} else if (json_is(&key, "rss_bytes")) {
			cost->rss_bytes = fields_count(fields, UINT64_C(1) << 52);
		} else if (json_is(&key, "bpf_seconds")) {
			cost->bpf_known = json_kind(scan) == '0';
			cost->bpf_ns = read_ns(fields);
		} else {
			json_skip(scan);
		}
}

void fields_put_off(struct report_fields *fields, struct json_text *value)
{
	value->at = fields->scan.at;
	json_skip(&fields->scan);
	value->len = (size_t)(fields->scan.at - value->at);
}

bool fields_take_up(struct report_fields *fields, const struct json_text *value)
{
	if (fields->scan.err || !value->at)
		return false;
	fields->scan.at = value->at;
	fields->scan.first = false;
	return true;
}

static void read_into(struct report_fields *fields, char *to, size_t size)
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
			read_into(fields, culprit->kind, sizeof(culprit->kind));
		else if (json_is(&key, "name"))
			read_into(fields, culprit->name, sizeof(culprit->name));
		else if (json_is(&key, "id"))
			read_into(fields, culprit->id, sizeof(culprit->id));
		else if (json_is(&key, "share"))
			json_number(scan, &culprit->share);
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
	struct json_text summary, reason, metrics, culprits, howevers, next, experiments, method,
		missing, cost, past;
};

static struct json_text *place_of(struct put_off *off, const struct json_text *key)
{
	const struct {
		const char *key;
		struct json_text *place;
	} places[] = {
		{"summary", &off->summary},
		{"reason", &off->reason},
		{"metrics", &off->metrics},
		{"culprits", &off->culprits},
		{"howevers", &off->howevers},
		{"next", &off->next},
		{"experiments", &off->experiments},
		{"method", &off->method},
		{"missing", &off->missing},
		{"cost", &off->cost},
		{"since", &off->past},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (json_is(key, places[i].key))
			return places[i].place;
	return NULL;
}

static void take_text(struct report_fields *fields, const struct json_text *value, char **text)
{
	if (fields_take_up(fields, value))
		*text = fields_text(fields, TEXT_BYTES);
}

static void read_accusation(
	struct report_fields *fields, const struct put_off *off, struct check_result *result)
{
	take_text(fields, &off->summary, &result->summary);
	take_text(fields, &off->reason, &result->reason);
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
	take_text(fields, &off->method, &result->method);
	take_text(fields, &off->missing, &result->missing);
	if (fields_take_up(fields, &off->howevers))
		result->n_howevers = fields_texts(fields, &result->howevers, TEXTS_MAX);
	if (fields_take_up(fields, &off->next))
		result->n_next = fields_texts(fields, &result->next, TEXTS_MAX);
	if (fields_take_up(fields, &off->experiments))
		fields_experiments(fields, result);
	if (fields_take_up(fields, &off->cost))
		fields_cost(fields, &result->cost);
}

int fields_word(struct report_fields *fields, const char *const *words, int n, int other)
{
	struct json_text text;
	int i;

	if (!json_text(&fields->scan, &text))
		return other;
	for (i = 0; i < n; i++)
		if (json_is(&text, words[i]))
			return i;
	return other;
}

static void read_plain(struct report_fields *fields, const struct json_text *key,
	struct check *check, struct check_result *result)
{
	static const char *const tiers[] = {"counters", "trace", "experiment"};
	static const char *const confidences[] = {"low", "medium", "high"};

	if (json_is(key, "check"))
		check->name = fields_text(fields, NAME_BYTES);
	else if (json_is(key, "area"))
		check->area = fields_text(fields, NAME_BYTES);
	else if (json_is(key, "tier"))
		result->tier = (enum tier)fields_word(fields, tiers, 3, TIER_COUNTERS);
	else if (json_is(key, "confidence"))
		result->confidence =
			(enum confidence)fields_word(fields, confidences, 3, CONFIDENCE_LOW);
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
		place = place_of(&off, &key);
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
	return check->name && *check->name;
}
