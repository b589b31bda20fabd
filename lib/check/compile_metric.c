/* SPDX-License-Identifier: GPL-2.0-only */
/* What does one [metric NAME] section declare? Whether it makes sense is asked in metric_rules.c.
 */
#include <ctype.h>
#include <strings.h>

#include "check/metric_rules.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/unit.h"
#include "check/compile_metric.h"
#include "check/compile_util.h"
#include "check/settings.h"
#include "expr/eval.h"

#define SUSTAINED_MAX 60

static const char *const metric_words[] = {"value", "enough", "class", "acquit", "maybe", "bad",
	"look", "why", "source", "however", "say", "clear", "ignore", "sustained", "final"};

/* One key of one metric on its way. */
struct job {
	struct compile *compile;
	struct metric *metric;
	const struct setting *setting;
};

static struct expr *take_expr(const struct job *job, const char *text)
{
	return compile_expr(job->compile, job->setting, text);
}

static struct condition *take_condition(const struct job *job)
{
	return compile_condition(job->compile, job->setting);
}

static void take_class(const struct job *job)
{
	static const char *const words[] = {"harm", "error", "limit", "cause"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(job->setting->value, words[i])) {
			job->metric->class = (enum metric_class)i;
			return;
		}
	}
	complain_unknown(
		job->compile, job->setting, "class", job->setting->value, words, ARRAY_SIZE(words));
}

static void take_sustained(const struct job *job)
{
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
		job->metric->sustained_k = (unsigned int)k;
		job->metric->sustained_n = (unsigned int)n;
	}
	free(k_text);
}

static void take_phrase(const struct job *job, const char **phrase)
{
	static const char *const words[] = {"{value}", "{limit}", "{instance}", "{who}"};

	compile_placeholders(job->compile, job->setting, words, ARRAY_SIZE(words));
	*phrase = job->setting->value;
}

/* One limit: "> 5%". class is what stands behind the dot of its key, or NULL. */
static void take_limit(const struct job *job, struct limits *limits, const char *class)
{
	const char *text = job->setting->value;
	struct limit limit = {.text = text};
	size_t n = op_parse(text, &limit.op);

	if (!n)
		complain_at(job->compile, job->setting,
			"'%s' does not begin with < <= > >= == or !=", text);
	else
		limit.expr = take_expr(job, text + n);
	limit.set = limit.expr != NULL;
	if (!class) {
		limits->plain = limit;
		return;
	}
	if (!is_name(class, "_-"))
		complain_at(job->compile, job->setting, "'%s' is no name of a class of instances",
			class);
	limit.class = class;
	ARRAY_GROW(limits->by_class, limits->n, limits->room);
	limits->by_class[limits->n++] = limit;
}

static struct however *however_named(struct metric *metric, const char *name)
{
	struct however *however;
	size_t i;

	for (i = 0; i < metric->n_howevers; i++)
		if (!strcmp(metric->howevers[i].name, name))
			return &metric->howevers[i];
	ARRAY_GROW(metric->howevers, metric->n_howevers, metric->room_howevers);
	however = &metric->howevers[metric->n_howevers++];
	*however = (struct however){.name = mem_strdup(name)};
	return however;
}

static void take_cap(const struct job *job, struct however *however)
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
static void take_however(const struct job *job)
{
	static const char *const words[] = {"when", "cap", "say"};
	const char *rest = job->setting->key + strlen("however.");
	size_t len = strcspn(rest, ".");
	const char *part = rest[len] ? rest + len + 1 : "";
	char *name = mem_strndup(rest, len);
	struct however *however;

	if (!is_name(name, "_-") || !*part) {
		complain_at(job->compile, job->setting,
			"'%s' is not however.NAME.when, .cap or .say", job->setting->key);
		goto out;
	}
	however = however_named(job->metric, name);
	if (!strcmp(part, "when")) {
		however->when = take_condition(job);
		however->when_text = job->setting->value;
	} else if (!strcmp(part, "cap")) {
		take_cap(job, however);
	} else if (!strcmp(part, "say")) {
		however->say = job->setting->value;
	} else {
		complain_unknown(
			job->compile, job->setting, "part", part, words, ARRAY_SIZE(words));
	}
out:
	free(name);
}

/* acquit, maybe, bad, look and their variants by class; false for any other key. */
static bool take_any_limit(const struct job *job)
{
	struct metric *metric = job->metric;
	const char *const names[] = {"acquit", "maybe", "bad", "look"};
	struct limits *const limits[] = {
		&metric->acquit, &metric->maybe, &metric->bad, &metric->look};
	const char *key = job->setting->key;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);

		if (!str_starts(key, names[i]) || (key[len] && key[len] != '.'))
			continue;
		take_limit(job, limits[i], key[len] ? key + len + 1 : NULL);
		return true;
	}
	return false;
}

static bool take_text(const struct job *job)
{
	struct metric *metric = job->metric;
	static const char *const names[] = {"why", "source", "however", "ignore"};
	const char **const texts[] = {
		&metric->why, &metric->source, &metric->however, &metric->ignore};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(job->setting->key, names[i])) {
			*texts[i] = job->setting->value;
			return true;
		}
	}
	return false;
}

static void take_unknown(const struct job *job)
{
	char *head = mem_strndup(job->setting->key, strcspn(job->setting->key, "."));
	const char *near = suggest(head, metric_words, ARRAY_SIZE(metric_words));
	const char *tail = job->setting->key + strlen(head);

	if (near && strcmp(near, head) != 0)
		complain_at(job->compile, job->setting, "unknown key '%s'; did you mean '%s%s'?",
			job->setting->key, near, tail);
	else
		complain_at(job->compile, job->setting, "unknown key '%s'", job->setting->key);
	free(head);
}

static void take_key(const struct job *job)
{
	struct metric *metric = job->metric;
	const char *key = job->setting->key;

	if (!*job->setting->value) {
		complain_at(job->compile, job->setting, "'%s' is empty", key);
	} else if (!strcmp(key, "value")) {
		metric->value_text = job->setting->value;
		metric->value = take_expr(job, job->setting->value);
	} else if (!strcmp(key, "enough")) {
		metric->enough_text = job->setting->value;
		metric->enough = take_condition(job);
	} else if (!strcmp(key, "class")) {
		take_class(job);
	} else if (!strcmp(key, "sustained")) {
		take_sustained(job);
	} else if (!strcmp(key, "say")) {
		take_phrase(job, &metric->say);
	} else if (!strcmp(key, "clear")) {
		take_phrase(job, &metric->clear);
	} else if (!strcmp(key, "final")) {
		metric->final = compile_yes(job->compile, job->setting);
	} else if (str_starts(key, "however.")) {
		take_however(job);
	} else if (!take_any_limit(job) && !take_text(job)) {
		take_unknown(job);
	}
}

static void take_name(struct compile *compile, const struct section *section, struct metric *metric)
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
	struct metric *metric = mem_zalloc(sizeof(*metric));
	size_t before = compile->complaints->n, i;
	const char *trace;

	ARRAY_GROW(check->metrics, check->n_metrics, check->room_metrics);
	check->metrics[check->n_metrics++] = metric;
	take_name(compile, section, metric);
	for (i = 1; i < section->n; i++) {
		struct job job = {compile, metric, &section->list[i]};

		take_key(&job);
	}
	trace = metric->value ? expr_trace(metric->value) : NULL;
	metric->trace = trace ? mem_strdup(trace) : NULL;
	metric->judgement = metric->source &&
		(starts_with_word(metric->source, "judgement") ||
			starts_with_word(metric->source, "judgment"));
	check_metric_parts(compile, section, metric);
	/* What could not be parsed has been said; what it would break need not be. */
	if (compile->complaints->n == before)
		check_metric_rules(compile, section, metric);
}
