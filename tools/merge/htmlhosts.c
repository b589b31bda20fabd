/* SPDX-License-Identifier: GPL-2.0-only */
/* Each host of the fleet, for who looks for one. */
#include "base/banned.h"
#include "base/escape.h"
#include "output/html_page.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/htmlparts.h"
#include "tools/merge/clusters.h"
#include "tools/merge/htmlhosts.h"

#define ROWS 50 /* as in page.js */

static void html_hosts_add_accusations(
	struct str *out, const struct fleet *fleet, const struct host *host)
{
	size_t i, said = 0;

	for (i = 0; i < fleet->n_checks; i++) {
		uint32_t check = fleet->order[i];
		uint8_t cell = host_cell(host, check);
		const struct accusation *accusation;

		if (cell == CELL_ABSENT || !verdict_is_worse(CELL_VERDICT(cell), VERDICT_UNKNOWN))
			continue;
		accusation = host_accusation(host, check);
		str_addf(out, "%s<b class=\"%s\">", said++ ? "<br>" : "",
			verdict_text(CELL_VERDICT(cell)));
		escape_html(out, check_name(fleet, check));
		str_addf(out, "</b> <span class=\"faint\">%s</span> ",
			verdict_text(CELL_VERDICT(cell)));
		if (accusation)
			escape_html(out, fleet_text(fleet, accusation->summary));
	}
}

static void add_host(struct str *out, const struct fleet *fleet, const struct host *host)
{
	str_add(out, "<tr><th scope=\"row\">");
	escape_html(out, fleet_text(fleet, host->shown));
	str_add(out, "</th><td>");
	page_verdict(out, host->verdict);
	str_add(out, host->stale ? " <span class=\"faint\">stale</span></td><td>" : "</td><td>");
	html_hosts_add_accusations(out, fleet, host);
	str_add(out, "</td></tr>\n");
}

void html_hosts(struct str *out, const struct fleet *fleet)
{
	size_t *hosts = worst_hosts(fleet), i;

	str_add(out,
		"<section aria-labelledby=\"hosts\"><h2 id=\"hosts\">Hosts</h2>\n<form "
		"class=\"search\" hidden><label>Search <input type=\"search\" "
		"placeholder=\"web7   disk   bad:disk   kernel=6.1\" size=\"36\"></label> "
		"<span role=\"status\" class=\"faint\"></span></form>\n<div class=\"wide\"><table "
		"class=\"hosts\"><thead><tr><th scope=\"col\">Host</th><th "
		"scope=\"col\">Verdict</th><th scope=\"col\">Accused by</th></tr></thead>\n"
		"<tbody>\n");
	for (i = 0; i < fleet->n_hosts && i < ROWS; i++)
		add_host(out, fleet, &fleet->hosts[hosts[i]]);
	str_add(out, "</tbody></table></div>\n");
	if (fleet->n_hosts > ROWS)
		str_addf(out, "<p class=\"more faint\">The worst %d of %zu.</p>\n", ROWS,
			fleet->n_hosts);
	str_add(out,
		"<p class=\"pages\" hidden><button type=\"button\">Previous</button> "
		"<button type=\"button\">Next</button></p></section>\n");
	free(hosts);
}

/* Texts get new numbers, in the order in which they are met. */
struct numbering {
	const struct fleet *fleet;
	uint32_t *numbers; /* by word: 1 + the new number */
	uint32_t *words;
	size_t n;
};

static uint32_t html_hosts_number_of(struct numbering *numbering, uint32_t word)
{
	if (!numbering->numbers[word]) {
		numbering->words[numbering->n++] = word;
		numbering->numbers[word] = (uint32_t)numbering->n;
	}
	return numbering->numbers[word] - 1;
}

/* What is worst first: page.js shows them in this order. */
static void html_hosts_add_data(struct str *out, struct numbering *numbering, const uint32_t *place,
	const struct host *host)
{
	static const enum verdict order[] = {
		VERDICT_BAD, VERDICT_MAYBE, VERDICT_UNKNOWN, VERDICT_GOOD, VERDICT_SKIP};
	size_t rank, i, said = 0;

	for (rank = 0; rank < ARRAY_SIZE(order); rank++)
		for (i = 0; i < host->n_accusations; i++) {
			const struct accusation *accusation = &host->accusations[i];
			unsigned int verdict = CELL_VERDICT(host_cell(host, accusation->check));

			if (verdict != order[rank])
				continue;
			str_addf(out, "%s%u,%u,%u,%u", said++ ? "," : "", place[accusation->check],
				verdict, html_hosts_number_of(numbering, accusation->summary),
				html_hosts_number_of(numbering, accusation->culprit));
		}
}

static void add_data_host(struct str *out, struct numbering *numbering, const uint32_t *place,
	const struct host *host)
{
	const struct fleet *fleet = numbering->fleet;
	uint32_t i;

	str_addc(out, '[');
	escape_script(out, fleet_text(fleet, host->shown));
	str_addf(out, ",%d,%d,[", host->verdict, host->stale);
	for (i = 0; i < fleet->n_labels; i++)
		str_addf(out, i ? ",%u" : "%u",
			html_hosts_number_of(numbering, host_value(host, i)));
	str_add(out, "],[");
	html_hosts_add_data(out, numbering, place, host);
	str_add(out, "]]");
}

static void html_hosts_add_list(struct str *out, const char *key, const struct fleet *fleet,
	const uint32_t *words, size_t n)
{
	size_t i;

	str_addf(out, "\"%s\":[", key);
	for (i = 0; i < n; i++) {
		str_add(out, i ? "," : "");
		escape_script(out, fleet_text(fleet, words[i]));
	}
	str_add(out, "]");
}

static void add_heads(struct str *out, const struct fleet *fleet)
{
	uint32_t *words =
		mem_realloc_array(NULL, fleet->n_checks + fleet->n_labels + 1, sizeof(*words));
	size_t i;

	for (i = 0; i < fleet->n_checks; i++)
		words[i] = fleet->checks[fleet->order[i]].name;
	html_hosts_add_list(out, "checks", fleet, words, fleet->n_checks);
	for (i = 0; i < fleet->n_labels; i++)
		words[i] = fleet->labels[i].name;
	str_addc(out, ',');
	html_hosts_add_list(out, "labels", fleet, words, fleet->n_labels);
	free(words);
}

void html_data(struct str *out, const struct fleet *fleet)
{
	struct numbering numbering = {.fleet = fleet};
	uint32_t *place = mem_zalloc((fleet->n_checks + 1) * sizeof(*place));
	size_t *hosts = worst_hosts(fleet), i;

	numbering.numbers = mem_zalloc((fleet->words.n + 1) * sizeof(uint32_t));
	numbering.words = mem_zalloc((fleet->words.n + 1) * sizeof(uint32_t));
	html_hosts_number_of(&numbering, NO_WORD);
	for (i = 0; i < fleet->n_checks; i++)
		place[fleet->order[i]] = (uint32_t)i;
	str_add(out, "<script type=\"application/json\" id=\"data\">{");
	add_heads(out, fleet);
	str_add(out, ",\"hosts\":[");
	for (i = 0; i < fleet->n_hosts; i++) {
		str_add(out, i ? ",\n" : "\n");
		add_data_host(out, &numbering, place, &fleet->hosts[hosts[i]]);
	}
	str_add(out, "],\n");
	html_hosts_add_list(out, "texts", fleet, numbering.words, numbering.n);
	str_add(out, "}</script>\n");
	free(numbering.numbers);
	free(numbering.words);
	free(place);
	free(hosts);
}
