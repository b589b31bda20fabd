/* SPDX-License-Identifier: GPL-2.0-only */
/* Which accusation comes first, and what is said of it? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "base/str.h"
#include "base/unit.h"
#include "check/check.h"
#include "output/screen_findings.h"
#include "output/verdict_color.h"

#define SHARE_NAMED 0.05 /* whoever has less of it is not who it is */

static bool finding_accuses(enum verdict verdict)
{
	return verdict == VERDICT_BAD || verdict == VERDICT_MAYBE;
}

/* Twice its limit, or half of it where what is low accuses. */
static double finding_beyond(const struct metric_result *metric)
{
	double limit =
		metric->verdict == VERDICT_BAD && !isnan(metric->bad) ? metric->bad : metric->maybe;
	double value = metric->value;

	if (isnan(limit) || isnan(value))
		return 1;
	if (value < limit)
		return value > 0 ? limit / value : INFINITY;
	return limit > 0 ? value / limit : INFINITY;
}

static const enum metric_class finding_classes[] = {
	CLASS_ERROR, CLASS_HARM, CLASS_LIMIT, CLASS_CAUSE};

static size_t finding_class(const struct finding *finding)
{
	size_t i;

	for (i = 0; finding->metric && i < ARRAY_SIZE(finding_classes); i++)
		if (finding_classes[i] == finding->metric->metric->class)
			return i;
	return 1;
}

static enum verdict finding_verdict(const struct finding *finding)
{
	return finding->metric ? finding->metric->verdict : finding->result->verdict;
}

/* By what each says itself; a check stands where its worst number does. */
static int finding_compare(const struct finding *a, const struct finding *b)
{
	enum verdict va = finding_verdict(a), vb = finding_verdict(b);
	size_t ca = finding_class(a), cb = finding_class(b);

	if (a->result->verdict != b->result->verdict)
		return verdict_is_worse(a->result->verdict, b->result->verdict) ? -1 : 1;
	if (va != vb)
		return verdict_is_worse(va, vb) ? -1 : 1;
	if (ca != cb)
		return ca < cb ? -1 : 1;
	if (a->result->confidence != b->result->confidence)
		return a->result->confidence > b->result->confidence ? -1 : 1;
	if (a->beyond > b->beyond || a->beyond < b->beyond)
		return a->beyond > b->beyond ? -1 : 1;
	return 0;
}

static int finding_sort(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	int order = finding_compare(x, y);

	if (!order)
		order = strcmp(x->result->check->name, y->result->check->name);
	if (!order && x->metric && y->metric)
		order = x->metric < y->metric ? -1 : 1;
	return order;
}

static void finding_add(struct finding **list, size_t *n, size_t *room,
	const struct check_result *result, const struct metric_result *metric)
{
	ARRAY_GROW(*list, *n, *room);
	(*list)[(*n)++] = (struct finding){
		.result = result, .metric = metric, .beyond = metric ? finding_beyond(metric) : 1};
}

static void findings_of_check(
	struct finding **list, size_t *n, size_t *room, const struct check_result *result)
{
	size_t before = *n, i;

	for (i = 0; i < result->n_metrics + result->n_past; i++) {
		const struct metric_result *metric = i < result->n_metrics
			? &result->metrics[i]
			: &result->past[i - result->n_metrics];

		if (finding_accuses(metric->verdict) && !metric->idle)
			finding_add(list, n, room, result, metric);
	}
	if (*n == before)
		finding_add(list, n, room, result, NULL);
}

/* Behind the worst of each check stand its others. */
static void findings_gather(struct finding *list, size_t n)
{
	struct finding *sorted = mem_zalloc((n + 1) * sizeof(*sorted));
	size_t used = 0, i, k;

	for (i = 0; i < n; i++)
		for (k = i; list[i].result && k < n; k++)
			if (k > i ? list[k].result == list[i].result : true) {
				sorted[used++] = list[k];
				if (k > i)
					list[k].result = NULL;
			}
	memcpy(list, sorted, n * sizeof(*sorted));
	free(sorted);
}

size_t screen_findings(const struct report *report, struct finding **list)
{
	size_t n = 0, room = 0, i;

	*list = NULL;
	for (i = 0; i < report->n_checks; i++)
		if (finding_accuses(report->checks[i].verdict))
			findings_of_check(list, &n, &room, &report->checks[i]);
	if (n) {
		qsort(*list, n, sizeof(**list), finding_sort);
		findings_gather(*list, n);
	}
	return n;
}

void screen_add_culprit(struct str *out, const struct culprit *culprit)
{
	bool process = !strcmp(culprit->kind, "process");

	if (!process) {
		escape_terminal_cut(out, culprit->kind, SCREEN_NAME_COLUMNS);
		str_addc(out, ' ');
	}
	escape_terminal_cut(out, culprit->name, SCREEN_NAME_COLUMNS);
	if (*culprit->id) {
		str_add(out, process ? " (pid " : " (");
		escape_terminal_cut(out, culprit->id, SCREEN_NAME_COLUMNS);
		if (*culprit->unit) {
			str_add(out, ", ");
			escape_terminal_cut(out, culprit->unit, SCREEN_NAME_COLUMNS);
		}
		if (culprit->up_seconds > 0) {
			str_add(out, ", up ");
			value_for_people(out, culprit->up_seconds, UNIT_SECONDS);
		}
		str_addc(out, ')');
	}
	if (isfinite(culprit->share) && culprit->share >= 0) {
		str_addc(out, ' ');
		value_for_people(out, culprit->share, UNIT_RATIO);
	}
}

bool screen_names_culprit(const struct culprit *culprit)
{
	return !(culprit->share >= 0 && culprit->share < SHARE_NAMED);
}

/* Whom the number points at, else whom its check does; NULL where nobody has enough of it. */
static const struct culprit *finding_who(const struct finding *finding)
{
	const struct culprit *who = NULL;

	if (finding->metric && *finding->metric->who.kind)
		who = &finding->metric->who;
	else if (finding->result->n_culprits)
		who = &finding->result->culprits[0];
	return who && screen_names_culprit(who) ? who : NULL;
}

static const char *finding_say(const struct finding *finding)
{
	const char *say = finding->metric ? finding->metric->words.say : NULL;

	if (!say || !*say)
		say = finding->result->summary;
	return say ? say : finding->result->reason ? finding->result->reason : "";
}

/* Its unit and age, as in a pair of brackets; nothing where neither is known. */
static void finding_add_unit(struct str *out, const struct culprit *who, const char *before)
{
	if (*who->unit) {
		str_add(out, before);
		escape_terminal_cut(out, who->unit, SCREEN_NAME_COLUMNS);
		before = ", ";
	}
	if (who->up_seconds > 0) {
		str_addf(out, "%sup ", before);
		value_for_people(out, who->up_seconds, UNIT_SECONDS);
	}
}

/* Where the sentence has its number, "(pid 7)", the closing bracket; else NULL. */
static const char *finding_pid_end(const char *say, const struct culprit *who)
{
	char *pid = mem_printf("%s (pid %s)", who->name, who->id);
	const char *at = strstr(say, pid);

	at = at ? at + strlen(pid) - 1 : NULL;
	free(pid);
	return at;
}

void screen_add_headline(struct str *out, const struct finding *finding, bool with_who)
{
	const struct culprit *who = with_who ? finding_who(finding) : NULL;
	const char *say = finding_say(finding);
	const char *end = who && *who->name ? finding_pid_end(say, who) : NULL;
	char *begin;

	if (end) {
		begin = mem_strndup(say, (size_t)(end - say));
		escape_terminal_cut(out, begin, SCREEN_LINE_COLUMNS);
		finding_add_unit(out, who, ", ");
		escape_terminal_cut(out, end, SCREEN_LINE_COLUMNS);
		free(begin);
		return;
	}
	escape_terminal_cut(out, say, SCREEN_LINE_COLUMNS);
	if (!who || !*who->name)
		return;
	if (!strstr(say, who->name)) {
		str_add(out, ", by ");
		screen_add_culprit(out, who);
	} else if (*who->unit || who->up_seconds > 0) {
		finding_add_unit(out, who, " (");
		str_addc(out, ')');
	}
}

void screen_worst_so_far(struct str *out, const struct report *report)
{
	struct finding *list;
	size_t n = screen_findings(report, &list);

	if (n) {
		str_addf(out, "After the first window: %s ", verdict_text(list->result->verdict));
		escape_terminal_cut(out, list->result->check->name, SCREEN_NAME_COLUMNS);
		str_add(out, ": ");
		screen_add_headline(out, list, true);
	}
	free(list);
}
