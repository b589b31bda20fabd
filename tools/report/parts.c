/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands out, what changed, what is to be done, and what is it not? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "report/metric_text.h"
#include "output/html_page.h"
#include "base/str.h"
#include "output/writer.h"
#include "tools/report/phrases.h"
#include "base/unit.h"
#include "tools/report/advice.h"
#include "tools/report/parts.h"
#include "tools/report/series.h"
#include "tools/report/areas.h"
#include "tools/report/history.h"
#include "tools/report/status.h"
#include "tools/report/model.h"
#include "tools/report/html.h"

#define TEXT_COLUMNS 400
#define NAME_COLUMNS 60
#define CULPRITS_MAX 10
#define CARDS_MAX 100

static void parts_add_row(struct str *out, const char *term, const char *text)
{
	if (!text || !*text)
		return;
	str_addf(out, "<dt>%s</dt><dd>", term);
	page_cut(out, text, TEXT_COLUMNS);
	str_add(out, "</dd>\n");
}

static void parts_add_culprits(struct str *out, const struct check_result *result)
{
	struct str text = STR_INIT;
	size_t i;

	if (!result->n_culprits)
		return;
	str_add(out, "<dt>By</dt><dd><ul>");
	for (i = 0; i < result->n_culprits && i < CULPRITS_MAX; i++) {
		str_clear(&text);
		say_culprit(&text, &result->culprits[i]);
		str_add(out, "<li>");
		page_cut(out, str_text(&text), TEXT_COLUMNS);
		str_add(out, "</li>");
	}
	if (i < result->n_culprits)
		str_addf(out, "<li>and %zu more</li>", result->n_culprits - i);
	str_add(out, "</ul></dd>\n");
	str_free(&text);
}

static void add_faint(struct str *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	str_addf(out, "<div class=\"faint\">%s", label);
	page_cut(out, text, TEXT_COLUMNS);
	str_add(out, "</div>");
}

static void parts_add_texts(struct str *out, const char *label, char *const *texts, size_t n)
{
	size_t i;

	if (!n)
		return;
	str_addf(out, "<dt>%s</dt><dd><ul>", label);
	for (i = 0; i < n; i++) {
		str_add(out, "<li>");
		page_cut(out, texts[i], TEXT_COLUMNS);
		str_add(out, "</li>");
	}
	str_add(out, "</ul></dd>\n");
}

/* The numbers that accuse, with all that says why. */
static void parts_add_number(struct str *out, const struct story *story, const char *check,
	const struct metric_result *metric)
{
	const struct trail *trail = past_trail(&story->past, check, metric);
	struct str text = STR_INIT;

	say_metric(&text, "", metric->metric->name, instance_of(metric));
	str_add(out, "<dt class=\"names\">");
	page_cut(out, str_text(&text) + 1, NAME_COLUMNS);
	str_add(out, "</dt><dd><strong>");
	str_clear(&text);
	value_for_people(&text, metric->value, metric->metric->unit);
	page_unbroken(out, str_text(&text));
	str_add(out, "</strong>");
	str_clear(&text);
	metric_limits(&text, ", ", metric);
	if (metric->windows)
		str_addf(
			&text, ", over in %u of %u windows", metric->windows_over, metric->windows);
	page_unbroken(out, str_text(&text));
	str_clear(&text);
	metric_known(&text, "; ", metric);
	escape_html(out, str_text(&text));
	if (trail && trail->n)
		svg_trail(out, trail, metric);
	add_faint(out, "", metric->metric->why);
	add_faint(out, "Limit: ", metric->metric->source);
	str_add(out, "</dd>\n");
	str_free(&text);
}

static bool parts_accuses(const struct metric_result *metric)
{
	return (metric->verdict == VERDICT_BAD || metric->verdict == VERDICT_MAYBE) &&
		isfinite(metric->value);
}

static void parts_add_numbers(
	struct str *out, const struct story *story, const struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		if (parts_accuses(&result->metrics[i]))
			parts_add_number(out, story, result->check->name, &result->metrics[i]);
	for (i = 0; i < result->n_past; i++)
		if (parts_accuses(&result->past[i]))
			parts_add_number(out, story, result->check->name, &result->past[i]);
}

static void add_since(struct str *out, const struct story *story, const struct check_result *result)
{
	const struct shift *shift = past_shift(&story->past, result->check->name);
	struct str text = STR_INIT;

	if (!story->past.known || !shift)
		return;
	if (shift->changes) {
		say_shift(&text, shift);
	} else {
		str_add(&text, "the same at least since ");
		say_time(&text, shift->since);
	}
	parts_add_row(out, "Since", str_text(&text));
	str_free(&text);
}

static void add_card(struct str *out, const struct story *story, const struct check_result *result)
{
	struct str text = STR_INIT;

	str_addf(out, "<article class=\"card %s\"><h3>", verdict_text(result->verdict));
	page_verdict(out, result->verdict);
	str_addc(out, ' ');
	page_cut(out, result->check->name, NAME_COLUMNS);
	str_add(out, "</h3>\n<p>");
	page_cut(out, first_text(result->summary, result->reason), TEXT_COLUMNS);
	str_add(out, "</p>\n<dl>\n");
	parts_add_culprits(out, result);
	parts_add_numbers(out, story, result);
	add_since(out, story, result);
	parts_add_texts(out, "However", result->howevers, result->n_howevers);
	parts_add_texts(out, "Remedy", result->remedies, result->n_remedies);
	say_window(&text, story->report, result);
	parts_add_row(out, "Looked at", str_text(&text));
	parts_add_row(out, "Looked by", result->method);
	parts_add_row(out, "Not deeper", result->missing);
	str_add(out, "</dl></article>\n");
	str_free(&text);
}

void page_accused(struct str *out, const struct story *story)
{
	const struct report *report = story->report;
	size_t *order = worst_checks(report), i;

	str_add(out,
		"<section aria-labelledby=\"out\"><h2 id=\"out\">What stands out</h2>\n"
		"<div class=\"cards\">\n");
	for (i = 0; i < report->n_checks && is_accused(&report->checks[order[i]]); i++)
		if (i < CARDS_MAX)
			add_card(out, story, &report->checks[order[i]]);
	str_add(out, i ? "</div>\n" : "</div><p>Nothing is accused.</p>\n");
	if (i > CARDS_MAX)
		str_addf(out, "<p>And %zu more.</p>\n", i - CARDS_MAX);
	str_add(out, "</section>\n");
	free(order);
}

/* Plain text, and no list of commands: it may be anybody's. */
static void parts_add_said(struct str *out, const struct advice *advice)
{
	size_t i;

	if (!advice || !advice->n)
		return;
	str_add(out,
		"<section aria-labelledby=\"said\"><h2 id=\"said\">What the report says "
		"to do</h2>\n"
		"<p class=\"faint\">The report's own words, about checks that no file "
		"here has.</p>\n"
		"<ul>\n");
	for (i = 0; i < advice->n; i++) {
		str_add(out, "<li>");
		page_cut(out, advice->list[i].check, NAME_COLUMNS);
		str_add(out, " says: ");
		page_cut(out, advice->list[i].text, TEXT_COLUMNS);
		str_add(out, "</li>\n");
	}
	str_add(out, "</ul></section>\n");
}

void page_next(struct str *out, const struct story *story)
{
	const char **steps;
	size_t n, i;

	steps = next_steps(story->report, &n);
	if (n) {
		str_add(out,
			"<section aria-labelledby=\"next\"><h2 id=\"next\">Next steps</h2>\n"
			"<ol class=\"next\">\n");
		for (i = 0; i < n; i++) {
			str_add(out, "<li><code>");
			page_cut(out, steps[i], TEXT_COLUMNS);
			str_add(out, "</code></li>\n");
		}
		str_add(out, "</ol></section>\n");
	}
	free(steps);
	parts_add_said(out, story->advice);
}

static void add_shift(struct str *out, const struct shift *shift)
{
	str_add(out, "<tr><th scope=\"row\">");
	page_cut(out, shift->check, NAME_COLUMNS);
	str_add(out, "</th><td>");
	page_verdict(out, shift->first);
	str_add(out, "</td><td>");
	page_verdict(out, shift->last);
	str_add(out, "</td><td>");
	say_time(out, shift->since);
	str_addf(out, "</td><td class=\"number\">%zu</td></tr>\n", shift->changes);
}

static size_t add_shifts(struct str *out, const struct past *past)
{
	size_t i, n = 0;

	for (i = 0; i < past->n_shifts; i++) {
		if (!past->shifts[i].changes)
			continue;
		if (!n++)
			str_add(out,
				"<div class=\"wide\"><table><caption>Lights that changed</caption>"
				"<thead><tr><th scope=\"col\">Check</th><th scope=\"col\">At first"
				"</th><th scope=\"col\">Now</th><th scope=\"col\">Since</th>"
				"<th scope=\"col\" class=\"number\">Changes</th></tr></thead>"
				"<tbody>\n");
		add_shift(out, &past->shifts[i]);
	}
	str_add(out, n ? "</tbody></table></div>\n" : "");
	return n;
}

static void add_moved(struct str *out, const struct past *past)
{
	struct str text = STR_INIT;
	size_t i;

	if (past->n_moved)
		str_add(out,
			"<h3>Numbers that changed, against as long a time before</h3>\n"
			"<ul class=\"moved\">\n");
	for (i = 0; i < past->n_moved; i++) {
		const struct diff_subject *subject = past->moved[i];

		str_clear(&text);
		say_metric(&text, subject->check, subject->metric, subject->instance);
		str_add(out, "<li><span class=\"names\">");
		page_cut(out, str_text(&text), 2 * NAME_COLUMNS);
		str_clear(&text);
		diff_effect(&text, subject);
		str_add(out, "</span>");
		escape_html(out, str_text(&text));
		str_add(out, "</li>\n");
	}
	str_add(out, past->n_moved ? "</ul>\n" : "");
	str_free(&text);
}

void page_changed(struct str *out, const struct story *story)
{
	const struct past *past = &story->past;
	struct str text = STR_INIT;

	str_add(out, "<section aria-labelledby=\"changed\"><h2 id=\"changed\">What changed</h2>\n");
	if (past->known) {
		say_time(&text, past->from);
		str_addf(out, "<p class=\"faint\">Since %s, in %zu run%s of the history.</p>\n",
			str_text(&text), past->runs, past->runs == 1 ? "" : "s");
		if (!add_shifts(out, past) && !past->n_moved)
			str_add(out,
				"<p>No verdict changed, and no number by more than chance.</p>\n");
		add_moved(out, past);
	} else {
		str_add(out,
			"<p>Not known: there is no history of this machine here. "
			"<code>tuesday run --cron</code> begins one.</p>\n");
	}
	str_add(out, "</section>\n");
	str_free(&text);
}

bool page_has_room(const struct str *out)
{
	return out->len < PAGE_BYTES_MAX / 2;
}

static void add_left(struct str *out, size_t left)
{
	if (left)
		str_addf(out, "<p>And %zu more, for which there is no room here.</p>\n", left);
}

static void add_cleared(struct str *out, const struct story *story)
{
	const struct report *report = story->report;
	struct str window = STR_INIT;
	size_t left = 0, i;
	bool any = false;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (!result->exonerated || result->idle)
			continue;
		if (!page_has_room(out)) {
			left++;
			continue;
		}
		if (!any)
			str_add(out,
				"<div class=\"wide\"><table class=\"ledger\"><caption>Cleared: it "
				"had "
				"work to do, and did it well</caption><thead><tr><th "
				"scope=\"col\">Check</th><th scope=\"col\">Evidence</th><th "
				"scope=\"col\">Over</th></tr></thead><tbody>\n");
		any = true;
		str_clear(&window);
		say_window(&window, report, result);
		str_add(out, "<tr><th scope=\"row\">");
		page_cut(out, result->check->name, NAME_COLUMNS);
		str_add(out, "</th><td>");
		page_cut(out, first_text(result->evidence, result->summary), TEXT_COLUMNS);
		str_add(out, "</td><td>");
		page_unbroken(out, str_text(&window));
		str_add(out, "</td></tr>\n");
	}
	str_add(out, any ? "</tbody></table></div>\n" : "<p>Nothing that had work to do.</p>\n");
	add_left(out, left);
	str_free(&window);
}

static bool is_idle(const struct check_result *result)
{
	return result->exonerated && result->idle;
}

static bool is_merely_good(const struct check_result *result)
{
	return result->verdict == VERDICT_GOOD && !result->exonerated;
}

static bool is_skipped(const struct check_result *result)
{
	return result->verdict == VERDICT_SKIP;
}

static void parts_add_chips(struct str *out, const struct report *report, const char *title,
	bool (*holds)(const struct check_result *result))
{
	size_t left = 0, i;
	bool any = false;

	for (i = 0; i < report->n_checks; i++) {
		if (!holds(&report->checks[i]))
			continue;
		if (!page_has_room(out)) {
			left++;
			continue;
		}
		if (!any)
			str_addf(out, "<h3>%s</h3>\n<ul class=\"chips\">", title);
		any = true;
		str_add(out, "<li>");
		page_cut(out, report->checks[i].check->name, NAME_COLUMNS);
		str_add(out, "</li>");
	}
	str_add(out, any ? "</ul>\n" : "");
	add_left(out, left);
}

static bool parts_is_unexamined(const struct check_result *result)
{
	return result->verdict == VERDICT_UNKNOWN;
}

/* A table of the checks of one kind, with the reason of each. */
static void parts_add_reasons(struct str *out, const struct report *report, const char *caption,
	const char *heading, bool (*holds)(const struct check_result *result))
{
	size_t left = 0, i;
	bool any = false;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (!holds(result))
			continue;
		if (!page_has_room(out)) {
			left++;
			continue;
		}
		if (!any)
			str_addf(out,
				"<div class=\"wide\"><table class=\"ledger\"><caption>%s</caption>"
				"<thead><tr><th scope=\"col\">Check</th><th scope=\"col\">%s</th>"
				"</tr></thead><tbody>\n",
				caption, heading);
		any = true;
		str_add(out, "<tr><th scope=\"row\">");
		page_cut(out, result->check->name, NAME_COLUMNS);
		str_add(out, "</th><td>");
		page_cut(out, first_text(result->reason, result->summary), TEXT_COLUMNS);
		str_add(out, "</td></tr>\n");
	}
	str_add(out, any ? "</tbody></table></div>\n" : "");
	add_left(out, left);
}

void page_ledger(struct str *out, const struct story *story)
{
	str_add(out,
		"<section aria-labelledby=\"not\"><h2 id=\"not\">The ledger: what it is "
		"not</h2>\n");
	add_cleared(out, story);
	parts_add_chips(out, story->report, "Ruled out, since it was idle", is_idle);
	parts_add_reasons(out, story->report, "Good, but not ruled out: nothing accuses these",
		"Why they are not", is_merely_good);
	parts_add_reasons(out, story->report, "Not examined: nothing is said of these",
		unexamined_column(story), parts_is_unexamined);
	parts_add_chips(out, story->report, "Does not apply here", is_skipped);
	str_add(out, "</section>\n");
}
