/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known at the end of the day? In the words of the method: whether it is a real issue,
 * configuration, load or a recent issue, and which components it is. Each sentence says no more
 * than the checks do: what was not looked at is said to be not known.
 */
#include "base/banned.h"

#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "output/writer.h"
#include "tools/report/model.h"
#include "tools/report/phrases.h"
#include "base/unit.h"
#include "tools/report/status.h"
#include "tools/report/areas.h"
#include "tools/report/history.h"

#define NAMES_MAX 12

static void status_say(struct status *status, enum sentence_kind kind, struct str *text)
{
	ARRAY_GROW(status->list, status->n, status->room);
	status->list[status->n++] = (struct sentence){kind, str_take(text)};
}

const char *sentence_word(enum sentence_kind kind)
{
	static const char *const words[] = {
		[SAYS_NOT] = "it is not",
		[SAYS_MAYBE] = "it may be",
		[SAYS_IS] = "it is",
		[SAYS_UNKNOWN] = "not known",
	};

	return words[kind];
}

static bool is_harmed(const struct check_result *result, enum metric_class class)
{
	size_t i;

	for (i = 0; i < result->n_metrics + result->n_past; i++) {
		const struct metric_result *metric = i < result->n_metrics
			? &result->metrics[i]
			: &result->past[i - result->n_metrics];

		if (metric->metric->class == class &&
			(metric->verdict == VERDICT_BAD || metric->verdict == VERDICT_MAYBE))
			return true;
	}
	return false;
}

/* The worst check that accuses by a number of this class. */
static const struct check_result *worst_by(
	const struct report *report, enum verdict verdict, enum metric_class class)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == verdict && is_harmed(&report->checks[i], class))
			return &report->checks[i];
	return NULL;
}

static const struct check_result *worst_at(const struct report *report, enum verdict verdict)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == verdict)
			return &report->checks[i];
	return NULL;
}

static size_t status_count(const struct report *report, enum verdict verdict)
{
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].verdict == verdict;
	return n;
}

static void status_add_witness(struct str *text, const struct check_result *result)
{
	str_addf(text, "%s", result->check->name);
	if (result->summary && *result->summary)
		str_addf(text, " (%s)", result->summary);
}

static void say_real(struct status *status, const struct report *report)
{
	static const enum metric_class classes[] = {CLASS_HARM, CLASS_ERROR, CLASS_LIMIT};
	static const char *const words[] = {"It is a real issue, of this magnitude: ",
		"It is a real issue, something has failed: ",
		"Nobody is harmed yet, and a limit is near: "};
	const struct check_result *witness = NULL;
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(classes) && !witness; i++)
		witness = worst_by(report, VERDICT_BAD, classes[i]);
	if (witness || (witness = worst_at(report, VERDICT_BAD))) {
		str_add(&text, words[i ? i - 1 : 0]);
		status_add_witness(&text, witness);
		status_say(status, SAYS_IS, &text);
		return;
	}
	witness = worst_by(report, VERDICT_MAYBE, CLASS_HARM);
	if (witness || (witness = worst_at(report, VERDICT_MAYBE))) {
		str_add(&text, "Whether it is a real issue is not sure yet: ");
		status_add_witness(&text, witness);
		status_say(status, SAYS_MAYBE, &text);
		return;
	}
	i = status_count(report, VERDICT_GOOD);
	if (i)
		str_addf(&text, "No issue was seen: %zu check%s looked, and nothing is accused", i,
			i == 1 ? "" : "s");
	else
		str_add(&text, "Whether there is an issue is not known: nothing could be examined");
	status_say(status, i ? SAYS_NOT : SAYS_UNKNOWN, &text);
}

/* What checks of some kind say together. */
struct tally {
	size_t at[VERDICTS];
	struct str accused, good;
	size_t n_accused, n_good;
};

static void status_add_name(struct str *names, size_t *n, const char *name)
{
	if ((*n)++ < NAMES_MAX)
		str_addf(names, "%s%s", names->len ? ", " : "", name);
}

static void tally_check(struct tally *tally, const struct check_result *result)
{
	tally->at[result->verdict]++;
	if (is_accused(result))
		status_add_name(&tally->accused, &tally->n_accused, result->check->name);
	else if (result->verdict == VERDICT_GOOD)
		status_add_name(&tally->good, &tally->n_good, result->check->name);
}

static void tally_free(struct tally *tally)
{
	str_free(&tally->accused);
	str_free(&tally->good);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void say_config(struct status *status, const struct story *story)
{
	struct tally tally = {0};
	struct str text = STR_INIT;
	enum sentence_kind kind = SAYS_NOT;
	size_t i, k;

	for (i = 0; i < story->areas.n; i++)
		for (k = 0; story->areas.list[i].part == PART_CONFIG && k < story->areas.list[i].n;
			k++)
			tally_check(&tally, &story->report->checks[story->areas.list[i].checks[k]]);
	if (tally.n_accused) {
		kind = SAYS_MAYBE;
		str_addf(&text, "It may be configuration: %s", str_text(&tally.accused));
	} else if (tally.n_good) {
		str_addf(&text, "Configuration checks passed: %s", str_text(&tally.good));
	} else {
		kind = SAYS_UNKNOWN;
		str_add(&text, "Whether it is configuration was not examined");
	}
	if (tally.at[VERDICT_UNKNOWN] && kind != SAYS_UNKNOWN)
		str_addf(&text, "; %zu more could not be examined", tally.at[VERDICT_UNKNOWN]);
	status_say(status, kind, &text);
	tally_free(&tally);
}

/* A number that accuses, of which the history knows what is usual at this hour. */
static const struct metric_result *find_usual(const struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		const struct metric_result *metric = &result->metrics[i];

		if ((metric->verdict == VERDICT_BAD || metric->verdict == VERDICT_MAYBE) &&
			metric->normal.runs && isfinite(metric->value))
			return metric;
	}
	return NULL;
}

static void status_add_usual(
	struct str *text, const char *check, const struct metric_result *metric)
{
	const struct normal *normal = &metric->normal;

	str_add(text, "; ");
	say_metric(text, check, metric->metric->name, instance_of(metric));
	str_add(text, " is ");
	value_for_people(text, metric->value, metric->metric->unit);
	if (metric->value >= normal->low && metric->value <= normal->high) {
		str_add(text, ", as it usually is here at this hour");
		return;
	}
	str_add(text, ", and usually ");
	value_for_people(text, normal->low, metric->metric->unit);
	str_add(text, " to ");
	value_for_people(text, normal->high, metric->metric->unit);
	str_add(text, " here at this hour");
}

/* What load can use up, area by area. */
struct load {
	struct tally tally;
	const struct metric_result *usual;
	const char *usual_check;
	struct str clear; /* areas in which all is good, and something had work to do */
	size_t n_clear;
};

static void weigh_area(struct load *load, const struct story *story, const struct area *area)
{
	bool worked = false;
	size_t i;

	for (i = 0; i < area->n; i++) {
		const struct check_result *result = &story->report->checks[area->checks[i]];

		tally_check(&load->tally, result);
		worked |= result->exonerated && !result->idle;
		if (is_accused(result) && !load->usual) {
			load->usual = find_usual(result);
			load->usual_check = result->check->name;
		}
	}
	if (worked && !area->at[VERDICT_BAD] && !area->at[VERDICT_MAYBE] &&
		!area->at[VERDICT_UNKNOWN])
		status_add_name(&load->clear, &load->n_clear, area->name);
}

/*
 * That a resource is accused does not tell whether it has more to do than ever, or does worse what
 * it always did: neither is claimed. That none is accused, and that there was work, tells that load
 * alone is not it.
 */
static void say_load(struct status *status, const struct story *story)
{
	struct load load = {0};
	struct str text = STR_INIT;
	enum sentence_kind kind = SAYS_NOT;
	size_t i;

	for (i = 0; i < story->areas.n; i++)
		if (story->areas.list[i].part == PART_RESOURCE)
			weigh_area(&load, story, &story->areas.list[i]);
	if (load.tally.n_accused) {
		kind = SAYS_MAYBE;
		str_addf(&text, "It may be load: more work alone may do this to %s",
			str_text(&load.tally.accused));
		if (load.usual)
			status_add_usual(&text, load.usual_check, load.usual);
	} else if (load.n_clear) {
		str_addf(&text, "It is not just load: there was work for %s, and nothing waits",
			str_text(&load.clear));
	} else if (load.tally.n_good && !load.tally.at[VERDICT_UNKNOWN]) {
		str_add(&text, "It is not load: there was too little of it to harm anybody");
	} else {
		kind = SAYS_UNKNOWN;
		str_add(&text, "Whether it is load is not known: not all was examined");
	}
	status_say(status, kind, &text);
	str_free(&load.clear);
	tally_free(&load.tally);
}

/* What was looked for and is not here; what was not looked for is not said to be away. */
static void say_recent_looked(struct str *text, const struct tally *tally)
{
	size_t skipped = tally->at[VERDICT_SKIP], unknown = tally->at[VERDICT_UNKNOWN];

	if (tally->n_good == 1)
		str_add(text, "It is not the one recent issue that was looked for");
	else
		str_addf(text, "It is none of the %zu recent issues that were looked for",
			tally->n_good);
	if (skipped)
		str_addf(text, "; %zu that %s of other versions %s not", skipped,
			skipped == 1 ? "is" : "are", skipped == 1 ? "was" : "were");
	if (unknown)
		str_addf(text, "; %zu more could not be examined", unknown);
}

static void say_recent(struct status *status, const struct story *story)
{
	const struct report *report = story->report;
	struct tally tally = {0};
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (story->recent && story->recent[i])
			tally_check(&tally, &report->checks[i]);
	if (tally.n_accused) {
		str_addf(&text, "It %s a recent issue: %s", tally.at[VERDICT_BAD] ? "is" : "may be",
			str_text(&tally.accused));
		status_say(status, tally.at[VERDICT_BAD] ? SAYS_IS : SAYS_MAYBE, &text);
	} else if (tally.n_good) {
		say_recent_looked(&text, &tally);
		status_say(status, SAYS_NOT, &text);
	} else {
		str_add(&text, "Whether it is a recent issue was not examined");
		if (tally.at[VERDICT_SKIP])
			str_addf(&text, ": %zu that %s known %s of other versions",
				tally.at[VERDICT_SKIP], tally.at[VERDICT_SKIP] == 1 ? "is" : "are",
				tally.at[VERDICT_SKIP] == 1 ? "is" : "are");
		status_say(status, SAYS_UNKNOWN, &text);
	}
	tally_free(&tally);
}

static bool is_worse_news(const struct shift *a, const struct shift *b)
{
	if (a->last != b->last)
		return verdict_is_worse(a->last, b->last);
	return a->since > b->since;
}

/* What a history that shows no change knows: young is what it shows for the shortest time of what
 * it does not show from the beginning on, or NULL. */
static enum sentence_kind add_unchanged(
	struct str *text, const struct past *past, const struct shift *young)
{
	if (!young) {
		str_add(text, "It is not new: what is accused was so before ");
		say_time(text, past->from);
		str_add(text, " already");
		return SAYS_NOT;
	}
	str_add(text, "Whether it is new is not known: ");
	if (young->since < past->to) {
		str_addf(text, "%s was so already at ", young->check);
		say_time(text, young->since);
		str_add(text, ", the first time that the history shows");
	} else {
		str_addf(text, "the history shows no run before this one that looked at %s",
			young->check);
	}
	return SAYS_UNKNOWN;
}

/* Whether what is accused now was so before, as far as the history is shown. */
static void say_new(struct status *status, const struct story *story)
{
	const struct shift *newest = NULL, *young = NULL;
	enum sentence_kind kind = SAYS_IS;
	struct str text = STR_INIT;
	size_t i, n = 0;

	for (i = 0; story->past.known && i < story->report->n_checks; i++) {
		const struct check_result *result = &story->report->checks[i];
		const struct shift *shift = past_shift(&story->past, result->check->name);

		if (!is_accused(result) || !shift)
			continue;
		n++;
		if (shift->changes && (!newest || is_worse_news(shift, newest)))
			newest = shift;
		else if (!shift->changes && !shift->before &&
			(!young || shift->since > young->since))
			young = shift;
	}
	if (!n)
		return;
	if (newest) {
		str_add(&text, "It is new: ");
		say_shift(&text, newest);
	} else {
		kind = add_unchanged(&text, &story->past, young);
	}
	status_say(status, kind, &text);
}

static void add_culprit_of(struct str *text, const struct check_result *result)
{
	if (!result->n_culprits)
		return;
	str_add(text, " (");
	say_culprit(text, &result->culprits[0]);
	if (result->n_culprits > 1)
		str_addf(text, " and %zu more", result->n_culprits - 1);
	str_addc(text, ')');
}

static void say_accused(struct status *status, const struct report *report, enum verdict verdict,
	enum sentence_kind kind, const char *label)
{
	struct str text = STR_INIT;
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != verdict || n++ >= NAMES_MAX)
			continue;
		str_addf(&text, "%s%s", text.len ? ", " : label, result->check->name);
		if (kind == SAYS_IS)
			add_culprit_of(&text, result);
	}
	if (n > NAMES_MAX)
		str_addf(&text, " and %zu more", n - NAMES_MAX);
	if (n)
		status_say(status, kind, &text);
	str_free(&text);
}

static void say_exonerated(struct status *status, const struct report *report)
{
	struct str text = STR_INIT;
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].exonerated;
	if (!n)
		return;
	str_addf(&text, "%zu part%s ruled out or idle: see the ledger", n, plural(n));
	status_say(status, SAYS_NOT, &text);
}

void status_make(struct status *status, const struct story *story)
{
	const struct report *report = story->report;

	say_real(status, report);
	say_config(status, story);
	say_load(status, story);
	say_recent(status, story);
	say_new(status, story);
	say_exonerated(status, report);
	say_accused(status, report, VERDICT_BAD, SAYS_IS, "Most likely cause: ");
	say_accused(status, report, VERDICT_MAYBE, SAYS_MAYBE, "Possible cause: ");
	say_accused(status, report, VERDICT_UNKNOWN, SAYS_UNKNOWN, "Not examined: ");
}

void status_free(struct status *status)
{
	size_t i;

	for (i = 0; i < status->n; i++)
		free(status->list[i].text);
	free(status->list);
	*status = (struct status){0};
}
