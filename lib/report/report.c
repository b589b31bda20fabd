/* SPDX-License-Identifier: GPL-2.0-only */
/* What are a verdict's name, rank and exit status, and who frees what a run found out? */
#include "base/banned.h"

#include <math.h>

#include "report/report.h"
#include "base/str.h"
#include "report/incident.h"
#include "check/check.h"

/* Everything that a verdict is known by, so that a new one cannot be forgotten in one place. */
static const struct {
	const char *text;
	int rank; /* 0 is the worst */
	int exit_status;
} verdicts[] = {
	[VERDICT_GOOD] = {"good", 3, 0},
	[VERDICT_MAYBE] = {"maybe", 1, 1},
	[VERDICT_BAD] = {"bad", 0, 2},
	[VERDICT_UNKNOWN] = {"unknown", 2, 3},
	[VERDICT_SKIP] = {"skip", 4, 0},
};

const char *verdict_text(enum verdict verdict)
{
	return verdicts[verdict].text;
}

bool verdict_is_worse(enum verdict a, enum verdict b)
{
	return verdicts[a].rank < verdicts[b].rank;
}

int verdict_exit_status(enum verdict verdict)
{
	return verdicts[verdict].exit_status;
}

const char *set_aside_text(enum set_aside set_aside)
{
	static const char *const texts[] = {
		[ASIDE_NOT] = NULL, [ASIDE_EXPECTED] = "expected", [ASIDE_MUTED] = "muted"};

	return texts[set_aside];
}

enum verdict result_counts_as(const struct check_result *result)
{
	return result->set_aside == ASIDE_NOT ? result->verdict : VERDICT_GOOD;
}

enum verdict report_worst(const struct report *report)
{
	/* What a refused check file would have looked at, nobody looked at. */
	enum verdict worst = report->n_errors ? VERDICT_UNKNOWN : VERDICT_SKIP;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (verdict_is_worse(result_counts_as(&report->checks[i]), worst))
			worst = result_counts_as(&report->checks[i]);
	return worst;
}

const char *tier_text(enum tier tier)
{
	static const char *const texts[] = {
		[TIER_COUNTERS] = "counters",
		[TIER_TRACE] = "trace",
		[TIER_EXPERIMENT] = "experiment",
	};

	return texts[tier];
}

const char *answer_text(enum answer answer)
{
	static const char *const texts[] = {
		[ANSWER_CHANGED] = "changed",
		[ANSWER_SAME] = "same",
		[ANSWER_INCONCLUSIVE] = "inconclusive",
		[ANSWER_REFUSED] = "refused",
		[ANSWER_DECLINED] = "declined",
		[ANSWER_TOLD] = "told",
	};

	return texts[answer];
}

const char *forecast_source_text(enum forecast_source source)
{
	return source == FORECAST_WINDOWS ? "windows" : "history";
}

const char *confidence_text(enum confidence confidence)
{
	static const char *const texts[] = {
		[CONFIDENCE_LOW] = "low",
		[CONFIDENCE_MEDIUM] = "medium",
		[CONFIDENCE_HIGH] = "high",
	};

	return texts[confidence];
}

static void free_texts(char **list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

void experiment_result_free(struct experiment_result *result)
{
	free(result->name);
	free(result->summary);
	free(result->why);
	free(result->knob);
	free(result->instance);
	free(result->from);
	free(result->to);
	free(result->observed);
	free(result->left);
	free_texts(result->notes, result->n_notes);
	memset(result, 0, sizeof(*result));
}

void experiment_offer_free(struct experiment_offer *offer)
{
	free(offer->experiment);
	free(offer->command);
	free(offer->question);
	free(offer->warning);
	memset(offer, 0, sizeof(*offer));
}

static void report_free_near(struct metric_result *result)
{
	size_t i;

	for (i = 0; i < result->n_near; i++) {
		free(result->near[i].instance);
		free(result->near[i].label);
	}
	free(result->near);
}

struct metric_result metric_result_of_near(
	const struct metric_result *result, const struct near_instance *near)
{
	struct metric_result other = *result;

	other.instance = near->instance;
	other.label = near->label;
	other.value = near->value;
	other.worst = NAN;
	other.acquit = near->acquit;
	other.maybe = near->maybe;
	other.bad = near->bad;
	other.whole = near->whole;
	other.held = near->held;
	other.who = near->who;
	other.verdict = VERDICT_GOOD;
	other.remains = VERDICT_GOOD;
	other.words = (struct metric_words){0};
	other.near = NULL;
	other.n_near = 0;
	other.forecast = (struct forecast){0};
	other.later = (struct forecast){0};
	return other;
}

void metric_words_free(struct metric_words *words)
{
	free(words->say);
	free_texts(words->howevers, words->n_howevers);
	free(words->remedy);
	free_texts(words->next, words->n_next);
	free(words->applied);
	memset(words, 0, sizeof(*words));
}

void metric_result_free(struct metric_result *result)
{
	metric_words_free(&result->words);
	report_free_near(result);
	free(result->instance);
	free(result->label);
	free(result->missing);
	free(result->doubt.label);
}

void texts_add_once(char ***list, size_t *n, const char *text)
{
	size_t i;

	if (!text || !*text)
		return;
	for (i = 0; i < *n; i++)
		if (!strcmp((*list)[i], text))
			return;
	*list = mem_realloc_array(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = mem_strdup(text);
}

void check_result_free(struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		metric_result_free(&result->metrics[i]);
	free(result->metrics);
	for (i = 0; i < result->n_past; i++)
		metric_result_free(&result->past[i]);
	free(result->past);
	free(result->summary);
	free(result->evidence);
	free(result->reason);
	free(result->method);
	free(result->missing);
	free(result->culprits);
	free_texts(result->howevers, result->n_howevers);
	free_texts(result->next, result->n_next);
	free_texts(result->remedies, result->n_remedies);
	for (i = 0; i < result->n_experiments; i++)
		experiment_result_free(&result->experiments[i]);
	free(result->experiments);
	for (i = 0; i < result->n_offers; i++)
		experiment_offer_free(&result->offers[i]);
	free(result->offers);
	memset(result, 0, sizeof(*result));
}

static void free_facts(struct fact *facts, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(facts[i].name);
		free(facts[i].value);
	}
	free(facts);
}

void report_free(struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		check_result_free(&report->checks[i]);
	free(report->checks);
	free_texts(report->not_asked, report->n_not_asked);
	free_texts(report->errors, report->n_errors);
	free_facts(report->facts, report->n_facts);
	free_facts(report->labels, report->n_labels);
	free(report->host);
	free(report->kernel);
	free(report->boot_id);
	free(report->version);
	free(report->under_way);
	free(report->continued.context);
	for (i = 0; i < report->n_muted; i++) {
		free(report->muted[i].check);
		free(report->muted[i].reason);
		free(report->muted[i].by);
	}
	free(report->muted);
	for (i = 0; i < report->n_announced; i++) {
		free(report->announced[i].what);
		free(report->announced[i].by);
	}
	free(report->announced);
	incident_type_free(&report->type);
	memset(report, 0, sizeof(*report));
}

struct check_result *report_check(struct report *report, const char *name)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (str_same(report->checks[i].check->name, name))
			return &report->checks[i];
	return NULL;
}

void report_muted(struct str *out, const struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_muted; i++)
		str_addf(out, "%s%s", i ? ", " : "", report->muted[i].check);
}
