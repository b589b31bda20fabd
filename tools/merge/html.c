/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does somebody see who opens the fleet in a browser?
 *
 * What matters stands in the page as it is and needs no script: what stands out, the patterns, the
 * ledger, the worst hosts. The script adds the search through all hosts, of which it shows fifty at
 * a time, so that ten thousand are as quick as ten. Nothing is fetched from anywhere: the page says
 * so to the browser, which then refuses whatever a hostile name might ask for.
 */
#include "base/banned.h"

#include <time.h>

#include "base/escape.h"
#include "output/html_page.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/htmlparts.h"
#include "tools/merge/html.h"
#include "tools/merge/htmlhosts.h"

extern const char merge_page_css[], merge_page_css_end[];
extern const char merge_page_js[], merge_page_js_end[];

static void fleet_html_add_head(struct str *out, const struct fleet *fleet, struct page *page)
{
	char *title =
		mem_printf("Tuesday: %s on %zu hosts", verdict_text(fleet->verdict), fleet->seen);

	*page = (struct page){
		.title = title,
		.css = merge_page_css,
		.css_end = merge_page_css_end,
		.jump = "#hosts",
		.jump_text = "To the hosts",
		.script = true,
	};
	page_begin(out, page);
	free(title);
}

static void add_tile(
	struct str *out, enum verdict verdict, size_t n, const char *what, const char *class)
{
	str_addf(out, "<li class=\"tile %s\"><b>%zu</b> <span>%s</span></li>\n",
		*class ? class : verdict_text(verdict), n, what);
}

static void fleet_html_add_title(struct str *out, const struct fleet *fleet)
{
	struct tm utc;
	char when[64] = "";

	if (fleet->median && gmtime_r(&fleet->median, &utc))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &utc);
	str_addf(out, "<header>\n<p class=\"brand\">Tuesday <span>%s</span></p>\n<h1>%zu host%s ",
		when, fleet->seen, fleet->seen == 1 ? "" : "s");
	page_verdict(out, fleet->verdict);
	str_add(out, "</h1>\n");
	if (fleet->type.name) {
		str_addf(out, "<p class=\"type\">Looks <strong>%s</strong>: ", fleet->type.name);
		escape_html(out, fleet->type.why);
		str_add(out, ".</p>\n");
	} else {
		str_add(out,
			"<p class=\"type\">Nothing is accused on any host that was seen.</p>\n");
	}
	str_add(out, "<ul class=\"tiles\" aria-label=\"Hosts by verdict\">\n");
	add_tile(out, VERDICT_BAD, fleet->hosts_by[VERDICT_BAD], "bad", "");
	add_tile(out, VERDICT_MAYBE, fleet->hosts_by[VERDICT_MAYBE], "maybe", "");
	add_tile(out, VERDICT_UNKNOWN, fleet->hosts_by[VERDICT_UNKNOWN], "unknown", "");
	add_tile(out, VERDICT_GOOD, fleet->hosts_by[VERDICT_GOOD] + fleet->hosts_by[VERDICT_SKIP],
		"good", "");
	if (fleet->n_missing || fleet->has_expected)
		add_tile(out, VERDICT_SKIP, fleet->n_missing, "missing",
			fleet->n_missing ? "unseen" : "skip");
	if (fleet->stale)
		add_tile(out, VERDICT_SKIP, fleet->stale, "stale", "unseen");
	if (fleet->n_refused)
		add_tile(out, VERDICT_SKIP, fleet->n_refused, "refused", "unseen");
	str_add(out, "</ul>\n</header>\n<main>\n");
}

static void fleet_html_add_footer(struct str *out, const struct fleet *fleet)
{
	str_addf(out,
		"<section aria-labelledby=\"how\"><h2 id=\"how\">How this was found</h2>\n<p>Each "
		"value of each label was compared between the hosts that a check accuses and those "
		"that it calls good, by Fisher's exact test, one-sided. Of all comparisons %zu "
		"could have been significant; the chance that a single one of those that are "
		"called so is not is held below 5 %% (Tarone 1990). What is shared is a lead "
		"and no proof: two labels that go together cannot be told apart.</p>\n"
		"<p>What a check is, and how its verdict is found: <code>tuesday explain "
		"CHECK</code>. This page makes no request and needs no network.</p></section>\n",
		fleet->comparisons);
	str_add(out, "</main>\n");
}

void fleet_as_html(struct str *out, const struct fleet *fleet)
{
	struct page page;

	fleet_html_add_head(out, fleet, &page);
	fleet_html_add_title(out, fleet);
	html_outliers(out, fleet);
	html_patterns(out, fleet);
	html_hosts(out, fleet);
	html_ledger(out, fleet);
	html_notes(out, fleet);
	fleet_html_add_footer(out, fleet);
	if (*page.nonce)
		html_data(out, fleet);
	page_script(out, &page, merge_page_js, merge_page_js_end);
	page_end(out);
}
