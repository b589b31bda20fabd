/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said of each accusation, and what of it where there are only 24 rows? */
#include "base/banned.h"

#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "check/check.h"
#include "output/screen_body.h"
#include "output/screen_experiments.h"
#include "output/screen_findings.h"
#include "output/screen_fit.h"
#include "output/verdict_color.h"

#define LABEL_AT 7   /* where "but" and "do" stand */
#define TEXT_AT 16   /* where what they say begins */
#define WHOLE_ROWS 2 /* a remedy of more is cut after its first sentence */

/* The lines of one check, and what was said of it already. */
struct body {
	const struct screen *screen;
	struct fit *fit;
	const struct finding *findings; /* those of the check, the worst first */
	size_t n;
	size_t group;
	bool whole; /* there is room for everything */
};

/* The first sentence of a text of the check file: the rest is for 'tuesday explain'. */
static size_t body_first_sentence(const char *text)
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

static size_t body_rows(const struct screen *screen, const char *text)
{
	size_t room = screen->columns > TEXT_AT ? screen->columns - TEXT_AT : 1;

	return strlen(text) / room + 1;
}

static void body_add_label(struct str *out, size_t at, const char *label)
{
	wrap_blanks(out, at);
	str_add(out, label);
	wrap_blanks(out, TEXT_AT - at - strlen(label));
}

/* What stands below a further number is indented. */
static size_t body_label_at(enum fit_need need)
{
	return need == FIT_ALSO_OWN ? LABEL_AT + 2 : LABEL_AT;
}

static void body_add(
	const struct body *body, enum fit_need need, const char *label, const char *text)
{
	struct screen part = *body->screen;
	struct str line = STR_INIT;
	char *said;

	if (!text || !*text)
		return;
	said = mem_strndup(text,
		body->whole || body_rows(body->screen, text) <= WHOLE_ROWS
			? strlen(text)
			: body_first_sentence(text));
	escape_terminal_cut(&line, said, SCREEN_LINE_COLUMNS);
	part.out = fit_add(body->fit, body->group, need);
	body_add_label(part.out, body_label_at(need), label);
	screen_flow(&part, TEXT_AT, TEXT_AT, str_text(&line));
	str_free(&line);
	free(said);
}

/* Commands are never wrapped, to be copied. */
static void body_add_command(
	const struct body *body, enum fit_need need, const char *label, const char *command)
{
	struct str *out = fit_add(body->fit, body->group, need);

	body_add_label(out, body_label_at(need), label);
	escape_terminal_cut(out, command, SCREEN_LINE_COLUMNS);
	str_addc(out, '\n');
}

/* Doubts: what held the verdict back goes first. Of a plugin those of the check. */
static size_t body_doubts(const struct finding *finding, char *const **list)
{
	bool own = finding->metric && finding->metric->words.say;

	*list = own ? finding->metric->words.howevers : finding->result->howevers;
	return own ? finding->metric->words.n_howevers : finding->result->n_howevers;
}

static size_t body_commands(const struct finding *finding, char *const **list)
{
	bool own = finding->metric && finding->metric->words.n_next;

	*list = own ? finding->metric->words.next : finding->result->next;
	return own ? finding->metric->words.n_next : finding->result->n_next;
}

static const char *body_remedy(const struct finding *finding)
{
	return finding->metric ? finding->metric->words.remedy : NULL;
}

typedef size_t body_list(const struct finding *finding, char *const **list);

/* Whether a number before finding of the same check has that line. */
static bool body_has_said(
	const struct body *body, const struct finding *finding, body_list *of, const char *text)
{
	const struct finding *before;
	char *const *list;
	size_t n, i;

	for (before = body->findings; before < finding; before++)
		for (n = of(before, &list), i = 0; i < n; i++)
			if (!strcmp(list[i], text))
				return true;
	return false;
}

static void body_add_doubts(
	const struct body *body, const struct finding *finding, enum fit_need need)
{
	char *const *list;
	size_t n = body_doubts(finding, &list), i;

	for (i = 0; i < n; i++)
		if (!body_has_said(body, finding, body_doubts, list[i]))
			body_add(body, i && need != FIT_ALSO_OWN ? FIT_MORE : need, i ? "" : "but",
				list[i]);
}

static void body_add_remedy(
	const struct body *body, const struct finding *finding, enum fit_need need)
{
	const struct finding *before = body->findings;
	const char *remedy = body_remedy(finding);

	for (; remedy && before < finding; before++)
		if (body_remedy(before) && !strcmp(body_remedy(before), remedy))
			return;
	body_add(body, need, "do", remedy);
}

static void body_add_commands(
	const struct body *body, const struct finding *finding, enum fit_need need)
{
	char *const *list;
	size_t n = body_commands(finding, &list), i, said = 0;

	for (i = 0; i < n; i++)
		if (!body_has_said(body, finding, body_commands, list[i])) {
			body_add_command(body, said && need != FIT_ALSO_OWN ? FIT_MORE : need,
				said ? "" : "next", list[i]);
			said++;
		}
}

static void body_add_headline(const struct body *body)
{
	static const char *const words[] = {[VERDICT_MAYBE] = "MAYBE", [VERDICT_BAD] = "BAD"};
	static const char *const colors[] = {
		[VERDICT_MAYBE] = "\033[33m", [VERDICT_BAD] = "\033[1;31m"};
	const struct finding *finding = body->findings;
	enum verdict verdict = finding->result->verdict;
	struct screen part = *body->screen;
	struct str name = STR_INIT, line = STR_INIT;
	size_t at;

	part.out = fit_add(body->fit, body->group, body->group ? FIT_HEADLINE : FIT_WORST);
	escape_terminal_cut(&name, finding->result->check->name, SCREEN_NAME_COLUMNS);
	if (part.options->color)
		str_add(part.out, colors[verdict]);
	str_add(part.out, words[verdict]);
	if (part.options->color)
		str_add(part.out, "\033[0m");
	wrap_blanks(part.out, LABEL_AT - strlen(words[verdict]));
	str_add(part.out, str_text(&name));
	at = LABEL_AT + escape_columns(str_text(&name));
	wrap_blanks(part.out, at + 2 <= TEXT_AT ? TEXT_AT - at : 2);
	screen_add_headline(&line, finding, true);
	screen_flow(&part, at + 2 <= TEXT_AT ? TEXT_AT : at + 2, TEXT_AT, str_text(&line));
	str_free(&name);
	str_free(&line);
}

/* A further number, with what is its own. */
static void body_add_also(const struct body *body, const struct finding *finding)
{
	bool bad = finding->metric && finding->metric->verdict == VERDICT_BAD;
	enum fit_need need = bad ? FIT_ALSO_BAD : FIT_ALSO;
	struct screen part = *body->screen;
	struct str also = STR_INIT;

	screen_add_headline(&also, finding, false);
	part.out = fit_add(body->fit, body->group, need);
	body_add_label(part.out, LABEL_AT, "also");
	screen_flow(&part, TEXT_AT, TEXT_AT, str_text(&also));
	body_add_doubts(body, finding, FIT_ALSO_OWN);
	body_add_remedy(body, finding, FIT_ALSO_OWN);
	body_add_commands(body, finding, FIT_ALSO_OWN);
	str_free(&also);
}

static void body_add_experiments(const struct body *body, const struct check_result *result)
{
	struct screen part = *body->screen;

	if (!result->n_experiments)
		return;
	part.out = fit_add(body->fit, body->group, body->group ? FIT_HEADLINE : FIT_WORST);
	screen_add_experiments(&part, result);
}

static void body_add_check(const struct body *body)
{
	const struct finding *finding = body->findings;
	const struct check_result *result = finding->result;
	enum fit_need own = !body->group	 ? FIT_WORST
		: result->verdict == VERDICT_BAD ? FIT_OWN_BAD
						 : FIT_OWN;
	size_t i;

	body_add_headline(body);
	if (finding->metric)
		body_add(body, body->group ? FIT_MORE : FIT_MEANING, "what",
			finding->metric->metric->why);
	body_add_doubts(body, finding, own);
	body_add_remedy(body, finding, own);
	body_add_commands(body, finding, own);
	if (finding->metric)
		body_add(body, FIT_MORE, "ends", finding->metric->metric->ends);
	for (i = 1; i < body->n; i++)
		body_add_also(body, &body->findings[i]);
	body_add(body, FIT_MORE, "untraced", result->missing);
	body_add_experiments(body, result);
}

static size_t body_same_check(const struct finding *list, size_t n, size_t i)
{
	size_t k = i;

	while (k < n && list[k].result == list[i].result)
		k++;
	return k - i;
}

static void body_count_left(
	struct screen_left *left, const struct fit_line *line, const struct fit_line *headline)
{
	if (line == headline)
		left->checks++;
	else if (headline->taken && (line->need == FIT_ALSO_BAD || line->need == FIT_ALSO))
		left->numbers++;
	left->any = true;
}

/* A group is a check, and begins with its headline. */
static struct screen_left body_left(const struct fit *fit, const struct finding *const *worst)
{
	const struct fit_line *headline = fit->lines, *first = NULL;
	struct screen_left left = {0};
	bool one = true;
	size_t i;

	for (i = 0; i < fit->n; i++) {
		const struct fit_line *line = &fit->lines[i];

		if (line->group != headline->group)
			headline = line;
		if (line->taken)
			continue;
		body_count_left(&left, line, headline);
		one = one && (!first || first->group == line->group);
		first = first ? first : line;
	}
	if (first && one)
		left.only = worst[first->group]->result->check->name;
	return left;
}

struct screen_left screen_add_findings(const struct screen *screen, size_t rows)
{
	struct fit fit = {0};
	struct finding *list;
	size_t n = screen_findings(screen->report, &list), groups = 0, i, same;
	const struct finding **worst = mem_zalloc((n + 1) * sizeof(*worst));
	struct screen_left left;

	for (i = 0; i < n; i += same) {
		struct body body = {
			screen, &fit, &list[i], same = body_same_check(list, n, i), groups, !rows};

		worst[groups++] = &list[i];
		body_add_check(&body);
	}
	fit_choose(&fit, rows);
	fit_write(screen->out, &fit);
	left = body_left(&fit, worst);
	fit_free(&fit);
	free(worst);
	free(list);
	return left;
}
