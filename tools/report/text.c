/* SPDX-License-Identifier: GPL-2.0-only */
/* What does somebody read on a terminal who wants the whole report? */
#include "base/banned.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "report/metric_text.h"
#include "base/sparkline.h"
#include "report/announced_text.h"
#include "base/str.h"
#include "base/terminal.h"
#include "output/writer.h"
#include "tools/report/phrases.h"
#include "base/unit.h"
#include "output/verdict_color.h"
#include "tools/report/advice.h"
#include "tools/report/text.h"
#include "tools/report/areas.h"
#include "tools/report/history.h"
#include "tools/report/status.h"
#include "tools/report/model.h"

#define COLUMNS 100
#define TEXT_COLUMNS 600 /* of a sentence with names from outside in it */
#define WORD_COLUMNS 10
#define NAME_COLUMNS 24
#define WIDE 27 /* where the texts beside names begin */

struct sheet {
	struct str *out;
	const struct story *story;
	bool color, utf8;
	size_t columns;
};

static void head(const struct sheet *sheet, const char *title)
{
	str_addf(sheet->out, "\n%s%s%s\n", sheet->color ? "\033[1m" : "", title,
		sheet->color ? "\033[0m" : "");
}

/* Lines from "from" on go on what a file says: a bar in front, so that none looks like ours. */
static void sheet_add_bars(const struct sheet *sheet, size_t from, size_t indent)
{
	char *at = sheet->out->text + from;

	while ((at = strchr(at, '\n')) && *++at)
		at[indent - 2] = '|';
}

/* A text from outside, or with names of outside in it, from a column on; indent is 2 at least. */
static void line(const struct sheet *sheet, size_t at, size_t indent, const char *text)
{
	struct str shown = STR_INIT;
	size_t from = sheet->out->len;

	escape_terminal_cut(&shown, text, TEXT_COLUMNS);
	wrap_text(sheet->out, sheet->columns, at, indent, str_text(&shown));
	if (sheet->story->advice)
		sheet_add_bars(sheet, from, indent);
	str_free(&shown);
}

static void item(const struct sheet *sheet, size_t indent, const char *label, const char *text)
{
	struct str whole = STR_INIT;

	if (!text || !*text)
		return;
	str_addf(&whole, "%s%s", label, text);
	wrap_blanks(sheet->out, indent);
	line(sheet, indent, indent + 2, str_text(&whole));
	str_free(&whole);
}

/* "  bad      listen   ", up to a column. */
static void lead(const struct sheet *sheet, enum verdict verdict, const char *name, size_t to)
{
	struct str shown = STR_INIT;
	size_t at;

	str_add(sheet->out, "  ");
	terminal_verdict(sheet->out, verdict, sheet->color);
	wrap_blanks(sheet->out, WORD_COLUMNS - 1 - strlen(verdict_text(verdict)));
	escape_terminal_cut(&shown, name, NAME_COLUMNS);
	at = WORD_COLUMNS + 1 + escape_columns(str_text(&shown));
	str_add(sheet->out, str_text(&shown));
	wrap_blanks(sheet->out, at + 1 < to ? to - at : 1);
	str_free(&shown);
}

static void sheet_add_title(const struct sheet *sheet)
{
	const struct report *report = sheet->story->report;
	struct str text = STR_INIT;

	str_addf(&text, "Tuesday report on %s, ", first_text(report->host, "an unknown host"));
	say_time(&text, report->time_start);
	str_add(&text, ": ");
	say_machine(&text, report);
	line(sheet, 0, 2, str_text(&text));
	if (report->type.name) {
		str_clear(&text);
		str_addf(&text, "Type: %s (%s)", report->type.name,
			first_text(report->type.why, NULL));
		line(sheet, 0, 6, str_text(&text));
	}
	if (report->n_announced) {
		str_clear(&text);
		report_announced(&text, report);
		item(sheet, 0, "During what was announced: ", str_text(&text));
	}
	item(sheet, 0, "", sheet->story->note);
	item(sheet, 0, "", whose_words(sheet->story));
	str_free(&text);
}

static void sheet_add_status(const struct sheet *sheet)
{
	static const char *const colors[] = {
		[SAYS_NOT] = "\033[32m",
		[SAYS_MAYBE] = "\033[33m",
		[SAYS_IS] = "\033[1;31m",
		[SAYS_UNKNOWN] = "\033[35m",
	};
	const struct status *status = &sheet->story->status;
	size_t i;

	head(sheet, "What is known now");
	for (i = 0; i < status->n; i++) {
		const char *word = sentence_word(status->list[i].kind);

		str_addf(sheet->out, "  %s%s%s", sheet->color ? colors[status->list[i].kind] : "",
			word, sheet->color ? "\033[0m" : "");
		wrap_blanks(sheet->out, 11 - strlen(word));
		line(sheet, 13, 13, status->list[i].text);
	}
}

static void add_areas(const struct sheet *sheet)
{
	const struct areas *areas = &sheet->story->areas;
	struct str text = STR_INIT;
	size_t i;

	head(sheet, "The system");
	for (i = 0; i < areas->n; i++) {
		const struct area *area = &areas->list[i];

		if (!area->n)
			continue;
		str_clear(&text);
		say_area(&text, sheet->story->report, area);
		lead(sheet, area->verdict, area->name, WIDE);
		line(sheet, WIDE, WIDE, str_text(&text));
	}
	str_free(&text);
}

static void sheet_add_metric(const struct sheet *sheet, const struct check_result *result,
	const struct metric_result *metric)
{
	const struct trail *trail = past_trail(&sheet->story->past, result->check->name, metric);
	const char *instance = instance_of(metric);
	struct str text = STR_INIT;

	str_addf(&text, "%s%s%s%s ", metric->metric->name, *instance ? "[" : "", instance,
		*instance ? "]" : "");
	value_for_people(&text, metric->value, metric->metric->unit);
	str_addf(&text, ", %s%s", verdict_text(metric->verdict), metric->idle ? ", idle" : "");
	metric_limits(&text, ", ", metric);
	metric_known(&text, "; ", metric);
	item(sheet, 6, "", str_text(&text));
	if (trail && trail->n) {
		wrap_blanks(sheet->out, 8);
		spark_add(sheet->out, trail->columns, TRAIL_COLUMNS, sheet->utf8);
		str_addc(sheet->out, '\n');
	}
	str_free(&text);
}

static void sheet_add_numbers(const struct sheet *sheet)
{
	const struct report *report = sheet->story->report;
	const struct past *past = &sheet->story->past;
	size_t *order = worst_checks(report), i, k;
	struct str text = STR_INIT;

	str_add(&text, "Numbers against their limits");
	if (past->known) {
		str_add(&text, ", and how they were since ");
		say_time(&text, past->from);
	}
	head(sheet, str_text(&text));
	str_free(&text);
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[order[i]];
		bool named = false;

		for (k = 0; k < result->n_metrics; k++) {
			if (!is_shown(result, &result->metrics[k]))
				continue;
			if (!named) {
				lead(sheet, result->verdict, result->check->name, WIDE);
				line(sheet, WIDE, WIDE,
					first_text(result->summary, result->reason));
			}
			named = true;
			sheet_add_metric(sheet, result, &result->metrics[k]);
		}
	}
	free(order);
}

static void sheet_add_accused(const struct sheet *sheet)
{
	const struct report *report = sheet->story->report;
	size_t *order = worst_checks(report), i, k;
	struct str text = STR_INIT;

	for (i = 0; i < report->n_checks && is_accused(&report->checks[order[i]]); i++) {
		const struct check_result *result = &report->checks[order[i]];

		if (!i)
			head(sheet, "What stands out");
		lead(sheet, result->verdict, result->check->name, WIDE);
		line(sheet, WIDE, WIDE, first_text(result->summary, result->reason));
		for (k = 0; k < result->n_culprits; k++) {
			str_clear(&text);
			say_culprit(&text, &result->culprits[k]);
			item(sheet, 6, "by ", str_text(&text));
		}
		for (k = 0; k < result->n_howevers; k++)
			item(sheet, 6, "however: ", result->howevers[k]);
		for (k = 0; k < result->n_remedies; k++)
			item(sheet, 6, "remedy: ", result->remedies[k]);
		/* Some reasons say so themselves. */
		if (result->missing)
			item(sheet, 6,
				strncmp(result->missing, "not traced", 10) ? "not traced: " : "",
				result->missing);
	}
	str_free(&text);
	free(order);
}

static void sheet_add_experiments(const struct sheet *sheet)
{
	const struct report *report = sheet->story->report;
	bool any = false;
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_experiments; k++) {
			const struct experiment_result *experiment =
				&report->checks[i].experiments[k];

			if (!any)
				head(sheet, "What was tried");
			any = true;
			wrap_blanks(sheet->out, 2);
			line(sheet, 2, 4, first_text(experiment->summary, experiment->name));
			item(sheet, 4, "NOT PUT BACK: ", experiment->left);
			item(sheet, 4, "however: ", experiment->however);
		}
}

static void add_changed(const struct sheet *sheet)
{
	const struct past *past = &sheet->story->past;
	struct str text = STR_INIT;
	size_t i, n = 0;

	if (!past->known)
		return;
	str_add(&text, "What changed since ");
	say_time(&text, past->from);
	str_addf(&text, " (%zu run%s)", past->runs, past->runs == 1 ? "" : "s");
	head(sheet, str_text(&text));
	for (i = 0; i < past->n_shifts; i++) {
		if (!past->shifts[i].changes)
			continue;
		str_clear(&text);
		say_shift(&text, &past->shifts[i]);
		item(sheet, 2, "", str_text(&text));
		n++;
	}
	for (i = 0; i < past->n_moved; i++) {
		const struct diff_subject *subject = past->moved[i];

		str_clear(&text);
		say_metric(&text, subject->check, subject->metric, subject->instance);
		diff_effect(&text, subject);
		item(sheet, 2, "", str_text(&text));
		n++;
	}
	if (!n)
		item(sheet, 2, "", "No verdict changed, and no number by more than chance.");
	str_free(&text);
}

/* All have the same windows; who was traced says so himself. */
static void head_ledger(const struct sheet *sheet)
{
	const struct check_result counters = {.tier = TIER_COUNTERS};
	struct str text = STR_INIT, window = STR_INIT;

	say_window(&window, sheet->story->report, &counters);
	str_add(&text, "The ledger: what it is not, and by which evidence");
	if (window.len)
		str_addf(&text, ", over %s", str_text(&window));
	head(sheet, str_text(&text));
	str_free(&text);
	str_free(&window);
}

static void sheet_add_ledger(const struct sheet *sheet)
{
	const struct report *report = sheet->story->report;
	struct str text = STR_INIT;
	bool any = false;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (!result->exonerated || result->idle)
			continue;
		if (!any)
			head_ledger(sheet);
		any = true;
		str_clear(&text);
		str_add(&text, first_text(result->evidence, result->summary));
		if (result->cost.trace_ns || result->tier != TIER_COUNTERS) {
			str_add(&text, " (");
			say_window(&text, report, result);
			str_addc(&text, ')');
		}
		lead(sheet, result->verdict, result->check->name, WIDE);
		line(sheet, WIDE, WIDE, str_text(&text));
	}
	str_free(&text);
}

static void add_idle(const struct sheet *sheet)
{
	const struct report *report = sheet->story->report;
	struct str names = STR_INIT;
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].exonerated && report->checks[i].idle)
			str_addf(&names, "%s%s", names.len ? ", " : "",
				report->checks[i].check->name);
	if (names.len) {
		str_add(sheet->out, "  Had nothing to do: ");
		line(sheet, 21, 4, str_text(&names));
	}
	str_free(&names);
}

/* The checks at a verdict, those that are cleared apart, with the reason of each. */
static void sheet_add_reasons(const struct sheet *sheet, const char *heading, enum verdict verdict)
{
	const struct report *report = sheet->story->report;
	bool any = false;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != verdict || result->exonerated)
			continue;
		if (!any)
			head(sheet, heading);
		any = true;
		lead(sheet, result->verdict, result->check->name, WIDE);
		line(sheet, WIDE, WIDE, first_text(result->reason, result->summary));
	}
}

/* Never as a line that could be pasted. */
static void sheet_add_said(const struct sheet *sheet)
{
	const struct advice *advice = sheet->story->advice;
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; advice && i < advice->n; i++) {
		if (!i)
			head(sheet,
				"What the report says to do, about checks that no file here has");
		str_clear(&text);
		str_addf(&text, "%s says: %s", advice->list[i].check, advice->list[i].text);
		item(sheet, 2, "| ", str_text(&text));
	}
	str_free(&text);
}

static void add_end(const struct sheet *sheet)
{
	const struct report *report = sheet->story->report;
	struct str text = STR_INIT;
	const char **steps;
	size_t n, i;

	steps = next_steps(report, &n);
	for (i = 0; i < n; i++) {
		if (!i)
			head(sheet, "Next");
		str_add(sheet->out, "  ");
		escape_terminal_cut(sheet->out, steps[i], TEXT_COLUMNS);
		str_addc(sheet->out, '\n');
	}
	free(steps);
	sheet_add_said(sheet);
	str_addc(sheet->out, '\n');
	if (report->interrupted)
		item(sheet, 0, "", "The run was interrupted: verdicts are from what was seen.");
	item(sheet, 0, "An experiment was under way on this machine: ", report->under_way);
	for (i = 0; i < report->n_muted; i++)
		item(sheet, 0, "Muted: ", report->muted[i].check);
	for (i = 0; i < report->n_errors; i++)
		item(sheet, 0, "Refused: ", report->errors[i]);
	say_cost(&text, &report->cost);
	item(sheet, 0, "Cost: ", str_text(&text));
	str_free(&text);
}

/* The end is what stays on the screen: there is what matters most. */
void story_as_text(struct str *out, const struct story *story, bool color, size_t columns)
{
	const struct sheet sheet = {
		.out = out,
		.story = story,
		.color = color,
		.utf8 = spark_utf8(),
		.columns = columns && columns < COLUMNS ? columns : COLUMNS,
	};

	sheet_add_title(&sheet);
	add_areas(&sheet);
	sheet_add_ledger(&sheet);
	add_idle(&sheet);
	sheet_add_reasons(&sheet, "Good, but not ruled out: nothing accuses these", VERDICT_GOOD);
	sheet_add_reasons(&sheet, unexamined_heading(story), VERDICT_UNKNOWN);
	sheet_add_numbers(&sheet);
	sheet_add_accused(&sheet);
	sheet_add_experiments(&sheet);
	add_changed(&sheet);
	sheet_add_status(&sheet);
	add_end(&sheet);
}
