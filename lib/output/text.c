/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a person want to read on a screen while the machine is on fire? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
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
#include "output/verdict_color.h"

#define COLUMNS \
	100 /* where the terminal does not say, and at most: longer lines are hard to read */
#define NAME_COLUMNS 60 /* of a name that came from outside */
#define ANNOUNCED_COLUMNS 600
#define LINE_COLUMNS 300 /* of a sentence that has such names in it */
#define LABEL_COLUMNS 14 /* "Not examined: " */
#define CULPRITS 3

/*
 * Worst last. The list is longer than a screen, and what stays on the screen is its end: there the
 * accusations stand, right above the line that says "It is". Within a verdict the order is that of
 * the report.
 */
static const enum verdict order[] = {
	VERDICT_SKIP, VERDICT_GOOD, VERDICT_UNKNOWN, VERDICT_MAYBE, VERDICT_BAD};

struct screen {
	struct str *out;
	const struct report *report;
	const struct writer_options *options;
	size_t columns;
	size_t indent; /* of summaries and evidence */
	bool single;   /* one check: no roll-up */
};

static void flow(const struct screen *screen, size_t at, size_t indent, const char *text)
{
	wrap_text(screen->out, screen->columns, at, indent, text);
}

static void flow_labeled(const struct screen *screen, const char *label, const struct str *text)
{
	size_t width = strlen(label);

	str_add(screen->out, label);
	wrap_blanks(screen->out, width < LABEL_COLUMNS ? LABEL_COLUMNS - width : 1);
	flow(screen, width < LABEL_COLUMNS ? LABEL_COLUMNS : width + 1, LABEL_COLUMNS,
		str_text(text));
}

/* One line of evidence below a check: "however: text". */
static void add_evidence(const struct screen *screen, const char *label, const char *text)
{
	struct str line = STR_INIT;

	if (!text || !*text)
		return;
	str_add(&line, label);
	escape_terminal_cut(&line, text, LINE_COLUMNS);
	wrap_blanks(screen->out, screen->indent);
	flow(screen, screen->indent, screen->indent + 2, str_text(&line));
	str_free(&line);
}

static void screen_add_value(struct str *out, const char *label, double value, enum unit unit)
{
	str_add(out, label);
	value_for_people(out, value, unit);
}

static void screen_add_verdict(const struct screen *screen, enum verdict verdict)
{
	terminal_verdict(screen->out, verdict, screen->options->color);
}

static void screen_add_header(const struct screen *screen)
{
	const struct report *report = screen->report;
	struct str left = STR_INIT, right = STR_INIT;
	size_t width;

	str_add(&left, "Tuesday checklist on ");
	escape_terminal_cut(&left, report->host ? report->host : "an unknown host", NAME_COLUMNS);
	if (report->kernel) {
		str_add(&left, ", Linux ");
		escape_terminal_cut(&left, report->kernel, NAME_COLUMNS);
	}
	if (report->cpus)
		str_addf(&left, ", %u CPU%s", report->cpus, report->cpus == 1 ? "" : "s");
	if (isfinite(report->uptime_seconds))
		screen_add_value(&left, ", up ", report->uptime_seconds, UNIT_SECONDS);
	if (report->replay)
		str_add(&left, ", replayed");
	value_for_people(&right, report->seconds, UNIT_SECONDS);
	width = escape_columns(str_text(&left)) + right.len;
	str_add(screen->out, str_text(&left));
	wrap_blanks(screen->out, width + 2 < screen->columns ? screen->columns - width : 2);
	str_addf(screen->out, "%s\n\n", str_text(&right));
	str_free(&left);
	str_free(&right);
}

static void screen_add_culprit(struct str *out, const struct culprit *culprit)
{
	bool process = !strcmp(culprit->kind, "process");

	if (!process) {
		escape_terminal_cut(out, culprit->kind, NAME_COLUMNS);
		str_addc(out, ' ');
	}
	escape_terminal_cut(out, culprit->name, NAME_COLUMNS);
	if (*culprit->id) {
		str_add(out, process ? " (pid " : " (");
		escape_terminal_cut(out, culprit->id, NAME_COLUMNS);
		str_addc(out, ')');
	}
	if (isfinite(culprit->share) && culprit->share >= 0)
		screen_add_value(out, " ", culprit->share, UNIT_RATIO);
}

static void screen_add_culprits(const struct screen *screen, const struct check_result *result)
{
	struct str line = STR_INIT;
	size_t i;

	if (!result->n_culprits)
		return;
	for (i = 0; i < result->n_culprits && i < CULPRITS; i++) {
		str_add(&line, i ? ", " : "by ");
		screen_add_culprit(&line, &result->culprits[i]);
	}
	if (result->n_culprits > CULPRITS)
		str_addf(&line, ", and %zu more", result->n_culprits - CULPRITS);
	wrap_blanks(screen->out, screen->indent);
	flow(screen, screen->indent, screen->indent + 2, str_text(&line));
	str_free(&line);
}

static void screen_add_metric(const struct screen *screen, const struct metric_result *result)
{
	const struct metric *metric = result->metric;
	struct str line = STR_INIT;

	escape_terminal_cut(&line, metric->name, NAME_COLUMNS);
	if (*result->instance) {
		str_addc(&line, '[');
		escape_terminal_cut(
			&line, *result->label ? result->label : result->instance, NAME_COLUMNS);
		str_addc(&line, ']');
	}
	screen_add_value(&line, ": ", result->value, metric->unit);
	str_addf(&line, ", %s%s%s (%s", verdict_text(result->verdict), result->idle ? ", idle" : "",
		result->capped ? ", held back" : "", metric_class_text(metric->class));
	metric_limits(&line, ", ", result);
	if (result->windows)
		str_addf(
			&line, ", over in %u of %u windows", result->windows_over, result->windows);
	if (result->accused)
		str_addf(&line, ", %zu of %zu accused", result->accused, result->instances);
	str_addc(&line, ')');
	if (result->missing) {
		str_add(&line, "; ");
		escape_terminal_cut(&line, result->missing, LINE_COLUMNS);
	}
	metric_known(&line, "; ", result);
	if (metric->source) {
		str_add(&line, "; source: ");
		escape_terminal_cut(&line, metric->source, LINE_COLUMNS);
	}
	wrap_blanks(screen->out, screen->indent);
	flow(screen, screen->indent, screen->indent + 2, str_text(&line));
	str_free(&line);
}

/* An answer that accuses is in the summary of the check already. */
static bool screen_has_said(const struct experiment_result *experiment)
{
	return experiment->answer == ANSWER_TOLD
		? experiment->told == VERDICT_MAYBE || experiment->told == VERDICT_BAD
		: experiment->answer == ANSWER_CHANGED && experiment->better;
}

/* What is left changed on the machine is said whatever else is. */
static void screen_add_experiments(const struct screen *screen, const struct check_result *result)
{
	size_t i, k;

	for (i = 0; i < result->n_experiments; i++) {
		const struct experiment_result *experiment = &result->experiments[i];

		if (!screen_has_said(experiment))
			add_evidence(screen, "experiment: ", experiment->summary);
		add_evidence(screen, "  NOT PUT BACK: ", experiment->left);
		if (screen_has_said(experiment))
			add_evidence(screen, "  proves: ", experiment->proves);
		if (experiment->answer <= ANSWER_SAME || screen->options->verbose)
			add_evidence(screen, "  however: ", experiment->however);
		for (k = 0; k < experiment->n_notes; k++)
			add_evidence(screen, "  note: ", experiment->notes[k]);
	}
}

/* Beside a number that accuses: what it usually is, which moves no verdict. */
static void screen_add_usual(const struct screen *screen, const struct metric_result *result)
{
	struct str line = STR_INIT;

	if (result->verdict != VERDICT_BAD && result->verdict != VERDICT_MAYBE)
		return;
	metric_known(&line, "; ", result);
	if (line.len) {
		struct str whole = STR_INIT;

		escape_terminal_cut(&whole, result->metric->name, NAME_COLUMNS);
		str_addf(&whole, ": %s", str_text(&line) + 2);
		wrap_blanks(screen->out, screen->indent);
		flow(screen, screen->indent, screen->indent + 2, str_text(&whole));
		str_free(&whole);
	}
	str_free(&line);
}

/* Of what neither a run that finds it well nor an age ends. */
static void screen_add_ends(const struct screen *screen, const struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		if (result->metrics[i].verdict == result->verdict)
			add_evidence(screen, "ends: ", result->metrics[i].metric->ends);
}

static void screen_add_details(const struct screen *screen, const struct check_result *result)
{
	bool accused = result->verdict == VERDICT_BAD || result->verdict == VERDICT_MAYBE;
	bool verbose = screen->options->verbose;
	size_t i;

	if (accused || verbose) {
		screen_add_culprits(screen, result);
		for (i = 0; i < result->n_howevers; i++)
			add_evidence(screen, "however: ", result->howevers[i]);
		for (i = 0; i < result->n_remedies; i++)
			add_evidence(screen, "remedy: ", result->remedies[i]);
		if (accused)
			screen_add_ends(screen, result);
		add_evidence(screen, "not looked deeper: ", result->missing);
	}
	if (result->verdict == VERDICT_GOOD && (verbose || screen->single))
		add_evidence(screen, "not cleared: ", result->reason);
	for (i = 0; accused && !verbose && i < result->n_metrics; i++)
		screen_add_usual(screen, &result->metrics[i]);
	screen_add_experiments(screen, result);
	if (verbose)
		add_evidence(screen, "looked by: ", result->method);
	for (i = 0; verbose && i < result->n_metrics; i++)
		screen_add_metric(screen, &result->metrics[i]);
}

static const char *screen_first_text(const char *a, const char *b)
{
	return a && *a ? a : b ? b : "";
}

static void screen_add_check(const struct screen *screen, const struct check_result *result)
{
	struct str line = STR_INIT;
	size_t at;

	escape_terminal_cut(&line, result->check->name, NAME_COLUMNS);
	at = 11 + escape_columns(str_text(&line));
	str_add(screen->out, "  ");
	screen_add_verdict(screen, result->verdict);
	wrap_blanks(screen->out, 9 - strlen(verdict_text(result->verdict)));
	str_add(screen->out, str_text(&line));
	wrap_blanks(screen->out, at + 2 <= screen->indent ? screen->indent - at : 2);
	str_clear(&line);
	escape_terminal_cut(
		&line, screen_first_text(result->summary, result->reason), LINE_COLUMNS);
	flow(screen, at + 2 <= screen->indent ? screen->indent : at + 2, screen->indent,
		str_text(&line));
	screen_add_details(screen, result);
	str_free(&line);
}

/* With quiet what is good is left out, and so is what does not apply here: nobody can act on it. */
static bool screen_shows(const struct screen *screen, enum verdict verdict)
{
	return !screen->options->quiet || (verdict != VERDICT_GOOD && verdict != VERDICT_SKIP);
}

static void add_checks(const struct screen *screen)
{
	const struct report *report = screen->report;
	size_t rank, i;

	for (rank = 0; rank < ARRAY_SIZE(order); rank++)
		for (i = 0; screen_shows(screen, order[rank]) && i < report->n_checks; i++)
			if (report->checks[i].verdict == order[rank])
				screen_add_check(screen, &report->checks[i]);
}

/* "Label:  name name", nothing where no check is at that verdict. */
static size_t screen_add_names(const struct screen *screen, const char *label, enum verdict verdict,
	bool exonerated, const char *end)
{
	struct str names = STR_INIT;
	size_t n = 0, i;

	for (i = 0; i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];

		if (result->verdict != verdict || result->exonerated != exonerated)
			continue;
		str_addc(&names, ' ');
		escape_terminal_cut(&names, result->check->name, NAME_COLUMNS);
		n++;
	}
	if (n && end)
		str_addf(&names, " (%zu%s", n, end);
	if (n)
		flow_labeled(screen, label, &names);
	str_free(&names);
	return n;
}

/* Below the names: of each that is good and cleared by which evidence, or of each that is not
 * cleared why not. */
static void screen_add_reasons(const struct screen *screen, bool exonerated)
{
	size_t i;

	for (i = 0; i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];
		const char *why = exonerated ? screen_first_text(result->evidence, result->summary)
					     : result->reason;
		struct str label = STR_INIT, line = STR_INIT;

		if (result->verdict != VERDICT_GOOD || result->exonerated != exonerated || !why)
			continue;
		str_add(&label, "  ");
		escape_terminal_cut(&label, result->check->name, NAME_COLUMNS);
		escape_terminal_cut(&line, why, LINE_COLUMNS);
		flow_labeled(screen, str_text(&label), &line);
		str_free(&label);
		str_free(&line);
	}
}

static void add_exonerated(const struct screen *screen)
{
	bool ledger = screen->options->ledger;
	size_t n = screen_add_names(screen, "It is not:", VERDICT_GOOD, true,
		ledger ? "), by this evidence:" : ", see --ledger)");

	if (n && ledger)
		screen_add_reasons(screen, true);
}

/* A trace that was asked for and could not run: which checks it leaves without, and why, once.
 * Those that accuse say it themselves. */
static void add_not_traced(const struct screen *screen)
{
	const struct report *report = screen->report;
	const char *why = NULL;
	struct str line = STR_INIT;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != VERDICT_GOOD || !result->missing)
			continue;
		why = why ? why : result->missing;
		if (line.len)
			str_addc(&line, ' ');
		escape_terminal_cut(&line, result->check->name, NAME_COLUMNS);
	}
	if (why) {
		str_add(&line, " (");
		escape_terminal_cut(&line, why, LINE_COLUMNS);
		str_addc(&line, ')');
		flow_labeled(screen, "Not traced:", &line);
	}
	str_free(&line);
}

static void add_not_cleared(const struct screen *screen)
{
	bool ledger = screen->options->ledger;
	size_t n = screen_add_names(screen, "Good, not cleared:", VERDICT_GOOD, false,
		ledger ? "), for this reason:" : ", see --ledger)");

	if (n && ledger)
		screen_add_reasons(screen, false);
}

/* Only where they are named are they asked, and what was not asked may be it. */
static void add_not_asked(const struct screen *screen)
{
	const struct report *report = screen->report;
	struct str names = STR_INIT;
	size_t i;

	for (i = 0; i < report->n_not_asked; i++) {
		str_addc(&names, ' ');
		escape_terminal_cut(&names, report->not_asked[i], NAME_COLUMNS);
	}
	if (names.len) {
		str_add(&names, " (only where they are named: tuesday run NAME)");
		flow_labeled(screen, "Not asked:", &names);
	}
	str_free(&names);
}

static void add_rollup(const struct screen *screen)
{
	str_addc(screen->out, '\n');
	add_exonerated(screen);
	add_not_cleared(screen);
	screen_add_names(screen, "It is:", VERDICT_BAD, false, NULL);
	screen_add_names(screen, "It may be:", VERDICT_MAYBE, false, NULL);
	screen_add_names(screen, "Not examined:", VERDICT_UNKNOWN, false, NULL);
	add_not_asked(screen);
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
	flow(screen, 8, 8, str_text(&line));
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

static bool screen_is_among(const char *const *list, size_t n, const char *text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i], text))
			return true;
	return false;
}

/* Commands, each on a line of its own and never wrapped, to be copied; those for what is bad first.
 */
static void screen_add_next(const struct screen *screen)
{
	const struct report *report = screen->report;
	const char **said = NULL;
	size_t n = 0, room = 0, rank, i, k;

	for (rank = ARRAY_SIZE(order); rank-- > 0;)
		for (i = 0; i < report->n_checks; i++) {
			const struct check_result *result = &report->checks[i];

			for (k = 0; result->verdict == order[rank] && k < result->n_next; k++) {
				if (screen_is_among(said, n, result->next[k]))
					continue;
				ARRAY_GROW(said, n, room);
				said[n++] = result->next[k];
			}
		}
	for (i = 0; i < n; i++) {
		str_add(screen->out, i ? "      " : "\nNext: ");
		escape_terminal_cut(screen->out, said[i], LINE_COLUMNS);
		str_addc(screen->out, '\n');
	}
	free(said);
}

static void screen_add_change(struct str *line, const struct type_change *change, time_t now)
{
	char *when = format_since(change->time, now);

	str_add(line, "says ");
	escape_terminal_cut(line, change->by, NAME_COLUMNS);
	str_addf(line, ", %s", when);
	if (change->ref) {
		str_add(line, ", ");
		escape_terminal_cut(line, change->ref, NAME_COLUMNS);
	}
	str_add(line, ": ");
	escape_terminal_cut(line, change->reason, LINE_COLUMNS);
	free(when);
}

/* What a person says goes first, and what the rules say is told all the same. */
static void add_type(struct str *line, const struct report *report)
{
	const struct incident_type *type = &report->type;
	size_t i, others = 0;

	if (!type->name)
		return;
	str_addf(line, "Type: %s (", type->name);
	if (type->n_changes) {
		screen_add_change(line, &type->changes[type->n_changes - 1], report->time_start);
		str_addf(line, "). Looks %s (", screen_first_text(type->derived, NULL));
	}
	escape_terminal_cut(line, screen_first_text(type->why, NULL), LINE_COLUMNS);
	str_addc(line, ')');
	if (type->rule)
		str_addf(line, ", confidence %s", confidence_text(type->confidence));
	for (i = 0; i < type->n_candidates; i++)
		if (strcmp(type->candidates[i], type->derived) != 0)
			str_addf(line, "%s %s", others++ ? "," : "; may also be",
				type->candidates[i]);
	if (type->due) {
		char *due = format_since(type->due, report->time_start);

		str_addf(line, "; due %s", due);
		free(due);
	}
	str_add(line, ". ");
}

/* What the machine's people want to be done with incidents of this type. */
static void add_hints(const struct screen *screen)
{
	const struct incident_type *type = &screen->report->type;
	struct str line = STR_INIT;

	if (type->invite) {
		str_add(&line, "Invite: ");
		escape_terminal(&line, type->invite);
		flow(screen, 0, 6, str_text(&line));
	}
	str_clear(&line);
	if (type->notes) {
		str_add(&line, "Notes: ");
		escape_terminal(&line, type->notes);
		flow(screen, 0, 6, str_text(&line));
	}
	str_free(&line);
}

static void add_type_and_cost(const struct screen *screen)
{
	const struct report *report = screen->report;
	const struct cost *cost = &report->cost;
	struct str line = STR_INIT;

	add_type(&line, report);
	screen_add_value(&line, "Cost: ", (double)cost->cpu_ns / 1e9, UNIT_SECONDS);
	str_add(&line, " CPU");
	if (cost->trace_ns) {
		screen_add_value(&line, ", ", (double)cost->trace_ns / 1e9, UNIT_SECONDS);
		str_add(&line, " of tracing");
	}
	if (cost->trace_ns && cost->bpf_known) {
		screen_add_value(&line, " (", (double)cost->bpf_ns / 1e9, UNIT_SECONDS);
		str_add(&line, " in BPF)");
	}
	str_addc(&line, '.');
	str_addc(screen->out, '\n');
	flow(screen, 0, 6, str_text(&line));
	add_hints(screen);
	str_free(&line);
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
	flow(screen, 0, 2, str_text(&line));
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
	str_add(&line, "): announced to nobody, see 'tuesday mutes'.");
	flow(screen, 0, 2, str_text(&line));
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
		flow(screen, 0, 2, str_text(&line));
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
		flow(screen, 0, 2, str_text(&line));
	}
	if (report->under_way) {
		str_clear(&line);
		str_add(&line, "An experiment is under way on this machine: ");
		escape_terminal_cut(&line, report->under_way, LINE_COLUMNS);
		str_add(&line, ". What was seen may be its doing.");
		flow(screen, 0, 2, str_text(&line));
	}
	for (i = 0; i < report->n_errors; i++) {
		str_clear(&line);
		str_add(&line, "Refused: ");
		escape_terminal_cut(&line, report->errors[i], LINE_COLUMNS);
		flow(screen, 0, 2, str_text(&line));
	}
	str_free(&line);
}

static size_t widest_name(const struct report *report)
{
	size_t widest = 0, i;

	for (i = 0; i < report->n_checks; i++) {
		size_t width = strlen(report->checks[i].check->name);

		if (width > widest)
			widest = width;
	}
	return widest < 16 ? widest : 16;
}

static void text_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	struct screen screen = {
		.out = out,
		.report = report,
		.options = options,
		.columns =
			options->columns && options->columns < COLUMNS ? options->columns : COLUMNS,
		.indent = 13 + widest_name(report),
		.single = report->n_checks == 1,
	};

	if (!screen.single && !options->quiet)
		screen_add_header(&screen);
	add_checks(&screen);
	if (!screen.single)
		add_rollup(&screen);
	else if (options->ledger)
		add_exonerated(&screen);
	add_not_traced(&screen);
	add_warnings(&screen);
	screen_add_next(&screen);
	screen_add_offers(&screen);
	if (!screen.single)
		add_type_and_cost(&screen);
}

WRITER(text) = {
	.name = "text",
	.what = "for people: what it is, what it is not, and what to do next",
	.write = text_write,
};
