/* SPDX-License-Identifier: GPL-2.0-only */
/* Which accusation comes first, and what is said of it? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "base/plural.h"
#include "base/unit.h"
#include "base/wrap.h"
#include "check/check.h"
#include "output/screen_experiments.h"
#include "output/screen_findings.h"
#include "output/verdict_color.h"

#define LABEL_AT 7	 /* where "but" and "do" stand */
#define TEXT_AT 16	 /* where what they say begins */
#define COMMANDS 2	 /* of a check, on the screen */
#define SHARE_NAMED 0.05 /* whoever has less of it is not who it is */
#define ALSO 3		 /* further numbers of a check */

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

/* Whom the number points at, else whom its check does; NULL where nobody has enough of it. */
static const struct culprit *finding_who(const struct finding *finding)
{
	const struct culprit *who = NULL;

	if (finding->metric && *finding->metric->who.kind)
		who = &finding->metric->who;
	else if (finding->result->n_culprits)
		who = &finding->result->culprits[0];
	if (who && (who->share >= 0 && who->share < SHARE_NAMED))
		return NULL;
	return who;
}

static const char *finding_say(const struct finding *finding)
{
	const char *say = finding->metric ? finding->metric->words.say : NULL;

	if (!say || !*say)
		say = finding->result->summary;
	return say ? say : finding->result->reason ? finding->result->reason : "";
}

/* The sentence, and who it is where the sentence has not named him. */
static void finding_add_headline(struct str *out, const struct finding *finding, bool with_who)
{
	const struct culprit *who = with_who ? finding_who(finding) : NULL;
	const char *say = finding_say(finding);
	bool named = who && strstr(say, who->name) != NULL;

	escape_terminal_cut(out, say, SCREEN_LINE_COLUMNS);
	if (!who || !*who->name)
		return;
	if (!named) {
		str_add(out, ", by ");
		screen_add_culprit(out, who);
	} else if (*who->unit || who->up_seconds > 0) {
		str_add(out, " (");
		if (*who->unit)
			escape_terminal_cut(out, who->unit, SCREEN_NAME_COLUMNS);
		if (who->up_seconds > 0) {
			str_add(out, *who->unit ? ", up " : "up ");
			value_for_people(out, who->up_seconds, UNIT_SECONDS);
		}
		str_addc(out, ')');
	}
}

/* The first sentence of a text of the check file: the rest is for 'tuesday explain'. */
static size_t first_sentence(const char *text)
{
	const char *at = text;

	while ((at = strstr(at, ". "))) {
		/* Not behind "e.g." or a number. */
		if (at - text > 20)
			return (size_t)(at - text) + 1;
		at++;
	}
	return strlen(text);
}

static void finding_add_line(
	const struct screen *screen, const char *label, const char *text, bool whole)
{
	struct str line = STR_INIT;
	char *first;

	if (!text || !*text)
		return;
	first = mem_strndup(text, whole ? strlen(text) : first_sentence(text));
	escape_terminal_cut(&line, first, SCREEN_LINE_COLUMNS);
	wrap_blanks(screen->out, LABEL_AT);
	str_add(screen->out, label);
	wrap_blanks(screen->out, TEXT_AT - LABEL_AT - strlen(label));
	screen_flow(screen, TEXT_AT, TEXT_AT, str_text(&line));
	str_free(&line);
	free(first);
}

/* Commands are never wrapped, to be copied. */
static void finding_add_commands(const struct screen *screen, char *const *next, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < COMMANDS; i++) {
		wrap_blanks(screen->out, LABEL_AT);
		str_add(screen->out, i ? "         " : "next     ");
		escape_terminal_cut(screen->out, next[i], SCREEN_LINE_COLUMNS);
		str_addc(screen->out, '\n');
	}
}

static void finding_begin(const struct screen *screen, const struct finding *finding)
{
	static const char *const words[] = {[VERDICT_MAYBE] = "MAYBE", [VERDICT_BAD] = "BAD"};
	static const char *const colors[] = {
		[VERDICT_MAYBE] = "\033[33m", [VERDICT_BAD] = "\033[1;31m"};
	enum verdict verdict = finding->result->verdict;
	struct str name = STR_INIT, line = STR_INIT;
	size_t at;

	escape_terminal_cut(&name, finding->result->check->name, SCREEN_NAME_COLUMNS);
	if (screen->options->color)
		str_add(screen->out, colors[verdict]);
	str_add(screen->out, words[verdict]);
	if (screen->options->color)
		str_add(screen->out, "\033[0m");
	wrap_blanks(screen->out, LABEL_AT - strlen(words[verdict]));
	str_add(screen->out, str_text(&name));
	at = LABEL_AT + escape_columns(str_text(&name));
	wrap_blanks(screen->out, at + 2 <= TEXT_AT ? TEXT_AT - at : 2);
	finding_add_headline(&line, finding, true);
	screen_flow(screen, at + 2 <= TEXT_AT ? TEXT_AT : at + 2, TEXT_AT, str_text(&line));
	str_free(&name);
	str_free(&line);
}

/* Doubts: what held the verdict back goes first. Of a plugin those of the check. */
static void finding_add_doubts(
	const struct screen *screen, const struct finding *finding, size_t most)
{
	const struct check_result *result = finding->result;
	bool own = finding->metric && finding->metric->words.say;
	char *const *list = own ? finding->metric->words.howevers : result->howevers;
	size_t n = own ? finding->metric->words.n_howevers : result->n_howevers, i;

	for (i = 0; i < n && i < most; i++)
		finding_add_line(screen, i ? "" : "but", list[i], false);
}

/* How much is said of a check. */
enum depth { DEPTH_LINE, DEPTH_SHORT, DEPTH_FULL };

static void finding_add_body(
	const struct screen *screen, const struct finding *finding, size_t n, enum depth depth)
{
	const struct check_result *result = finding->result;
	const struct metric_words *words = finding->metric ? &finding->metric->words : NULL;
	size_t i;

	if (depth == DEPTH_FULL && finding->metric)
		finding_add_line(screen, "what", finding->metric->metric->why, false);
	finding_add_doubts(screen, finding, depth == DEPTH_FULL ? 2 : 1);
	finding_add_line(screen, "do", words ? words->remedy : NULL, depth == DEPTH_FULL);
	if (words && words->n_next)
		finding_add_commands(screen, words->next, words->n_next);
	else
		finding_add_commands(screen, result->next, result->n_next);
	if (finding->metric)
		finding_add_line(screen, "ends", finding->metric->metric->ends, true);
	for (i = 1; i < n && i <= ALSO; i++) {
		struct str also = STR_INIT;

		finding_add_headline(&also, &finding[i], false);
		finding_add_line(screen, i == 1 ? "also" : "", str_text(&also), true);
		str_free(&also);
	}
	if (n > ALSO + 1) {
		struct str more = STR_INIT;

		str_addf(&more, "and %zu more number%s: tuesday run %s -v", n - ALSO - 1,
			n - ALSO - 1 == 1 ? "" : "s", result->check->name);
		finding_add_line(screen, "", str_text(&more), true);
		str_free(&more);
	}
	finding_add_line(screen, "untraced", result->missing, depth == DEPTH_FULL);
}

static size_t finding_lines(const struct str *text)
{
	size_t n = 0, i;

	for (i = 0; i < text->len; i++)
		n += text->text[i] == '\n';
	return n;
}

static void finding_write(const struct screen *screen, struct str *out,
	const struct finding *finding, size_t n, enum depth depth)
{
	struct screen part = *screen;

	part.out = out;
	finding_begin(&part, finding);
	if (depth > DEPTH_LINE)
		finding_add_body(&part, finding, n, depth);
	screen_add_experiments(&part, finding->result);
}

/* As deep as it fits into rows. */
static bool finding_fit(const struct screen *screen, struct str *out, const struct finding *finding,
	size_t n, enum depth depth, size_t rows)
{
	for (;; depth--) {
		str_clear(out);
		finding_write(screen, out, finding, n, depth);
		if (!rows || finding_lines(out) <= rows)
			return true;
		if (depth == DEPTH_LINE)
			return false;
	}
}

static size_t findings_of_same(const struct finding *list, size_t n, size_t i)
{
	size_t k = i;

	while (k < n && list[k].result == list[i].result)
		k++;
	return k - i;
}

static size_t findings_checks(const struct finding *list, size_t n)
{
	size_t checks = 0, i;

	for (i = 0; i < n; i += findings_of_same(list, n, i))
		checks++;
	return checks;
}

/* One line each is kept for the checks that follow, as far as there are rows. */
static size_t rows_for(size_t rows, size_t used, size_t following)
{
	size_t kept = following < 4 ? following * 2 : 8;

	if (!rows)
		return 0;
	return rows > used + kept + 2 ? rows - used - kept : 2;
}

void screen_add_findings(const struct screen *screen, size_t rows)
{
	struct finding *list;
	size_t n = screen_findings(screen->report, &list), left = findings_checks(list, n);
	size_t used = 0, i, same;

	for (i = 0; i < n; i += same) {
		enum depth depth = !rows || !i || left == 1 ? DEPTH_FULL : DEPTH_SHORT;
		struct str block = STR_INIT;

		same = findings_of_same(list, n, i);
		if (rows && used && used + 2 > rows) {
			str_free(&block);
			break;
		}
		finding_fit(screen, &block, &list[i], same, depth, rows_for(rows, used, left - 1));
		used += finding_lines(&block);
		str_addn(screen->out, str_text(&block), block.len);
		str_free(&block);
		left--;
	}
	if (left)
		str_addf(screen->out, "%zu more check%s accuse%s: tuesday run -v\n", left,
			left == 1 ? "" : "s", left == 1 ? "s" : "");
	free(list);
}

void screen_worst_so_far(struct str *out, const struct report *report)
{
	struct finding *list;
	size_t n = screen_findings(report, &list);

	if (n) {
		str_addf(out, "After the first window: %s ", verdict_text(list->result->verdict));
		escape_terminal_cut(out, list->result->check->name, SCREEN_NAME_COLUMNS);
		str_add(out, ": ");
		finding_add_headline(out, list, true);
	}
	free(list);
}
