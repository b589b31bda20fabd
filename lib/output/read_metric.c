/* SPDX-License-Identifier: GPL-2.0-only */
/* By which numbers was a check of a report judged, and what was tried on the machine? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "base/unit.h"
#include "output/read_fields.h"
#include "output/read_metric.h"
#include "check/check.h"

#define METRICS_MAX 512
#define EXPERIMENTS_MAX 64
#define NOTES_MAX 64
#define NAME_BYTES 128
#define TEXT_BYTES 4096

/* A number that is kept as it stands. */
struct json_place {
	const char *key;
	double *number;
};

static bool metric_read_number(struct report_fields *fields, const struct json_text *key,
	const struct json_place *places, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!json_is(key, places[i].key))
			continue;
		json_number(&fields->scan, places[i].number);
		return true;
	}
	return false;
}

/* "above" says on which side of maybe and bad a value is accused. */
static void metric_read_side(struct report_fields *fields, struct metric *metric)
{
	static const char *const sides[] = {"below", "above", "equal", "unequal"};
	static const enum op ops[] = {OP_LT, OP_GT, OP_EQ, OP_NE};
	int i = fields_word(fields, sides, ARRAY_SIZE(sides), -1);

	if (i < 0)
		return;
	metric->maybe.plain = (struct limit){.set = true, .op = ops[i]};
	metric->bad.plain = metric->maybe.plain;
	/* Of acquit a report has the number only: it is on the other side, and may be the number.
	 */
	if (i < 2)
		metric->acquit.plain = (struct limit){.set = true, .op = i ? OP_LE : OP_GE};
}

static bool read_meaning(
	struct report_fields *fields, const struct json_text *key, struct metric *metric)
{
	static const char *const units[] = {
		"ratio", "seconds", "bytes", "count", "per_second", "bytes_per_second"};
	static const char *const classes[] = {"harm", "error", "limit", "cause"};

	if (json_is(key, "name"))
		metric->name = fields_name(fields);
	else if (json_is(key, "unit"))
		metric->unit = (enum unit)fields_word(fields, units, 6, UNIT_COUNT);
	else if (json_is(key, "class"))
		metric->class = (enum metric_class)fields_word(fields, classes, 4, CLASS_CAUSE);
	else if (json_is(key, "accuses"))
		metric_read_side(fields, metric);
	else if (json_is(key, "source"))
		metric->source = fields_text(fields, TEXT_BYTES);
	else if (json_is(key, "why"))
		metric->why = fields_text(fields, TEXT_BYTES);
	else if (json_is(key, "however"))
		metric->however = fields_text(fields, TEXT_BYTES);
	else if (json_is(key, "ends"))
		metric->ends = fields_text(fields, TEXT_BYTES);
	else
		return false;
	return true;
}

static bool read_value(
	struct report_fields *fields, const struct json_text *key, struct metric_result *result)
{
	struct json_scan *scan = &fields->scan;

	if (json_is(key, "value"))
		json_number(scan, &result->value);
	else if (json_is(key, "worst"))
		json_number(scan, &result->worst);
	else if (json_is(key, "acquit"))
		json_number(scan, &result->acquit);
	else if (json_is(key, "maybe"))
		json_number(scan, &result->maybe);
	else if (json_is(key, "bad"))
		json_number(scan, &result->bad);
	else if (json_is(key, "instance"))
		result->instance = fields_text(fields, NAME_BYTES);
	else if (json_is(key, "label"))
		result->label = fields_text(fields, NAME_BYTES);
	else if (json_is(key, "missing"))
		result->missing = fields_text(fields, TEXT_BYTES);
	else
		return false;
	return true;
}

/* What was said of a number that accuses. */
static bool metric_read_words(
	struct report_fields *fields, const struct json_text *key, struct metric_words *words)
{
	if (json_is(key, "say"))
		words->say = fields_text(fields, TEXT_BYTES);
	else if (json_is(key, "howevers"))
		words->n_howevers = fields_texts(fields, &words->howevers, NOTES_MAX);
	else if (json_is(key, "remedy"))
		words->remedy = fields_text(fields, TEXT_BYTES);
	else if (json_is(key, "next"))
		words->n_next = fields_texts(fields, &words->next, NOTES_MAX);
	else
		return false;
	return true;
}

static void read_normal(struct report_fields *fields, struct normal *normal)
{
	const struct json_place places[] = {
		{"low", &normal->low}, {"middle", &normal->middle}, {"high", &normal->high}};
	struct json_text key;

	*normal = (struct normal){.low = NAN, .middle = NAN, .high = NAN};
	if (!fields_enter(fields, '{'))
		return;
	while (json_member(&fields->scan, &key))
		if (json_is(&key, "runs"))
			normal->runs = fields_count(fields, UINT32_MAX);
		else if (!metric_read_number(fields, &key, places, ARRAY_SIZE(places)))
			json_skip(&fields->scan);
	if (isnan(normal->low) || isnan(normal->middle) || isnan(normal->high))
		normal->runs = 0;
}

static void read_forecast(struct report_fields *fields, struct forecast *forecast)
{
	const struct json_place places[] = {
		{"seconds", &forecast->seconds},
		{"low", &forecast->low},
		{"high", &forecast->high},
		{"target", &forecast->target},
		{"over_seconds", &forecast->over_seconds},
	};
	const char *const sources[] = {
		forecast_source_text(FORECAST_HISTORY), forecast_source_text(FORECAST_WINDOWS)};
	struct json_text key;

	/* An end that is not told may never be. */
	*forecast = (struct forecast){
		.seconds = NAN, .low = NAN, .high = INFINITY, .target = NAN, .over_seconds = NAN};
	if (!fields_enter(fields, '{'))
		return;
	while (json_member(&fields->scan, &key))
		if (json_is(&key, "source"))
			forecast->source = (enum forecast_source)fields_word(
				fields, sources, ARRAY_SIZE(sources), FORECAST_HISTORY);
		else if (json_is(&key, "due"))
			json_bool(&fields->scan, &forecast->due);
		else if (!metric_read_number(fields, &key, places, ARRAY_SIZE(places)))
			json_skip(&fields->scan);
	forecast->known = !isnan(forecast->seconds) && !isnan(forecast->low) &&
		!isnan(forecast->target) && !isnan(forecast->over_seconds);
}

static void read_judgement(
	struct report_fields *fields, const struct json_text *key, struct metric_result *result)
{
	struct json_scan *scan = &fields->scan;

	if (json_is(key, "verdict"))
		fields_verdict(fields, &result->verdict);
	else if (json_is(key, "overruled"))
		fields_verdict(fields, &result->overruled);
	else if (json_is(key, "over"))
		json_bool(scan, &result->over);
	else if (json_is(key, "idle"))
		json_bool(scan, &result->idle);
	else if (json_is(key, "acquits"))
		json_bool(scan, &result->acquits);
	else if (json_is(key, "capped"))
		json_bool(scan, &result->capped);
	else if (json_is(key, "normal"))
		read_normal(fields, &result->normal);
	else if (json_is(key, "forecast"))
		read_forecast(fields, &result->forecast);
	else if (json_is(key, "later"))
		read_forecast(fields, &result->later);
	else if (json_is(key, "instances"))
		result->instances = fields_count(fields, UINT32_MAX);
	else if (json_is(key, "accused"))
		result->accused = fields_count(fields, UINT32_MAX);
	else if (json_is(key, "windows_over"))
		result->windows_over = (unsigned int)fields_count(fields, 1 << 20);
	else if (json_is(key, "windows"))
		result->windows = (unsigned int)fields_count(fields, 1 << 20);
	else
		json_skip(scan);
}

/* A writer may count on a name, an instance and a label. */
static bool read_metric(struct report_fields *fields, struct metric_result *result)
{
	struct metric *metric = arena_alloc(&fields->arena, sizeof(*metric));
	struct json_text key;

	*result = (struct metric_result){.metric = metric,
		.value = NAN,
		.worst = NAN,
		.acquit = NAN,
		.maybe = NAN,
		.bad = NAN,
		.look = NAN,
		.verdict = VERDICT_UNKNOWN};
	metric->unit = UNIT_COUNT;
	metric->class = CLASS_CAUSE;
	if (!fields_enter(fields, '{'))
		return false;
	while (json_member(&fields->scan, &key))
		if (!read_meaning(fields, &key, metric) && !read_value(fields, &key, result) &&
			!metric_read_words(fields, &key, &result->words))
			read_judgement(fields, &key, result);
	if (!result->instance)
		result->instance = arena_copy(&fields->arena, "", 0);
	if (!result->label)
		result->label = result->instance;
	return metric->name && *metric->name;
}

size_t fields_metrics(struct report_fields *fields, struct metric_result **list)
{
	size_t room = 0, n = 0;

	if (!fields_enter(fields, '['))
		return 0;
	while (json_element(&fields->scan) && fields_more(fields, n, METRICS_MAX)) {
		*list = fields_grow(fields, *list, n, &room, sizeof(**list));
		if (read_metric(fields, &(*list)[n]))
			n++;
	}
	return n;
}

static bool read_experiment_text(
	struct report_fields *fields, const struct json_text *key, struct experiment_result *result)
{
	const struct {
		const char *key;
		char **text;
	} texts[] = {
		{"name", &result->name},
		{"summary", &result->summary},
		{"why", &result->why},
		{"knob", &result->knob},
		{"instance", &result->instance},
		{"from", &result->from},
		{"to", &result->to},
		{"observed", &result->observed},
		{"left", &result->left},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!json_is(key, texts[i].key))
			continue;
		*texts[i].text = fields_text(fields, TEXT_BYTES);
		return true;
	}
	return false;
}

static bool read_experiment_number(
	struct report_fields *fields, const struct json_text *key, struct experiment_result *result)
{
	const struct json_place places[] = {
		{"before", &result->before},
		{"meanwhile", &result->meanwhile},
		{"effect", &result->effect},
		{"low", &result->low},
		{"high", &result->high},
		{"margin", &result->margin},
		{"seconds", &result->seconds},
		{"most_seconds", &result->most_seconds},
	};

	return metric_read_number(fields, key, places, ARRAY_SIZE(places));
}

static void read_experiment_rest(
	struct report_fields *fields, const struct json_text *key, struct experiment_result *result)
{
	static const char *const answers[] = {
		"changed", "same", "inconclusive", "refused", "declined", "told"};
	static const char *const verdicts[] = {"good", "maybe", "bad", "unknown"};
	struct json_scan *scan = &fields->scan;

	if (json_is(key, "answer"))
		result->answer = (enum answer)fields_word(
			fields, answers, ARRAY_SIZE(answers), ANSWER_INCONCLUSIVE);
	else if (json_is(key, "told"))
		result->told = (enum verdict)fields_word(
			fields, verdicts, ARRAY_SIZE(verdicts), VERDICT_UNKNOWN);
	else if (json_is(key, "better"))
		json_bool(scan, &result->better);
	else if (json_is(key, "turned"))
		json_bool(scan, &result->turned);
	else if (json_is(key, "pairs"))
		result->pairs = (unsigned int)fields_count(fields, UINT32_MAX);
	else if (json_is(key, "control_pairs"))
		result->control_pairs = (unsigned int)fields_count(fields, UINT32_MAX);
	else if (json_is(key, "risk"))
		result->risk = (int)fields_count(fields, 5);
	else if (json_is(key, "proves"))
		result->proves = fields_text(fields, TEXT_BYTES);
	else if (json_is(key, "however"))
		result->however = fields_text(fields, TEXT_BYTES);
	else if (json_is(key, "notes"))
		result->n_notes = fields_texts(fields, &result->notes, NOTES_MAX);
	else
		json_skip(scan);
}

static bool read_experiment(struct report_fields *fields, struct experiment_result *result)
{
	struct json_text key;

	*result = (struct experiment_result){.answer = ANSWER_INCONCLUSIVE,
		.before = NAN,
		.meanwhile = NAN,
		.effect = NAN,
		.low = NAN,
		.high = NAN,
		.margin = NAN,
		.seconds = NAN,
		.most_seconds = NAN};
	if (!fields_enter(fields, '{'))
		return false;
	while (json_member(&fields->scan, &key))
		if (!read_experiment_text(fields, &key, result) &&
			!read_experiment_number(fields, &key, result))
			read_experiment_rest(fields, &key, result);
	if (!result->instance)
		result->instance = arena_copy(&fields->arena, "", 0);
	return result->name != NULL;
}

void fields_experiments(struct report_fields *fields, struct check_result *result)
{
	size_t room = 0;

	if (!fields_enter(fields, '['))
		return;
	while (json_element(&fields->scan) &&
		fields_more(fields, result->n_experiments, EXPERIMENTS_MAX)) {
		result->experiments = fields_grow(fields, result->experiments,
			result->n_experiments, &room, sizeof(*result->experiments));
		if (read_experiment(fields, &result->experiments[result->n_experiments]))
			result->n_experiments++;
	}
}
