/* SPDX-License-Identifier: GPL-2.0-only */
/* What does one [metric NAME] section declare? Whether it makes sense is asked in metric_rules.c.
 */
#include "base/banned.h"

#include <ctype.h>
#include <strings.h>

#include "check/metric_rules.h"
#include "base/num.h"
#include "base/str.h"
#include "base/unit.h"
#include "check/compile_metric.h"
#include "check/compile_util.h"
#include "check/keys.h"
#include "check/next_steps.h"
#include "check/seen.h"
#include "check/settings.h"
#include "expr/eval.h"

#define SUSTAINED_MAX 60

static void metric_take_value(const struct key_job *job)
{
	struct metric *metric = job->thing;

	metric->value_text = job->setting->value;
	metric->value = compile_expr(job->compile, job->setting, job->setting->value);
}

static void metric_take_enough(const struct key_job *job)
{
	struct metric *metric = job->thing;

	metric->enough_text = job->setting->value;
	metric->enough = compile_condition(job->compile, job->setting);
}

static void metric_take_rival(const struct key_job *job)
{
	struct metric *metric = job->thing;

	metric->rival_text = job->setting->value;
	metric->rival = compile_expr(job->compile, job->setting, job->setting->value);
}

static void metric_take_class(const struct key_job *job)
{
	struct metric *metric = job->thing;
	static const char *const words[] = {"harm", "error", "limit", "cause"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(job->setting->value, words[i])) {
			metric->class = (enum metric_class)i;
			return;
		}
	}
	complain_unknown(
		job->compile, job->setting, "class", job->setting->value, words, ARRAY_SIZE(words));
}

static void metric_take_sustained(const struct key_job *job)
{
	struct metric *metric = job->thing;
	const char *text = job->setting->value;
	size_t len = strcspn(text, "/");
	char *k_text = mem_strndup(text, len);
	uint64_t k, n;

	if (!text[len] || num_u64(text + len + 1, 1, SUSTAINED_MAX, &n) ||
		num_u64(k_text, 1, n, &k)) {
		complain_at(job->compile, job->setting,
			"'%s' is not K/N, K of N windows, with 1 <= K <= N <= %d", text,
			SUSTAINED_MAX);
	} else {
		metric->sustained_k = (unsigned int)k;
		metric->sustained_n = (unsigned int)n;
	}
	free(k_text);
}

static void metric_take_phrase(const struct key_job *job)
{
	static const char *const words[] = {"{value}", "{limit}", "{instance}", "{who}"};

	compile_placeholders(job->compile, job->setting, words, ARRAY_SIZE(words));
	key_take_text(job);
}

/* One limit: "> 5%", for all instances or for a class of them. */
static void metric_take_limit(const struct key_job *job)
{
	struct limits *limits = job->field;
	const char *text = job->setting->value;
	struct limit limit = {.text = text};
	size_t n = op_parse(text, &limit.op);

	if (!n)
		complain_at(job->compile, job->setting,
			"'%s' does not begin with < <= > >= == or !=", text);
	else
		limit.expr = compile_expr(job->compile, job->setting, text + n);
	if (limit.expr && expr_is_truth(limit.expr))
		complain_at(job->compile, job->setting,
			"'%s' compares twice: a limit is one operator and one value", text);
	limit.set = limit.expr != NULL;
	if (!job->rest) {
		limits->plain = limit;
		return;
	}
	if (!is_name(job->rest, "_-"))
		complain_at(job->compile, job->setting, "'%s' is no name of a class of instances",
			job->rest);
	limit.class = job->rest;
	ARENA_GROW(&job->compile->check->arena, limits->by_class, limits->n, limits->room);
	limits->by_class[limits->n++] = limit;
}

/* The name is in the arena. */
static struct however *however_named(struct arena *arena, struct metric *metric, const char *name)
{
	struct however *however;
	size_t i;

	for (i = 0; i < metric->n_howevers; i++)
		if (!strcmp(metric->howevers[i].name, name))
			return &metric->howevers[i];
	ARENA_GROW(arena, metric->howevers, metric->n_howevers, metric->room_howevers);
	however = &metric->howevers[metric->n_howevers++];
	*however = (struct however){.name = name};
	return however;
}

static void however_take_cap(const struct key_job *job, struct however *however)
{
	static const char *const words[] = {"good", "maybe", "unknown"};

	if (!strcmp(job->setting->value, "good"))
		however->cap = CAP_GOOD;
	else if (!strcmp(job->setting->value, "maybe"))
		however->cap = CAP_MAYBE;
	else if (!strcmp(job->setting->value, "unknown"))
		however->cap = CAP_UNKNOWN;
	else
		complain_unknown(job->compile, job->setting, "cap", job->setting->value, words,
			ARRAY_SIZE(words));
}

/* however.NAME.PART */
static void metric_take_however(const struct key_job *job)
{
	static const char *const words[] = {"when", "cap", "say"};
	size_t len = strcspn(job->rest, ".");
	const char *part = job->rest[len] ? job->rest + len + 1 : "";
	struct arena *arena = &job->compile->check->arena;
	const char *name = arena_copy(arena, job->rest, len);
	struct however *however;

	if (!is_name(name, "_-") || !*part) {
		complain_at(job->compile, job->setting,
			"'%s' is not however.NAME.when, .cap or .say", job->setting->key);
		return;
	}
	however = however_named(arena, job->thing, name);
	if (!strcmp(part, "when")) {
		however->when = compile_condition(job->compile, job->setting);
		however->when_text = job->setting->value;
	} else if (!strcmp(part, "cap")) {
		however_take_cap(job, however);
	} else if (!strcmp(part, "say")) {
		however->say = job->setting->value;
	} else {
		complain_unknown(
			job->compile, job->setting, "part", part, words, ARRAY_SIZE(words));
	}
}

static void metric_take_trend(const struct key_job *job)
{
	static const char *const words[] = {
		[TREND_ALL] = "yes", [TREND_HISTORY] = "history", [TREND_NONE] = "no"};
	struct metric *metric = job->thing;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(job->setting->value, words[i])) {
			metric->trend.looks = (enum trend_from)i;
			return;
		}
	}
	complain_unknown(
		job->compile, job->setting, "trend", job->setting->value, words, ARRAY_SIZE(words));
}

static void trend_take_source(const struct key_job *job)
{
	struct metric *metric = job->thing;

	metric->trend.source = job->setting->value;
}

static void trend_take_grower(const struct key_job *job)
{
	struct metric *metric = job->thing;

	metric->trend.grower_text = job->setting->value;
	metric->trend.grower = compile_expr(job->compile, job->setting, job->setting->value);
}

#define AT(field) offsetof(struct metric, field)
/* trend.PART */
static const struct key trend_rows[] = {
	{.name = "within",
		.take = key_take_number,
		.at = AT(trend.within_seconds),
		.above = 0,
		.most = 1e9},
	{.name = "from", .take = key_take_number, .at = AT(trend.from), .above = 0, .most = 1},
	{.name = "times", .take = key_take_number, .at = AT(trend.times), .above = 0, .most = 1e6},
	{.name = "source", .take = trend_take_source},
	{.name = "grower", .take = trend_take_grower},
};
#undef AT

static void metric_take_trend_part(const struct key_job *job)
{
	const char *words[ARRAY_SIZE(trend_rows)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(trend_rows); i++) {
		struct key_job part = *job;

		words[i] = trend_rows[i].name;
		if (strcmp(job->rest, words[i]) != 0)
			continue;
		part.key = &trend_rows[i];
		part.field = (char *)job->thing + part.key->at;
		part.key->take(&part);
		return;
	}
	complain_unknown(
		job->compile, job->setting, "part of a trend", job->rest, words, ARRAY_SIZE(words));
}

static const struct key limit_rows[] = {
	{.name = "trend", .take = metric_take_trend},
	{.name = "trend", .shape = KEY_NAMED, .take = metric_take_trend_part},
};

void compile_trend(struct compile *compile, const struct section *section, struct metric *metric)
{
	static const struct keys keys = {.list = limit_rows, .n = ARRAY_SIZE(limit_rows)};
	const struct setting *grower = section_find(section, "trend.grower");

	if (grower)
		complain_at(compile, grower, "'trend.grower' is for a metric of its own");
	else
		compile_keys(compile, section, &keys, metric);
}

#define AT(field) offsetof(struct metric, field)
/* In the order in which most check files have them: see key_find(). */
static const struct key metric_rows[] = {
	{.name = "value", .take = metric_take_value},
	{.name = "enough", .take = metric_take_enough},
	{.name = "class", .take = metric_take_class},
	{.name = "seen", .take = key_take_seen, .at = AT(seen)},
	{.name = "witness", .take = key_take_text, .at = AT(witness)},
	{.name = "ignore", .take = key_take_text, .at = AT(ignore)},
	{.name = "sustained", .take = metric_take_sustained},
	{.name = "acquit", .shape = KEY_CLASS, .take = metric_take_limit, .at = AT(acquit)},
	{.name = "maybe", .shape = KEY_CLASS, .take = metric_take_limit, .at = AT(maybe)},
	{.name = "bad", .shape = KEY_CLASS, .take = metric_take_limit, .at = AT(bad)},
	{.name = "say", .take = metric_take_phrase, .at = AT(say)},
	{.name = "clear", .take = metric_take_phrase, .at = AT(clear)},
	{.name = "absent", .take = key_take_text, .at = AT(absent)},
	{.name = "why", .take = key_take_text, .at = AT(why)},
	{.name = "remedy", .take = next_step_take_key, .at = AT(remedy)},
	{.name = "next", .take = next_step_take_key, .at = AT(next)},
	{.name = "source", .take = key_take_text, .at = AT(source)},
	{.name = "however", .take = key_take_text, .at = AT(however)},
	{.name = "however", .shape = KEY_NAMED, .take = metric_take_however},
	{.name = "ends", .take = key_take_text, .at = AT(ends)},
	{.name = "signed", .take = key_take_yes, .at = AT(is_signed)},
	{.name = "at_most", .take = key_take_number, .at = AT(at_most), .above = 0, .most = 1e18},
	{.name = "look", .shape = KEY_CLASS, .take = metric_take_limit, .at = AT(look)},
	{.name = "rival", .take = metric_take_rival},
	{.name = "trend", .take = metric_take_trend},
	{.name = "trend", .shape = KEY_NAMED, .take = metric_take_trend_part},
	{.name = "clears", .take = key_take_yes, .at = AT(clears)},
	{.name = "only", .take = key_take_text, .at = AT(only)},
	{.name = "keywords", .take = key_take_text, .at = AT(keywords)},
};
#undef AT

static void metric_unknown_key(struct compile *compile, const struct setting *setting);

static const struct keys metric_keys = {metric_rows, ARRAY_SIZE(metric_rows), metric_unknown_key};

/* Of a limit by class only what is in front of the dot may be misspelt. */
static void metric_unknown_key(struct compile *compile, const struct setting *setting)
{
	char *head = mem_strndup(setting->key, strcspn(setting->key, "."));
	const char *near = key_nearest(&metric_keys, head);
	const char *tail = setting->key + strlen(head);

	if (is_empty(compile, setting))
		;
	else if (near && strcmp(near, head) != 0)
		complain_at(compile, setting, "unknown key '%s'; did you mean '%s%s'?",
			setting->key, near, tail);
	else
		complain_at(compile, setting, "unknown key '%s'", setting->key);
	free(head);
}

static void metric_take_name(
	struct compile *compile, const struct section *section, struct metric *metric)
{
	/* Longest first: _bytes_per_second ends in _per_second too. */
	static const enum unit units[] = {UNIT_BYTES_PER_SECOND, UNIT_PER_SECOND, UNIT_SECONDS,
		UNIT_RATIO, UNIT_BYTES, UNIT_COUNT};
	size_t len = strlen(section->name), i;

	metric->name = section->name;
	metric->file = section->list->file;
	metric->line = section->list->line;
	if (!is_name(metric->name, "_")) {
		complain_at(compile, section->list,
			"a metric is [metric NAME], the name of a-z, 0-9 and '_'");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		const char *unit = unit_text(units[i]);
		size_t tail = strlen(unit);

		if (str_ends(metric->name, unit) && len > tail &&
			metric->name[len - tail - 1] == '_') {
			metric->unit = units[i];
			return;
		}
	}
	complain_at(compile, section->list,
		"'%s' does not end in its unit: _ratio _seconds _bytes _count _per_second or "
		"_bytes_per_second",
		metric->name);
}

static bool starts_with_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncasecmp(text, word, len) && !isalpha((unsigned char)text[len]);
}

void compile_metric(struct compile *compile, const struct section *section)
{
	struct check *check = compile->check;
	struct metric *metric = arena_alloc(&check->arena, sizeof(*metric));
	size_t before = compile->complaints->n;

	ARENA_GROW(&check->arena, check->metrics, check->n_metrics, check->room_metrics);
	check->metrics[check->n_metrics++] = metric;
	metric_take_name(compile, section, metric);
	if (compile->trend)
		metric->trend = *compile->trend;
	compile_keys(compile, section, &metric_keys, metric);
	metric->trace = metric->value ? expr_trace(metric->value) : NULL;
	metric->judgement = metric->source &&
		(starts_with_word(metric->source, "judgement") ||
			starts_with_word(metric->source, "judgment"));
	if (compile_trusts(compile))
		return;
	check_metric_parts(compile, section, metric);
	/* What could not be parsed has been said; what it would break need not be. */
	if (compile->complaints->n == before)
		check_metric_rules(compile, section, metric);
}
