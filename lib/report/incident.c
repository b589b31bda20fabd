/* SPDX-License-Identifier: GPL-2.0-only */
/* Who has to be called for what the checks found, how sure is that, and until when? */
#include "base/banned.h"

#include <math.h>

#include "report/report.h"
#include "base/str.h"
#include "report/incident.h"
#include "report/incident_rules.h"
#include "base/suggest.h"
#include "check/check.h"

#define EXPERIMENT_CONFIDENCE 0.9
#define HIGH_FROM 0.6
#define MEDIUM_FROM 0.4
#define RULES_COLUMNS 96

static double incident_confidence_of(const struct check_result *result)
{
	static const double numbers[] = {
		[CONFIDENCE_LOW] = 0.3, [CONFIDENCE_MEDIUM] = 0.5, [CONFIDENCE_HIGH] = 0.7};

	return result->tier == TIER_EXPERIMENT ? EXPERIMENT_CONFIDENCE
					       : numbers[result->confidence];
}

/* A chain is as strong as its weakest link, and what nobody looked at may be another one. */
static double weakest(const struct report *report)
{
	double confidence = EXPERIMENT_CONFIDENCE;
	bool bad = false, any = false;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		bad |= report->checks[i].verdict == VERDICT_BAD;
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != (bad ? VERDICT_BAD : VERDICT_MAYBE))
			continue;
		confidence = fmin(confidence, incident_confidence_of(result));
		any = true;
	}
	return (any ? confidence : 0.3) * (1 - incident_unknown_share(report));
}

/* The first limit that is reached, if all goes on as it has; 0 where no trend says so. */
static time_t due_of(const struct report *report)
{
	double first = INFINITY;
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_metrics; k++) {
			const struct metric_result *metric = &report->checks[i].metrics[k];

			if (incident_accuses(metric->verdict) && metric->forecast.known &&
				metric->metric->class == CLASS_LIMIT)
				first = fmin(first, metric->forecast.seconds);
		}
	return isfinite(first) ? report->time_start + (time_t)first : 0;
}

static void set_confidence(struct report *report, const struct incident_rule *rule)
{
	struct incident_type *type = &report->type;

	type->confidence_ratio = fmin(weakest(report), rule->most_confidence);
	type->confidence = type->confidence_ratio >= HIGH_FROM ? CONFIDENCE_HIGH
		: type->confidence_ratio >= MEDIUM_FROM	       ? CONFIDENCE_MEDIUM
							       : CONFIDENCE_LOW;
}

void incident_derive_type(struct report *report)
{
	struct incident_type *type = &report->type;
	struct str why = STR_INIT;
	size_t i;

	incident_type_free(type);
	for (i = 0; i < INCIDENT_RULES; i++) {
		const struct incident_rule *rule = &incident_rules[i];

		str_clear(&why);
		if (rule->otherwise && type->name)
			continue;
		if (!rule->holds(report, &why)) {
			if (rule->suggests && rule->suggests(report))
				type->candidates[type->n_candidates++] = rule->name;
			continue;
		}
		type->candidates[type->n_candidates++] = rule->name;
		if (!strcmp(rule->name, "time bomb"))
			type->due = due_of(report);
		if (type->name)
			continue;
		type->name = type->derived = rule->name;
		type->rule = (unsigned int)i + 1;
		type->why = str_take(&why);
		set_confidence(report, rule);
	}
	str_free(&why);
}

void incident_type_free(struct incident_type *type)
{
	size_t i;

	for (i = 0; i < type->n_changes; i++) {
		free(type->changes[i].by);
		free(type->changes[i].reason);
		free(type->changes[i].ref);
	}
	free(type->changes);
	free(type->why);
	free(type->invite);
	free(type->notes);
	*type = (struct incident_type){0};
}

static void add_wrapped(struct str *out, const char *text)
{
	size_t column = RULES_COLUMNS;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (column + 1 + len > RULES_COLUMNS) {
			str_add(out, "\n    ");
			column = 4;
		} else {
			str_addc(out, ' ');
			column++;
		}
		str_addn(out, text, len);
		column += len;
		text += len + strspn(text + len, " ");
	}
}

void incident_print_rules(struct str *out)
{
	size_t i;

	for (i = 0; i < INCIDENT_RULES; i++) {
		char *when = mem_printf("where %s;", incident_rules[i].when);
		char *so = mem_printf("so: %s.", incident_rules[i].so);

		str_addf(out, "%zu %s", i + 1, incident_rules[i].name);
		add_wrapped(out, when);
		add_wrapped(out, so);
		str_addc(out, '\n');
		free(when);
		free(so);
	}
}

/* "time-bomb", "Time_Bomb" and "timebomb" are the same word. */
static bool same_word(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " -_");
		b += strspn(b, " -_");
		if (((unsigned char)*a | 32) != ((unsigned char)*b | 32))
			return false;
		if (!*a || !*b)
			return !*a && !*b;
	}
}

const char *incident_type_find(const char *text)
{
	size_t i;

	for (i = 0; i < INCIDENT_RULES; i++)
		if (same_word(text, incident_rules[i].name))
			return incident_rules[i].name;
	return NULL;
}

const char *incident_type_action(const char *name)
{
	size_t i;

	for (i = 0; name && i < INCIDENT_RULES; i++)
		if (!strcmp(name, incident_rules[i].name))
			return incident_rules[i].action;
	return "look closer";
}

const char *incident_type_suggest(const char *text)
{
	const char *names[INCIDENT_RULES];
	size_t i;

	for (i = 0; i < INCIDENT_RULES; i++)
		names[i] = incident_rules[i].name;
	return suggest(text, names, INCIDENT_RULES);
}
