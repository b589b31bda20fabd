/* SPDX-License-Identifier: GPL-2.0-only */
/* What is it not, what is not known, and what was not asked? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "base/unit.h"
#include "base/wrap.h"
#include "check/check.h"
#include "output/screen.h"
#include "output/screen_rollup.h"

#define LABEL_COLUMNS 16 /* "Not the cause:  " */
#define ROWS 2		 /* of the short one */
#define NAMES_LEAST 40	 /* columns of the names of what it is not */
#define NAMES_SAID 3	 /* more are a number there */

static bool rollup_is_whole(const struct screen *screen)
{
	return screen->options->ledger || screen->options->verbose;
}

static void rollup_line(const struct screen *screen, const char *label, const char *text)
{
	size_t width = strlen(label);

	str_add(screen->out, label);
	wrap_blanks(screen->out, width < LABEL_COLUMNS ? LABEL_COLUMNS - width : 1);
	screen_flow(screen, width < LABEL_COLUMNS ? LABEL_COLUMNS : width + 1, LABEL_COLUMNS, text);
}

/* A gap that is expected has a line of its own. */
static bool rollup_is(const struct check_result *result, enum verdict verdict, bool exonerated)
{
	return result->verdict == verdict && result->exonerated == exonerated &&
		result->set_aside != ASIDE_EXPECTED;
}

static size_t rollup_count(const struct screen *screen, enum verdict verdict, bool exonerated)
{
	size_t n = 0, i;

	for (i = 0; i < screen->report->n_checks; i++)
		n += rollup_is(&screen->report->checks[i], verdict, exonerated);
	return n;
}

/* Their names, with a blank between: in the short one as many as there is room for beside the rest.
 */
static void rollup_add_names(const struct screen *screen, struct str *names, enum verdict verdict,
	bool exonerated, size_t behind)
{
	size_t room = ROWS * screen->columns, i;

	room = room > behind + NAMES_LEAST ? room - behind : NAMES_LEAST;
	for (i = 0; i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];
		const char *name = result->check->name;

		if (!rollup_is(result, verdict, exonerated))
			continue;
		if (!rollup_is_whole(screen) &&
			escape_columns(str_text(names)) + strlen(name) > room) {
			str_add(names, " \xe2\x80\xa6");
			return;
		}
		str_add(names, names->len ? " " : "");
		escape_terminal_cut(names, name, SCREEN_NAME_COLUMNS);
	}
}

/* Below the names: of each by which evidence it is cleared, or why it is not. */
static void rollup_add_reasons(const struct screen *screen, enum verdict verdict, bool exonerated)
{
	size_t i;

	for (i = 0; i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];
		const char *why = exonerated ? result->evidence : result->reason;
		struct str label = STR_INIT, line = STR_INIT;

		if (!rollup_is(result, verdict, exonerated))
			continue;
		why = why && *why ? why : result->summary;
		str_add(&label, "  ");
		escape_terminal_cut(&label, result->check->name, SCREEN_NAME_COLUMNS);
		escape_terminal_cut(&line, why ? why : "", SCREEN_LINE_COLUMNS);
		rollup_line(screen, str_text(&label), str_text(&line));
		str_free(&label);
		str_free(&line);
	}
}

/* "cpu memory … 42 of 46 examined (tuesday --ledger)" */
static void rollup_add_cleared(const struct screen *screen, size_t examined)
{
	size_t cleared = rollup_count(screen, VERDICT_GOOD, true);
	struct str line = STR_INIT, behind = STR_INIT;

	if (!cleared)
		return;
	str_addf(&behind, ": %zu of %zu examined%s", cleared, examined,
		screen->options->ledger ? ", by this evidence:" : " (tuesday --ledger)");
	rollup_add_names(screen, &line, VERDICT_GOOD, true, behind.len);
	str_add(&line, str_text(&behind));
	rollup_line(screen, "Not the cause:", str_text(&line));
	if (screen->options->ledger)
		rollup_add_reasons(screen, VERDICT_GOOD, true);
	str_free(&line);
	str_free(&behind);
}

static void rollup_add_not_cleared(const struct screen *screen)
{
	size_t n = rollup_count(screen, VERDICT_GOOD, false);
	struct str line = STR_INIT, behind = STR_INIT;

	if (!n)
		return;
	str_addf(&behind, " (%zu: good, but not ruled out)", n);
	rollup_add_names(screen, &line, VERDICT_GOOD, false, behind.len);
	str_add(&line, str_text(&behind));
	rollup_line(screen, "Not cleared:", str_text(&line));
	if (screen->options->ledger)
		rollup_add_reasons(screen, VERDICT_GOOD, false);
	str_free(&line);
	str_free(&behind);
}

/* Of one its reason beside it; of more how to see them. */
static void rollup_add_unknown(const struct screen *screen)
{
	size_t n = rollup_count(screen, VERDICT_UNKNOWN, false), i;
	struct str line = STR_INIT, behind = STR_INIT;
	const char *why = NULL;

	for (i = 0; i < screen->report->n_checks; i++)
		if (rollup_is(&screen->report->checks[i], VERDICT_UNKNOWN, false))
			why = screen->report->checks[i].reason;
	if (!n)
		return;
	if (n == 1 && why) {
		str_add(&behind, " (");
		escape_terminal_cut(&behind, why, SCREEN_LINE_COLUMNS);
		str_addc(&behind, ')');
	} else {
		str_addf(&behind, " (%zu%s", n,
			screen->options->ledger ? ")" : ": tuesday --ledger says why)");
	}
	rollup_add_names(screen, &line, VERDICT_UNKNOWN, false, n == 1 ? 0 : behind.len);
	str_add(&line, str_text(&behind));
	rollup_line(screen, "Not examined:", str_text(&line));
	if (screen->options->ledger)
		rollup_add_reasons(screen, VERDICT_UNKNOWN, false);
	str_free(&line);
	str_free(&behind);
}

/* What this machine is known not to let anybody look at. */
static void rollup_add_expected(const struct screen *screen)
{
	struct str line = STR_INIT;
	size_t i, n = 0;

	for (i = 0; i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];

		if (result->set_aside != ASIDE_EXPECTED)
			continue;
		str_add(&line, n++ ? " " : "");
		escape_terminal_cut(&line, result->check->name, SCREEN_NAME_COLUMNS);
	}
	str_add(&line, " (not examined, as tuesday.ini expects)");
	if (n)
		rollup_line(screen, "Expected gaps:", str_text(&line));
	str_free(&line);
}

/* What was not asked may be it, and what is not here cannot be. */
static void rollup_add_rest(const struct screen *screen)
{
	const struct report *report = screen->report;
	size_t skipped = rollup_count(screen, VERDICT_SKIP, false), i;
	struct str line = STR_INIT;

	for (i = 0; i < report->n_not_asked; i++) {
		str_add(&line, line.len ? " " : "");
		escape_terminal_cut(&line, report->not_asked[i], SCREEN_NAME_COLUMNS);
	}
	if (report->n_not_asked)
		str_add(&line, " (tuesday run NAME).");
	if (skipped)
		str_addf(&line, "%sNot on this machine: %zu.", line.len ? "  " : "", skipped);
	if (line.len)
		rollup_line(screen, report->n_not_asked ? "Not asked:" : "", str_text(&line));
	str_free(&line);
}

/* A trace that was asked for and could not run: which checks it leaves without, and why, once. */
static void rollup_add_untraced(const struct screen *screen)
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
		str_add(&line, line.len ? " " : "");
		escape_terminal_cut(&line, result->check->name, SCREEN_NAME_COLUMNS);
	}
	if (why) {
		str_add(&line, " (");
		escape_terminal_cut(&line, why, SCREEN_LINE_COLUMNS);
		str_addc(&line, ')');
		rollup_line(screen, "Not traced:", str_text(&line));
	}
	str_free(&line);
}

/* The number, and the names where they are few. */
static void rollup_say(const struct screen *screen, struct str *line, const char *label,
	enum verdict verdict, bool exonerated)
{
	size_t n = rollup_count(screen, verdict, exonerated), i, said = 0;

	if (!n)
		return;
	str_addf(line, "  %s: ", label);
	if (n > NAMES_SAID)
		str_addf(line, "%zu", n);
	for (i = 0; n <= NAMES_SAID && i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];

		if (!rollup_is(result, verdict, exonerated))
			continue;
		str_add(line, said++ ? " " : "");
		escape_terminal_cut(line, result->check->name, SCREEN_NAME_COLUMNS);
		if (n == 1 && verdict == VERDICT_UNKNOWN && result->reason) {
			str_add(line, " (");
			escape_terminal_cut(line, result->reason, SCREEN_NAME_COLUMNS);
			str_addc(line, ')');
		}
	}
	str_addc(line, '.');
}

static void rollup_say_untraced(const struct screen *screen, struct str *line)
{
	const char *why = NULL;
	size_t n = 0, i;

	for (i = 0; i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];

		if (result->verdict != VERDICT_GOOD || !result->missing)
			continue;
		why = why ? why : result->missing;
		n++;
	}
	if (!why)
		return;
	str_addf(line, "  Not traced: %zu (", n);
	escape_terminal_cut(line, why, SCREEN_NAME_COLUMNS);
	str_add(line, ").");
}

static void rollup_say_expected(const struct screen *screen, struct str *line)
{
	const struct report *report = screen->report;
	size_t n = 0, said = 0, i;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].set_aside == ASIDE_EXPECTED;
	if (!n)
		return;
	str_add(line, "  Expected gaps: ");
	if (n > NAMES_SAID)
		str_addf(line, "%zu", n);
	for (i = 0; n <= NAMES_SAID && i < report->n_checks; i++) {
		if (report->checks[i].set_aside != ASIDE_EXPECTED)
			continue;
		str_add(line, said++ ? " " : "");
		escape_terminal_cut(line, report->checks[i].check->name, SCREEN_NAME_COLUMNS);
	}
	str_addc(line, '.');
}

static void rollup_say_rest(const struct screen *screen, struct str *line)
{
	const struct report *report = screen->report;
	size_t skipped = rollup_count(screen, VERDICT_SKIP, false), i;

	rollup_say_expected(screen, line);
	rollup_say_untraced(screen, line);
	for (i = 0; i < report->n_not_asked; i++) {
		str_add(line, i ? " " : "  Not asked: ");
		escape_terminal_cut(line, report->not_asked[i], SCREEN_NAME_COLUMNS);
	}
	if (report->n_not_asked)
		str_addc(line, '.');
	if (skipped)
		str_addf(line, "  Not on this machine: %zu.", skipped);
}

/* The same in two or three lines: what it is not as names, and the rest as numbers. */
static void rollup_add_short(const struct screen *screen, size_t accused, size_t good)
{
	size_t cleared = rollup_count(screen, VERDICT_GOOD, true);
	size_t unknown = rollup_count(screen, VERDICT_UNKNOWN, false);
	struct str line = STR_INIT, names = STR_INIT, behind = STR_INIT;

	rollup_say(screen, &behind, "Good, but not ruled out", VERDICT_GOOD, false);
	rollup_say(screen, &behind, "Not examined", VERDICT_UNKNOWN, false);
	rollup_say_rest(screen, &behind);
	if (!accused && !good) {
		str_add(&line, "Nothing was found, and nothing could be looked at.");
	} else if (!accused) {
		str_addf(&line, "Nothing found: %zu of %zu parts are not at fault", cleared,
			good + unknown);
		str_add(&line, " (tuesday --ledger).");
	} else if (cleared) {
		str_addf(&line, ": %zu of %zu examined (tuesday --ledger).", cleared,
			good + accused);
		rollup_add_names(
			screen, &names, VERDICT_GOOD, true, LABEL_COLUMNS + line.len + behind.len);
		str_addf(&names, "%s", str_text(&line));
		str_clear(&line);
		str_addf(&line, "Not the cause: %s", str_text(&names));
	}
	str_add(&line, str_text(&behind));
	if (accused && !cleared && line.len)
		str_add(&line, "  Why: tuesday --ledger");
	if (line.len)
		screen_flow(screen, 0, 2, str_text(&line) + strspn(str_text(&line), " "));
	str_free(&line);
	str_free(&names);
	str_free(&behind);
}

/* Whether anything is harmed, though too little or too briefly to be accused: beyond what would
 * clear its part. */
static bool rollup_suffers(const struct screen *screen)
{
	size_t i, k;

	for (i = 0; i < screen->report->n_checks; i++) {
		const struct check_result *result = &screen->report->checks[i];

		for (k = 0; k < result->n_metrics; k++)
			if (result->metrics[k].metric->class == CLASS_HARM &&
				result->metrics[k].doubt.kind)
				return true;
	}
	return false;
}

/* Where nothing is accused it is the program, or what it waits for. */
static void rollup_add_suffering(const struct screen *screen, size_t accused)
{
	if (!accused && rollup_suffers(screen))
		str_add(screen->out,
			"Something waits all the same: waitdiagnose says who, and for what.\n");
}

void screen_add_rollup(const struct screen *screen)
{
	size_t accused = rollup_count(screen, VERDICT_BAD, false) +
		rollup_count(screen, VERDICT_MAYBE, false);
	size_t cleared = rollup_count(screen, VERDICT_GOOD, true);
	size_t good = cleared + rollup_count(screen, VERDICT_GOOD, false);

	if (!rollup_is_whole(screen)) {
		rollup_add_short(screen, accused, good);
		rollup_add_suffering(screen, accused);
		return;
	}
	if (!accused && !good)
		str_add(screen->out, "Nothing was found, and nothing could be looked at.\n");
	else if (!accused)
		str_addf(screen->out, "Nothing found: %zu of %zu parts are not at fault%s.\n",
			cleared, good + rollup_count(screen, VERDICT_UNKNOWN, false),
			screen->options->ledger ? "" : " (tuesday --ledger)");
	rollup_add_suffering(screen, accused);
	rollup_add_cleared(screen, good + accused);
	rollup_add_not_cleared(screen);
	rollup_add_unknown(screen);
	rollup_add_expected(screen);
	rollup_add_untraced(screen);
	rollup_add_rest(screen);
}
