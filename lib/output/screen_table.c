/* SPDX-License-Identifier: GPL-2.0-only */
/* Every check with every number, in columns: for who wants to see by what it was judged. */
#include "base/banned.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/unit.h"
#include "base/wrap.h"
#include "check/check.h"
#include "output/screen_experiments.h"
#include "output/screen_findings.h"
#include "output/screen_table.h"
#include "output/verdict_color.h"
#include "report/metric_text.h"

/* Where the columns begin: what, its value, its verdict, its class, and by which limits. */
#define NUMBER_AT 4
#define VALUE_AT 40
#define VERDICT_AT 52
#define CLASS_AT 61
#define LIMITS_AT 68

static const enum verdict table_order[] = {
	VERDICT_BAD, VERDICT_MAYBE, VERDICT_UNKNOWN, VERDICT_GOOD, VERDICT_SKIP};

static size_t table_reach(struct str *out, size_t at, size_t column)
{
	wrap_blanks(out, at + 1 < column ? column - at : 1);
	return at + 1 < column ? column : at + 1;
}

/* Adds a cell from a column on, and returns where it ends. */
static size_t table_add_cell(struct str *out, size_t at, size_t column, const char *text)
{
	at = table_reach(out, at, column);
	str_add(out, text);
	return at + escape_columns(text);
}

static void table_add_words(struct str *line, const struct metric_result *result)
{
	struct str limits = STR_INIT;

	if (result->idle)
		str_add(line, "idle, too little to judge");
	metric_limits(&limits, ", ", result);
	str_add(line, limits.len && !line->len ? str_text(&limits) + 2 : str_text(&limits));
	str_free(&limits);
	if (result->capped)
		str_addf(line, "%sheld back", line->len ? ", " : "");
	if (result->windows)
		str_addf(line, "%sover in %u of %u windows", line->len ? ", " : "",
			result->windows_over, result->windows);
	if (result->accused)
		str_addf(line, "%s%zu of %zu accused", line->len ? ", " : "", result->accused,
			result->instances);
	if (result->missing) {
		str_add(line, line->len ? "; " : "");
		escape_terminal_cut(line, result->missing, SCREEN_LINE_COLUMNS);
	}
	metric_known(line, line->len ? "; " : "", result);
	if (result->metric->source) {
		str_addf(line, "%ssource: ", line->len ? "; " : "");
		escape_terminal_cut(line, result->metric->source, SCREEN_LINE_COLUMNS);
	}
}

static void table_add_metric(const struct screen *screen, const struct metric_result *result)
{
	struct str name = STR_INIT, value = STR_INIT, words = STR_INIT;
	size_t at = NUMBER_AT;

	escape_terminal_cut(&name, result->metric->name, SCREEN_NAME_COLUMNS);
	if (*result->instance) {
		str_addc(&name, '[');
		escape_terminal_cut(&name, *result->label ? result->label : result->instance,
			SCREEN_NAME_COLUMNS);
		str_addc(&name, ']');
	}
	value_for_people(&value, result->value, result->metric->unit);
	wrap_blanks(screen->out, NUMBER_AT);
	str_add(screen->out, str_text(&name));
	at += escape_columns(str_text(&name));
	/* A long name has its line for itself. */
	if (at >= VALUE_AT) {
		str_addc(screen->out, '\n');
		at = 0;
	}
	at = table_add_cell(screen->out, at, VALUE_AT, str_text(&value));
	at = table_add_cell(screen->out, at, VERDICT_AT, verdict_text(result->verdict));
	at = table_add_cell(screen->out, at, CLASS_AT, metric_class_text(result->metric->class));
	at = table_reach(screen->out, at, LIMITS_AT);
	table_add_words(&words, result);
	if (screen->columns < LIMITS_AT + 24) {
		str_addc(screen->out, '\n');
		wrap_blanks(screen->out, NUMBER_AT + 4);
		screen_flow(screen, NUMBER_AT + 4, NUMBER_AT + 4, str_text(&words));
	} else {
		screen_flow(screen, at, LIMITS_AT, str_text(&words));
	}
	str_free(&name);
	str_free(&value);
	str_free(&words);
}

static void table_add_line(const struct screen *screen, const char *label, const char *text)
{
	struct str line = STR_INIT;

	if (!text || !*text)
		return;
	str_add(&line, label);
	escape_terminal_cut(&line, text, SCREEN_LINE_COLUMNS);
	wrap_blanks(screen->out, NUMBER_AT);
	screen_flow(screen, NUMBER_AT, NUMBER_AT + 2, str_text(&line));
	str_free(&line);
}

static void table_add_culprits(const struct screen *screen, const struct check_result *result)
{
	struct str line = STR_INIT;
	size_t i;

	for (i = 0; i < result->n_culprits; i++) {
		if (!screen_names_culprit(&result->culprits[i]))
			continue;
		str_add(&line, line.len ? ", " : "by ");
		screen_add_culprit(&line, &result->culprits[i]);
	}
	if (line.len) {
		wrap_blanks(screen->out, NUMBER_AT);
		screen_flow(screen, NUMBER_AT, NUMBER_AT + 2, str_text(&line));
	}
	str_free(&line);
}

static void table_add_check(const struct screen *screen, const struct check_result *result)
{
	struct str line = STR_INIT;
	const char *said = result->summary && *result->summary ? result->summary : result->reason;
	size_t i, width;

	terminal_verdict(screen->out, result->verdict, screen->options->color);
	width = strlen(verdict_text(result->verdict));
	wrap_blanks(screen->out, 9 - width);
	escape_terminal_cut(&line, result->check->name, SCREEN_NAME_COLUMNS);
	str_add(&line, "  ");
	escape_terminal_cut(&line, said ? said : "", SCREEN_LINE_COLUMNS);
	screen_flow(screen, 9, 11, str_text(&line));
	table_add_culprits(screen, result);
	for (i = 0; i < result->n_howevers; i++)
		table_add_line(screen, "however: ", result->howevers[i]);
	for (i = 0; i < result->n_remedies; i++)
		table_add_line(screen, "remedy: ", result->remedies[i]);
	/* Some reasons say so themselves. */
	if (result->missing)
		table_add_line(screen,
			strncmp(result->missing, "not traced", 10) ? "not traced: " : "",
			result->missing);
	if (result->verdict == VERDICT_GOOD)
		table_add_line(screen, "not ruled out: ", result->reason);
	screen_add_experiments(screen, result);
	table_add_line(screen, "traced: ", result->method);
	for (i = 0; i < result->n_metrics; i++)
		table_add_metric(screen, &result->metrics[i]);
	str_free(&line);
}

void screen_add_table(const struct screen *screen)
{
	const struct report *report = screen->report;
	size_t rank, i;

	for (rank = 0; rank < ARRAY_SIZE(table_order); rank++)
		for (i = 0; i < report->n_checks; i++)
			if (report->checks[i].verdict == table_order[rank])
				table_add_check(screen, &report->checks[i]);
}
