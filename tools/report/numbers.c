/* SPDX-License-Identifier: GPL-2.0-only */
/* How does each number stand against its limits, what was tried, and what else must be known? */
#include "base/banned.h"
#include "report/metric_text.h"
#include "output/html_page.h"
#include "base/str.h"
#include "output/writer.h"
#include "tools/report/phrases.h"
#include "base/unit.h"
#include "tools/report/numbers.h"
#include "tools/report/parts.h"
#include "tools/report/series.h"
#include "tools/report/areas.h"
#include "tools/report/history.h"
#include "tools/report/status.h"
#include "tools/report/model.h"
#include "tools/report/html.h"

#define TEXT_COLUMNS 300
#define NAME_COLUMNS 80
/* Beyond these the page has no more pictures, and then no more numbers. */
#define PICTURE_BYTES (PAGE_BYTES_MAX / 2)
#define ROW_BYTES (PAGE_BYTES_MAX - PAGE_BYTES_MAX / 8)

static void numbers_add_value(struct str *out, double value, enum unit unit)
{
	struct str text = STR_INIT;

	value_for_people(&text, value, unit);
	page_unbroken(out, str_text(&text));
	str_free(&text);
}

static void numbers_add_usual(struct str *out, const struct metric_result *metric)
{
	enum unit unit = metric->metric->unit;

	if (!metric->normal.runs)
		return;
	numbers_add_value(out, metric->normal.low, unit);
	str_add(out, " to ");
	numbers_add_value(out, metric->normal.high, unit);
}

static void numbers_add_row(struct str *out, const struct story *story, const char *check,
	const struct metric_result *metric)
{
	const struct trail *trail = past_trail(&story->past, check, metric);
	struct str text = STR_INIT;

	say_metric(&text, "", metric->metric->name, instance_of(metric));
	str_add(out, "<tr><th scope=\"row\" class=\"names\">");
	page_cut(out, str_text(&text) + 1, NAME_COLUMNS);
	str_add(out, "</th><td class=\"number\">");
	numbers_add_value(out, metric->value, metric->metric->unit);
	str_add(out, "</td><td class=\"light\">");
	page_verdict(out, metric->verdict);
	if (metric->idle)
		str_add(out, " <span class=\"faint\">idle</span>");
	str_clear(&text);
	metric_limits(&text, ", ", metric);
	str_add(out, "</td><td class=\"limits\">");
	page_unbroken(out, text.len ? str_text(&text) + 2 : "");
	str_add(out, "</td>");
	if (story->past.known) {
		str_add(out, "<td class=\"normal\">");
		numbers_add_usual(out, metric);
		str_add(out, "</td><td>");
		if (trail && trail->n && out->len < PICTURE_BYTES)
			svg_trail(out, trail, metric);
		str_add(out, "</td>");
	}
	str_add(out, "</tr>\n");
	str_free(&text);
}

static size_t count_shown(const struct check_result *result)
{
	size_t n = 0, i;

	for (i = 0; i < result->n_metrics; i++)
		n += is_shown(result, &result->metrics[i]);
	return n;
}

/* Returns how many numbers had no room. */
static size_t numbers_add_check(
	struct str *out, const struct story *story, const struct check_result *result)
{
	size_t shown = count_shown(result), left = 0, i;

	if (!shown)
		return 0;
	if (out->len > ROW_BYTES)
		return shown;
	str_addf(out, "<tbody><tr class=\"check\"><th scope=\"rowgroup\" colspan=\"%d\">",
		story->past.known ? 6 : 4);
	page_verdict(out, result->verdict);
	str_addc(out, ' ');
	page_cut(out, result->check->name, NAME_COLUMNS);
	str_add(out, " <span class=\"faint\">");
	page_cut(out, first_text(result->summary, result->reason), TEXT_COLUMNS);
	str_add(out, "</span></th></tr>\n");
	for (i = 0; i < result->n_metrics; i++) {
		if (!is_shown(result, &result->metrics[i]))
			continue;
		if (out->len > ROW_BYTES)
			left++;
		else
			numbers_add_row(out, story, result->check->name, &result->metrics[i]);
	}
	str_add(out, "</tbody>\n");
	return left;
}

static size_t numbers_add_area(struct str *out, const struct story *story, const struct area *area)
{
	size_t shown = 0, left = 0, i;

	for (i = 0; i < area->n; i++)
		shown += count_shown(&story->report->checks[area->checks[i]]);
	if (!shown || out->len > ROW_BYTES)
		return shown;
	str_add(out, "<div class=\"wide\"><table class=\"numbers\"><caption>");
	page_cut(out, area->title, NAME_COLUMNS);
	str_add(out,
		"</caption><thead><tr><th scope=\"col\">Number</th><th scope=\"col\" "
		"class=\"number\">Now</th><th scope=\"col\">Verdict</th><th scope=\"col\">Limits"
		"</th>");
	if (story->past.known)
		str_add(out,
			"<th scope=\"col\">Usual at this hour</th><th scope=\"col\">Before</th>");
	str_add(out, "</tr></thead>\n");
	for (i = 0; i < area->n; i++)
		left += numbers_add_check(out, story, &story->report->checks[area->checks[i]]);
	str_add(out, "</table></div>\n");
	return left;
}

void page_numbers(struct str *out, const struct story *story)
{
	const struct past *past = &story->past;
	size_t left = 0, i;

	str_add(out,
		"<section aria-labelledby=\"numbers\"><h2 id=\"numbers\">All numbers against their "
		"limits</h2>\n");
	if (past->known) {
		str_add(out, "<p class=\"faint\">The lines are how a number was from ");
		say_time(out, past->from);
		str_add(out, " to ");
		say_time(out, past->to);
		str_add(out,
			": in each of 48 parts of that time the value that accuses most. Dashed: "
			"the limits, where they are near. The bar at the end: what is usual here "
			"at this hour.</p>\n");
	}
	for (i = 0; i < story->areas.n; i++)
		left += numbers_add_area(out, story, &story->areas.list[i]);
	if (left)
		str_addf(out, "<p>%zu more numbers have no room here.</p>\n", left);
	str_add(out, "</section>\n");
}

static void add_experiment(
	struct str *out, const char *check, const struct experiment_result *result)
{
	str_add(out, "<tr><th scope=\"row\">");
	page_cut(out, check, NAME_COLUMNS);
	str_addc(out, '/');
	page_cut(out, result->name, NAME_COLUMNS);
	str_addf(out, "</th><td>%s</td><td>", answer_text(result->answer));
	page_cut(out, first_text(result->summary, result->why), TEXT_COLUMNS);
	if (result->left) {
		str_add(out, "<br><strong>Not put back: ");
		page_cut(out, result->left, TEXT_COLUMNS);
		str_add(out, "</strong>");
	}
	if (result->however) {
		str_add(out, "<br><span class=\"faint\">However: ");
		page_cut(out, result->however, TEXT_COLUMNS);
		str_add(out, "</span>");
	}
	str_add(out, "</td></tr>\n");
}

static void numbers_add_experiments(struct str *out, const struct report *report)
{
	bool any = false;
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_experiments; k++) {
			if (!any)
				str_add(out,
					"<section aria-labelledby=\"tried\"><h2 id=\"tried\">What "
					"was tried</h2>\n<div class=\"wide\"><table><caption>"
					"Experiments</caption><thead><tr><th scope=\"col\">"
					"Experiment</th><th scope=\"col\">Answer</th><th "
					"scope=\"col\">What it says</th></tr></thead><tbody>\n");
			any = true;
			add_experiment(out, report->checks[i].check->name,
				&report->checks[i].experiments[k]);
		}
	str_add(out, any ? "</tbody></table></div></section>\n" : "");
}

static void numbers_add_note(struct str *out, bool *any, const char *label, const char *text)
{
	if (!text || !page_has_room(out))
		return;
	if (!*any)
		str_add(out,
			"<section aria-labelledby=\"notes\"><h2 id=\"notes\">To be known beside "
			"this</h2>\n<ul>\n");
	*any = true;
	str_addf(out, "<li>%s", label);
	page_cut(out, text, TEXT_COLUMNS);
	str_add(out, "</li>\n");
}

static void numbers_add_howevers(struct str *out, const struct report *report, bool *any)
{
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; !is_accused(&report->checks[i]) && k < report->checks[i].n_howevers;
			k++) {
			char *text = mem_printf("%s: %s", report->checks[i].check->name,
				report->checks[i].howevers[k]);

			numbers_add_note(out, any, "However, ", text);
			free(text);
		}
}

void page_notes(struct str *out, const struct story *story)
{
	const struct report *report = story->report;
	bool any = false;
	size_t i;

	numbers_add_experiments(out, report);
	if (report->interrupted)
		numbers_add_note(out, &any, "",
			"The run was interrupted: verdicts are from what was seen until then.");
	numbers_add_note(out, &any,
		"An experiment was under way and may have caused these findings: ",
		report->under_way);
	for (i = 0; i < report->n_muted; i++)
		numbers_add_note(
			out, &any, "Muted, notifications suppressed: ", report->muted[i].check);
	for (i = 0; i < report->n_errors; i++)
		numbers_add_note(out, &any, "Refused: ", report->errors[i]);
	if (report->continued.asked)
		numbers_add_note(out, &any, "Since the last run: ", report->continued.context);
	numbers_add_howevers(out, report, &any);
	str_add(out, any ? "</ul></section>\n" : "");
}
