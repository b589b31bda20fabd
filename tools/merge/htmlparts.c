/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands out, who says the same, and what is it not? */
#include "base/banned.h"
#include "base/escape.h"
#include "output/html_page.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/htmlparts.h"
#include "tools/merge/phrases.h"
#include "tools/merge/clusters.h"
#include "tools/merge/compare.h"
#include "tools/merge/name_folding.h"

#define SHARED_MAX 6
#define PATTERNS_MAX 40
#define COLUMNS_MAX 40
#define NAMES_COLUMNS 300
#define PATTERN_COLUMNS 100
#define REFUSED_MAX 50

static void html_add_row(struct str *out, const char *term, const char *text)
{
	str_addf(out, "<dt>%s</dt><dd>", term);
	escape_html(out, text);
	str_add(out, "</dd>\n");
}

static void html_add_shared(struct str *out, const struct fleet *fleet, uint32_t check)
{
	const char *why = why_not_shared(fleet, check);
	const struct shared *shared;
	struct str text = STR_INIT;
	size_t n, i;

	shared = fleet_shared(fleet, check, &n);
	str_add(out, "<dt>They share</dt><dd>");
	if (!why)
		str_add(out, "<ul>");
	for (i = 0; !why && i < n && i < SHARED_MAX && shared[i].significant; i++) {
		str_clear(&text);
		say_shared(&text, fleet, &shared[i]);
		str_add(out, "<li>");
		escape_html(out, str_text(&text));
		str_add(out, "</li>");
	}
	str_clear(&text);
	if (!why && say_together(&text, fleet, check))
		str_addf(out, "<li class=\"faint\">%s</li>", str_text(&text));
	if (!why)
		str_add(out, "</ul>");
	if (why && n && shared->accused == shared->accused_of && shared->accused > 1) {
		say_shared(&text, fleet, shared);
		escape_html(out, str_text(&text));
		str_add(out, "<br>");
	}
	if (why)
		str_addf(out, "<span class=\"faint\">%s</span>", why);
	str_add(out, "</dd>\n");
	str_free(&text);
}

static void html_add_names(
	struct str *out, const struct fleet *fleet, const size_t *hosts, size_t n, size_t columns)
{
	struct str names = STR_INIT;

	add_hosts(&names, fleet, hosts, n, columns);
	escape_html_only(out, str_text(&names));
	str_free(&names);
}

static void html_add_witness(
	struct str *out, const struct fleet *fleet, uint32_t check, size_t host)
{
	const struct accusation *accusation = host_accusation(&fleet->hosts[host], check);
	char *text;

	if (!accusation || !accusation->summary)
		return;
	text = mem_printf("%s: %s", fleet_text(fleet, fleet->hosts[host].shown),
		fleet_text(fleet, accusation->summary));
	html_add_row(out, "As on", text);
	free(text);
}

/* A share as a bar. No style attribute: the page forbids them to all. */
static void html_bar(struct str *out, size_t n, size_t of)
{
	double share = of ? 100.0 * (double)n / (double)of : 0;

	str_addf(out,
		"<svg class=\"bar\" width=\"100%%\" height=\"8\" role=\"img\" aria-label=\"%zu of "
		"%zu "
		"hosts\"><rect width=\"100%%\" height=\"8\" rx=\"4\"/><rect class=\"part\" "
		"width=\"%.2f%%\" height=\"8\" rx=\"4\"/></svg>\n",
		n, of, share);
}

static void add_outlier(struct str *out, const struct fleet *fleet, uint32_t check)
{
	const struct fleet_check *counts = &fleet->checks[check];
	size_t n, blamed, of = check_examined(counts), *hosts = accused_hosts(fleet, check, &n);
	enum verdict worst = check_worst(counts);
	const char *culprit;
	char *text;

	str_addf(out, "<article class=\"card %s\"><h3>", verdict_text(worst));
	page_verdict(out, worst);
	str_addc(out, ' ');
	escape_html(out, check_name(fleet, check));
	str_addf(out, " <span class=\"faint\">on %zu of %zu</span></h3>\n", n, of);
	html_bar(out, n, of);
	str_add(out, "<dl>\n");
	html_add_shared(out, fleet, check);
	str_add(out, "<dt>Hosts</dt><dd class=\"names\">");
	html_add_names(out, fleet, hosts, n, NAMES_COLUMNS);
	str_add(out, "</dd>\n");
	if (common_culprit(fleet, check, &culprit, &blamed)) {
		text = mem_printf("%s, on %zu of %zu", culprit, blamed, n);
		html_add_row(out, "Blamed", text);
		free(text);
	}
	if (n)
		html_add_witness(out, fleet, check, hosts[0]);
	if (worst == VERDICT_BAD && counts->counts[VERDICT_MAYBE])
		str_addf(out, "<dt>And</dt><dd>maybe on %zu more</dd>\n",
			counts->counts[VERDICT_MAYBE]);
	str_add(out, "</dl></article>\n");
	free(hosts);
}

static void html_add_single(struct str *out, const struct fleet *fleet, uint32_t check)
{
	size_t n, *hosts = accused_hosts(fleet, check, &n);
	const struct host *host = &fleet->hosts[hosts[0]];
	const struct accusation *accusation = host_accusation(host, check);

	str_add(out, "<tr><td>");
	page_verdict(out, check_worst(&fleet->checks[check]));
	str_add(out, "</td><th scope=\"row\">");
	escape_html(out, check_name(fleet, check));
	str_add(out, "</th><td class=\"names\">");
	escape_html(out, fleet_text(fleet, host->shown));
	str_add(out, "</td><td>");
	escape_html(out, accusation ? fleet_text(fleet, accusation->summary) : "");
	str_add(out, "</td></tr>\n");
	free(hosts);
}

/* What is wrong on one host alone has nothing to be compared with. */
static void add_singles(struct str *out, const struct fleet *fleet)
{
	bool any = false;
	size_t i;

	for (i = 0; i < fleet->n_checks; i++) {
		if (check_accused(&fleet->checks[fleet->order[i]]) != 1)
			continue;
		if (!any)
			str_add(out,
				"<h3>On one host alone</h3><div class=\"wide\"><table "
				"class=\"alone\"><thead><tr>"
				"<th scope=\"col\">Verdict</th><th scope=\"col\">Check</th>"
				"<th scope=\"col\">Host</th><th scope=\"col\">What it says</th>"
				"</tr></thead><tbody>\n");
		any = true;
		html_add_single(out, fleet, fleet->order[i]);
	}
	str_add(out, any ? "</tbody></table></div>\n" : "");
}

void html_outliers(struct str *out, const struct fleet *fleet)
{
	bool any = false;
	size_t i;

	str_add(out,
		"<section aria-labelledby=\"out\"><h2 id=\"out\">What stands out</h2>\n"
		"<div class=\"cards\">\n");
	for (i = 0; i < fleet->n_checks; i++) {
		size_t n = check_accused(&fleet->checks[fleet->order[i]]);

		any |= n > 0;
		if (n > 1)
			add_outlier(out, fleet, fleet->order[i]);
	}
	str_add(out, any ? "</div>\n" : "</div><p>Nothing is accused on any host.</p>\n");
	add_singles(out, fleet);
	str_add(out, "</section>\n");
}

static void add_cell(struct str *out, unsigned int cell)
{
	const char *word = cell == CELL_ABSENT ? "absent" : verdict_text(CELL_VERDICT(cell));

	str_addf(out, "<td class=\"cell %s\"><abbr title=\"%s\">%c</abbr></td>", word, word,
		cell_sign(cell));
}

static void add_pattern(struct str *out, const struct fleet *fleet, const struct patterns *patterns,
	const struct pattern *pattern, size_t columns)
{
	const size_t *hosts = patterns->hosts + pattern->first;
	size_t i;

	str_addf(out, "<tr><td class=\"number\">%zu</td><th scope=\"row\" class=\"names which\">",
		pattern->n);
	html_add_names(out, fleet, hosts, pattern->n, PATTERN_COLUMNS);
	str_add(out, "</th>");
	for (i = 0; i < columns; i++)
		add_cell(out, host_cell(&fleet->hosts[*hosts], patterns->columns[i]));
	str_add(out, "</tr>\n");
}

static void add_pattern_head(
	struct str *out, const struct fleet *fleet, const struct patterns *patterns, size_t columns)
{
	size_t i;

	str_add(out,
		"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"same\">"
		"<table class=\"matrix\">\n<thead><tr><th scope=\"col\" class=\"number\">Hosts"
		"</th><th scope=\"col\" class=\"which\">Which</th>");
	for (i = 0; i < columns; i++) {
		str_add(out, "<th scope=\"col\" class=\"check\"><span>");
		escape_html(out, check_name(fleet, patterns->columns[i]));
		str_add(out, "</span></th>");
	}
	str_add(out, "</tr></thead>\n<tbody>\n");
}

void html_patterns(struct str *out, const struct fleet *fleet)
{
	struct patterns patterns;
	size_t columns, i, rest = 0;

	patterns_find(&patterns, fleet);
	columns = patterns.n_columns < COLUMNS_MAX ? patterns.n_columns : COLUMNS_MAX;
	if (columns) {
		str_add(out,
			"<section aria-labelledby=\"same\"><h2 id=\"same\">Hosts with the same "
			"verdicts</h2>\n"
			"<p class=\"faint\">A row is all hosts with the same verdicts: <b>.</b> "
			"good, <b>~</b> maybe, <b>#</b> bad, <b>?</b> unknown, <b>-</b> does not "
			"apply. Checks that are good everywhere are left out.</p>\n");
		add_pattern_head(out, fleet, &patterns, columns);
		for (i = 0; i < patterns.n; i++)
			if (i < PATTERNS_MAX)
				add_pattern(out, fleet, &patterns, &patterns.list[i], columns);
			else
				rest += patterns.list[i].n;
		str_add(out, "</tbody></table></div>\n");
		if (rest)
			str_addf(out,
				"<p class=\"faint\">And %zu hosts in %zu other patterns.</p>\n",
				rest, patterns.n - PATTERNS_MAX);
		str_add(out, "</section>\n");
	}
	patterns_free(&patterns);
}

static void html_add_chips(
	struct str *out, const struct fleet *fleet, const char *term, bool cleared)
{
	bool any = false;
	size_t i;

	for (i = 0; i < fleet->n_checks; i++) {
		const struct fleet_check *check = &fleet->checks[fleet->order[i]];
		size_t examined = check_examined(check);

		if (!examined || check->counts[VERDICT_GOOD] != examined ||
			(check->exonerated == examined) != cleared)
			continue;
		if (!any)
			str_addf(out, "<h3>%s</h3><ul class=\"chips\">", term);
		any = true;
		str_add(out, "<li>");
		escape_html(out, fleet_text(fleet, check->name));
		str_addf(out, " <span class=\"faint\">%zu</span></li>", examined);
	}
	str_add(out, any ? "</ul>\n" : "");
}

void html_ledger(struct str *out, const struct fleet *fleet)
{
	str_add(out, "<section aria-labelledby=\"not\"><h2 id=\"not\">What it is not</h2>\n");
	html_add_chips(out, fleet, "Cleared on every host that looked", true);
	html_add_chips(out, fleet, "Good on every host, not ruled out on all", false);
	str_add(out, "</section>\n");
}

static void html_add_note(struct str *out, const struct fleet *fleet, const char *title,
	const char *what, const uint32_t *words, size_t n)
{
	const char **names;
	struct str folded = STR_INIT;
	size_t i;

	if (!n)
		return;
	names = mem_realloc_array(NULL, n, sizeof(*names));
	for (i = 0; i < n; i++)
		names[i] = fleet_text(fleet, words[i]);
	fold_names(&folded, names, n, NAMES_COLUMNS);
	str_addf(out, "<dt>%s <span class=\"faint\">%zu</span></dt><dd><span class=\"names\">",
		title, n);
	escape_html_only(out, str_text(&folded));
	str_addf(out, "</span> <span class=\"faint\">%s</span></dd>\n", what);
	str_free(&folded);
	free(names);
}

static void html_add_flagged(struct str *out, const struct fleet *fleet, const char *title,
	const char *what, bool (*holds)(const struct host *host))
{
	size_t n;
	uint32_t *words = fleet_names_where(fleet, holds, &n);

	html_add_note(out, fleet, title, what, words, n);
	free(words);
}

static void html_add_refused(struct str *out, const struct fleet *fleet)
{
	size_t i;

	if (!fleet->n_refused)
		return;
	str_addf(
		out, "<dt>Refused <span class=\"faint\">%zu</span></dt><dd><ul>", fleet->n_refused);
	for (i = 0; i < fleet->kept_refused && i < REFUSED_MAX; i++) {
		str_add(out, "<li><code>");
		escape_html(out, fleet->refused[i].file);
		str_addf(out, "</code>: %s</li>", fleet->refused[i].why);
	}
	if (fleet->n_refused > i)
		str_addf(out, "<li>and %zu more</li>", fleet->n_refused - i);
	str_add(out, "</ul></dd>\n");
}

static void html_add_conflicts(struct str *out, const struct fleet *fleet)
{
	struct str text = STR_INIT;
	size_t i;

	if (!fleet->n_conflicts)
		return;
	str_addf(out, "<dt>Conflicts <span class=\"faint\">%zu</span></dt><dd><ul>",
		fleet->n_conflicts);
	for (i = 0; i < fleet->kept_conflicts && i < REFUSED_MAX; i++) {
		str_clear(&text);
		say_conflict(&text, fleet, &fleet->conflicts[i]);
		str_add(out, "<li>");
		escape_html(out, str_text(&text));
		str_add(out, "</li>");
	}
	if (fleet->n_conflicts > i)
		str_addf(out, "<li>and %zu more</li>", fleet->n_conflicts - i);
	str_addf(out, "</ul><span class=\"faint\">%s</span></dd>\n", CONFLICTS_MEAN);
	str_free(&text);
}

void html_notes(struct str *out, const struct fleet *fleet)
{
	str_add(out,
		"<section aria-labelledby=\"gaps\"><h2 id=\"gaps\">What was not seen</h2>\n<dl>\n");
	html_add_note(out, fleet, "Missing", "expected, and have not reported", fleet->missing,
		fleet->n_missing);
	html_add_flagged(
		out, fleet, "Stale", "much older than the others, and not counted", host_is_stale);
	html_add_flagged(
		out, fleet, "Clock ahead", "from the future, by the clock here", host_is_ahead);
	html_add_flagged(
		out, fleet, "Not expected", "report but are not in the list", host_is_unexpected);
	html_add_conflicts(out, fleet);
	html_add_refused(out, fleet);
	str_addf(out,
		"<dt>Reports</dt><dd>%zu read, %zu of them older ones of hosts that have a newer "
		"one</dd>\n</dl></section>\n",
		fleet->reports, fleet->duplicates);
}
