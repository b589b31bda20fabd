/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does somebody see who opens the report in a browser?
 *
 * One page without a script: it is read from a ticket, on a phone, by a screen reader and on paper.
 * Whatever has a colour has its word beside it.
 */
#include "base/banned.h"
#include "base/escape.h"
#include "output/html_page.h"
#include "report/announced_text.h"
#include "base/str.h"
#include "tools/report/phrases.h"
#include "tools/report/html.h"
#include "tools/report/diagram.h"
#include "tools/report/parts.h"
#include "tools/report/numbers.h"
#include "tools/report/status.h"

#define TEXT_COLUMNS 400

extern const char report_page_css[], report_page_css_end[];

static void story_html_add_header(struct str *out, const struct story *story)
{
	const struct report *report = story->report;
	struct str text = STR_INIT;

	say_time(&text, report->time_start);
	str_addf(out, "<header>\n<p class=\"brand\">Tuesday <span>%s</span></p>\n<h1>",
		str_text(&text));
	page_cut(out, first_text(report->host, "an unknown host"), 100);
	str_addc(out, ' ');
	page_verdict(out, report->verdict);
	str_add(out, "</h1>\n<p class=\"faint\">");
	str_clear(&text);
	say_machine(&text, report);
	page_cut(out, str_text(&text), TEXT_COLUMNS);
	str_add(out, "</p>\n");
	if (report->type.name) {
		str_add(out, "<p class=\"type\">Type: <strong>");
		page_cut(out, report->type.name, 40);
		str_add(out, "</strong>, because ");
		page_cut(out, first_text(report->type.why, "it says so"), TEXT_COLUMNS);
		str_add(out, ".</p>\n");
	} else {
		str_add(out, "<p class=\"type\">Nothing is accused.</p>\n");
	}
	if (report->n_announced) {
		str_clear(&text);
		report_announced(&text, report);
		str_add(out, "<p class=\"note\">During what was announced: ");
		page_cut(out, str_text(&text), TEXT_COLUMNS);
		str_add(out, ".</p>\n");
	}
	if (story->note) {
		str_add(out, "<p class=\"note\">");
		page_cut(out, story->note, TEXT_COLUMNS);
		str_add(out, "</p>\n");
	}
	if (whose_words(story))
		str_addf(out, "<p class=\"note\">%s</p>\n", whose_words(story));
	str_add(out, "</header>\n<main>\n");
	str_free(&text);
}

static void story_html_add_status(struct str *out, const struct story *story)
{
	static const char *const classes[] = {
		[SAYS_NOT] = "good",
		[SAYS_MAYBE] = "maybe",
		[SAYS_IS] = "bad",
		[SAYS_UNKNOWN] = "unknown",
	};
	size_t i;

	str_add(out,
		"<section aria-labelledby=\"now\"><h2 id=\"now\">What is known now</h2>\n"
		"<ul class=\"status\">\n");
	for (i = 0; i < story->status.n; i++) {
		const struct sentence *sentence = &story->status.list[i];

		str_addf(out, "<li><span class=\"badge %s\">%s</span> <span>",
			classes[sentence->kind], sentence_word(sentence->kind));
		page_cut(out, sentence->text, TEXT_COLUMNS);
		str_add(out, "</span></li>\n");
	}
	str_add(out, "</ul></section>\n");
}

static void story_html_add_footer(struct str *out, const struct report *report)
{
	struct str text = STR_INIT;

	str_add(out, "</main>\n<footer>\n<p>");
	say_cost(&text, &report->cost);
	str_addf(out, "This run cost %s. ", str_text(&text));
	str_add(out, "Tuesday ");
	page_cut(out, first_text(report->version, "of an unknown version"), 64);
	if (*report->id) {
		str_add(out, ", report <code>");
		page_cut(out, report->id, 32);
		str_add(out, "</code>");
	}
	str_add(out,
		".</p>\n<p>What a check asks, where each limit comes from and what a number cannot "
		"see: <code>tuesday explain CHECK</code>. This page makes no request and needs no "
		"network.</p>\n</footer>\n");
	str_free(&text);
}

void story_as_html(struct str *out, const struct story *story)
{
	const struct report *report = story->report;
	char *title = mem_printf("Tuesday: %s is %s", first_text(report->host, "an unknown host"),
		verdict_text(report->verdict));
	struct page page = {
		.title = title,
		.css = report_page_css,
		.css_end = report_page_css_end,
		.jump = "#now",
		.jump_text = "To what is known now",
	};

	page_begin(out, &page);
	story_html_add_header(out, story);
	story_html_add_status(out, story);
	page_diagram(out, story);
	page_accused(out, story);
	page_next(out, story);
	page_changed(out, story);
	page_ledger(out, story);
	page_notes(out, story);
	page_numbers(out, story);
	story_html_add_footer(out, report);
	page_end(out);
	free(title);
}
