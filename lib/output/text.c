/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a person want to read on a screen while the machine is on fire? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "base/own_name.h"
#include "base/wrap.h"
#include "check/experiment.h"
#include "report/metric_text.h"
#include "report/announced_text.h"
#include "report/report.h"
#include "base/str.h"
#include "base/terminal.h"
#include "output/writer.h"
#include "base/unit.h"
#include "base/datetime.h"
#include "output/screen.h"
#include "output/screen_experiments.h"
#include "output/screen_body.h"
#include "output/screen_rollup.h"
#include "output/screen_table.h"
#include "output/screen_type.h"
#include "output/verdict_color.h"

#define COLUMNS \
	100 /* where the terminal does not say, and at most: longer lines are hard to read */
#define NARROWEST 45
#define ANNOUNCED_COLUMNS 600
#define NAME_COLUMNS SCREEN_NAME_COLUMNS
#define LINE_COLUMNS SCREEN_LINE_COLUMNS

/* What is worst is offered first. */
static const enum verdict order[] = {
	VERDICT_SKIP, VERDICT_GOOD, VERDICT_UNKNOWN, VERDICT_MAYBE, VERDICT_BAD};

static void screen_add_value(struct str *out, const char *label, double value, enum unit unit)
{
	str_add(out, label);
	value_for_people(out, value, unit);
}

static const char *screen_first_text(const char *a, const char *b)
{
	return a && *a ? a : b ? b : "";
}

static bool screen_accuses(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == VERDICT_MAYBE ||
			report->checks[i].verdict == VERDICT_BAD)
			return true;
	return false;
}

/* One check that accuses nobody: its line, and why it does not clear. */
static void screen_add_single(const struct screen *screen)
{
	const struct check_result *result = &screen->report->checks[0];
	const char *said = screen_first_text(result->summary, result->reason);
	struct str line = STR_INIT;

	if (screen->options->quiet &&
		(result->verdict == VERDICT_GOOD || result->verdict == VERDICT_SKIP))
		return;
	terminal_verdict(screen->out, result->verdict, screen->options->color);
	str_addc(screen->out, ' ');
	escape_terminal_cut(&line, result->check->name, NAME_COLUMNS);
	str_add(&line, ": ");
	escape_terminal_cut(&line, said, LINE_COLUMNS);
	screen_flow(screen, strlen(verdict_text(result->verdict)) + 1, 7, str_text(&line));
	str_clear(&line);
	if (result->verdict == VERDICT_GOOD && result->reason && *result->reason) {
		str_add(&line, "not ruled out: ");
		escape_terminal_cut(&line, result->reason, LINE_COLUMNS);
		wrap_blanks(screen->out, 7);
		screen_flow(screen, 7, 9, str_text(&line));
	}
	str_free(&line);
}

#define OFFERS 2

static size_t screen_count_offers(const struct report *report)
{
	size_t i, n = 0;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].n_offers;
	return n;
}

/* The command as it is, to be pasted; below it what whoever does that says yes to. */
static void screen_add_offer(
	const struct screen *screen, const struct experiment_offer *offer, bool first)
{
	struct str line = STR_INIT;

	str_add(screen->out, first ? "\nTry:  " : "      ");
	str_add(screen->out, offer->command);
	str_addc(screen->out, '\n');
	if (offer->question) {
		escape_terminal_cut(&line, offer->question, LINE_COLUMNS);
		str_addc(&line, ' ');
	}
	str_add(&line, offer->changes ? "An experiment, " : "Nothing is changed, ");
	screen_add_value(&line, "", offer->seconds, UNIT_SECONDS);
	str_addf(&line, " at most%s; risk %d of %d.",
		offer->changes ? ", then all is put back" : "", offer->risk, EXPERIMENT_RISK_MAX);
	if (offer->warning) {
		str_addc(&line, ' ');
		escape_terminal_cut(&line, offer->warning, LINE_COLUMNS);
	}
	wrap_blanks(screen->out, 8);
	screen_flow(screen, 8, 8, str_text(&line));
	str_free(&line);
}

/* For who is there to say yes, and for nobody else: those of what is worst. */
static void screen_add_offers(const struct screen *screen)
{
	const struct report *report = screen->report;
	size_t all = screen_count_offers(report), n = 0, rank, i, k;

	if (!screen->options->terminal)
		return;
	for (rank = ARRAY_SIZE(order); rank-- > 0;)
		for (i = 0; i < report->n_checks; i++) {
			const struct check_result *result = &report->checks[i];

			for (k = 0; result->verdict == order[rank] && k < result->n_offers; k++)
				if (n < OFFERS)
					screen_add_offer(screen, &result->offers[k], !n++);
		}
	if (all > n)
		str_addf(screen->out, "      and %zu more: add --invasive to be asked for each\n",
			all - n);
}

/* What is about the machine is for who asks for more, and for a picture of the screen. */
static void screen_add_machine(struct str *line, const struct report *report)
{
	if (report->kernel) {
		str_add(line, ", Linux ");
		escape_terminal_cut(line, report->kernel, NAME_COLUMNS);
	}
	if (report->cpus)
		str_addf(line, ", %u CPU%s", report->cpus, report->cpus == 1 ? "" : "s");
	if (isfinite(report->uptime_seconds))
		screen_add_value(line, ", up ", report->uptime_seconds, UNIT_SECONDS);
}

/* Of which machine, how long, and at which price. */
static void screen_add_cost(const struct screen *screen, struct str *line)
{
	const struct report *report = screen->report;
	const struct cost *cost = &report->cost;
	bool whole = screen->options->verbose || screen->options->ledger;

	escape_terminal_cut(line, report->host ? report->host : "an unknown host", NAME_COLUMNS);
	if (whole)
		screen_add_machine(line, report);
	str_add(line, report->replay ? ", replayed: " : ": ");
	screen_add_value(line, "", report->seconds, UNIT_SECONDS);
	screen_add_value(line, ", ", (double)cost->cpu_ns / 1e9, UNIT_SECONDS);
	str_add(line, " of CPU");
	if (cost->trace_ns && whole)
		screen_add_value(line, ", traced for ", (double)cost->trace_ns / 1e9, UNIT_SECONDS);
	if (cost->trace_ns && cost->bpf_known)
		screen_add_value(line, ", BPF ", (double)cost->bpf_ns / 1e9, UNIT_SECONDS);
	str_addc(line, '.');
}

/* One command that shows what had no room, and how much of it accuses. */
static void screen_add_more(struct str *line, const struct screen_left *left)
{
	if (!left->any)
		return;
	str_add(line, "More: ");
	own_command(line, "tuesday run", false);
	if (left->only) {
		str_addc(line, ' ');
		escape_terminal_cut(line, left->only, NAME_COLUMNS);
	}
	str_add(line, " -v");
	if (left->checks)
		str_addf(line, " (%zu more check%s", left->checks, left->checks == 1 ? "" : "s");
	if (left->numbers)
		str_addf(line, "%s%zu more number%s", left->checks ? " and " : " (", left->numbers,
			left->numbers == 1 ? "" : "s");
	if (left->checks || left->numbers)
		str_addf(line, " accuse%s)", left->checks + left->numbers == 1 ? "s" : "");
}

/* The last line: what it cost, and where there is more; two where they are longer than one. */
static void screen_add_last(const struct screen *screen, const struct screen_left *left)
{
	struct str cost = STR_INIT, more = STR_INIT;

	if (!screen->single && !screen->options->quiet)
		screen_add_cost(screen, &cost);
	screen_add_more(&more, left);
	if (cost.len && more.len &&
		escape_columns(str_text(&cost)) + 3 + escape_columns(str_text(&more)) <=
			screen->columns) {
		str_addf(screen->out, "%s   %s\n", str_text(&cost), str_text(&more));
	} else {
		if (cost.len)
			screen_flow(screen, 0, 2, str_text(&cost));
		if (more.len)
			screen_flow(screen, 0, 2, str_text(&more));
	}
	str_free(&cost);
	str_free(&more);
}

/* What this run goes on from, where it was to; whatever is in the way of that is context. */
static void add_continued(const struct screen *screen)
{
	const struct report *report = screen->report;
	const struct continued *continued = &report->continued;
	struct str line = STR_INIT;

	if (!continued->asked)
		return;
	str_add(&line, "Since the last run: ");
	if (continued->seconds > 0)
		screen_add_value(&line, "", continued->seconds, UNIT_SECONDS);
	if (continued->context)
		str_addf(&line, "%s%s", continued->seconds > 0 ? ", " : "", continued->context);
	str_addc(&line, '.');
	screen_flow(screen, 0, 2, str_text(&line));
	str_free(&line);
}

static void screen_add_muted(const struct screen *screen)
{
	const struct report *report = screen->report;
	struct str line = STR_INIT;
	size_t i;

	if (!report->n_muted)
		return;
	str_addf(&line, "Muted: %zu check%s (", report->n_muted, report->n_muted == 1 ? "" : "s");
	for (i = 0; i < report->n_muted; i++) {
		str_add(&line, i ? ", " : "");
		escape_terminal_cut(&line, report->muted[i].check, NAME_COLUMNS);
	}
	str_add(&line, "): notifications suppressed, see 'tuesday mutes'.");
	screen_flow(screen, 0, 2, str_text(&line));
	str_free(&line);
}

/* What people do on purpose, and whether what is wrong was there before. */
static void screen_add_announced(const struct screen *screen)
{
	static const char *const began[] = {
		[BEGAN_UNKNOWN] = " No earlier run tells whether what is wrong was there before.",
		[BEGAN_BEFORE] = " What is wrong was there before.",
		[BEGAN_SINCE] = " What is wrong was not there before.",
	};
	const struct report *report = screen->report;
	struct str announced = STR_INIT, line = STR_INIT;
	bool accused = report->verdict == VERDICT_BAD || report->verdict == VERDICT_MAYBE;

	if (report->n_announced) {
		report_announced(&announced, report);
		str_add(&line, "During what was announced: ");
		escape_terminal_cut(&line, str_text(&announced), ANNOUNCED_COLUMNS);
		str_addf(&line, ".%s", accused ? began[report->accused_began] : "");
		screen_flow(screen, 0, 2, str_text(&line));
	}
	str_free(&announced);
	str_free(&line);
}

static void add_warnings(const struct screen *screen)
{
	const struct report *report = screen->report;
	struct str line = STR_INIT;
	size_t i;

	add_continued(screen);
	screen_add_muted(screen);
	screen_add_announced(screen);

	if (report->interrupted) {
		screen_add_value(&line, "Interrupted after ", report->seconds, UNIT_SECONDS);
		str_add(&line, ": verdicts are from what was seen until then.");
		screen_flow(screen, 0, 2, str_text(&line));
	}
	if (report->under_way) {
		str_clear(&line);
		str_add(&line, "An experiment is under way on this machine: ");
		escape_terminal_cut(&line, report->under_way, LINE_COLUMNS);
		str_add(&line, ". It may have caused these findings.");
		screen_flow(screen, 0, 2, str_text(&line));
	}
	for (i = 0; i < report->n_errors; i++) {
		str_clear(&line);
		str_add(&line, "Refused: ");
		escape_terminal_cut(&line, report->errors[i], LINE_COLUMNS);
		screen_flow(screen, 0, 2, str_text(&line));
	}
	str_free(&line);
}

static size_t screen_count_lines(const struct str *text)
{
	size_t n = 0, i;

	for (i = 0; i < text->len; i++)
		n += text->text[i] == '\n';
	return n;
}

/* Of a check that accuses nobody an experiment may be all that there is to say. */
static void screen_add_other_experiments(const struct screen *screen)
{
	size_t i;

	for (i = 0; i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];

		if (!result->n_experiments || result->verdict == VERDICT_MAYBE ||
			result->verdict == VERDICT_BAD)
			continue;
		if (!screen->single) {
			terminal_verdict(screen->out, result->verdict, screen->options->color);
			str_addc(screen->out, ' ');
			escape_terminal_cut(screen->out, result->check->name, NAME_COLUMNS);
			str_addc(screen->out, '\n');
		}
		screen_add_experiments(screen, result);
	}
}

/* What stands below the findings: it has its rows, and they have the rest. */
static void screen_add_bottom(const struct screen *screen)
{
	bool all = !screen->single;

	if (!screen->options->verbose)
		screen_add_other_experiments(screen);
	if (all && screen_accuses(screen->report))
		str_addc(screen->out, '\n');
	if (all || screen->options->ledger)
		screen_add_rollup(screen);
	add_warnings(screen);
	screen_add_offers(screen);
	if (all)
		screen_add_type(screen);
}

static size_t screen_rows(const struct screen *screen, size_t below)
{
	if (screen->options->verbose || screen->options->ledger)
		return 0;
	return SCREEN_ROWS > below + 4 ? SCREEN_ROWS - 1 - below : 4;
}

/* What had no room needs a line that says so. */
static void screen_add_all(const struct screen *screen, const struct str *bottom)
{
	size_t below = screen_count_lines(bottom), rows = 1, tried;
	struct str top_text = STR_INIT, last_text = STR_INIT;
	struct screen top = *screen, last = *screen;

	top.out = &top_text;
	last.out = &last_text;
	do {
		struct screen_left left;

		tried = rows;
		str_clear(&top_text);
		str_clear(&last_text);
		left = screen_add_findings(&top, screen_rows(screen, below + rows));
		screen_add_last(&last, &left);
		rows = screen_count_lines(&last_text);
	} while (rows > tried);
	str_addn(screen->out, str_text(&top_text), top_text.len);
	if (screen->options->verbose)
		screen_add_table(screen);
	str_addn(screen->out, str_text(bottom), bottom->len);
	str_addn(screen->out, str_text(&last_text), last_text.len);
	str_free(&top_text);
	str_free(&last_text);
}

static void text_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	struct str bottom = STR_INIT;
	struct screen screen = {
		.out = &bottom,
		.report = report,
		.options = options,
		.columns =
			options->columns && options->columns < COLUMNS ? options->columns : COLUMNS,
		.single = report->n_checks == 1,
	};

	if (screen.columns < NARROWEST)
		screen.columns = NARROWEST;
	screen_add_bottom(&screen);
	screen.out = out;
	if (screen.single && !screen_accuses(report) && !options->verbose)
		screen_add_single(&screen);
	screen_add_all(&screen, &bottom);
	str_free(&bottom);
}

WRITER(text) = {
	.name = "text",
	.what = "for people: what it is, what it is not, and what to do next",
	.write = text_write,
};
