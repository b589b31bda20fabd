/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a person want to read who has asked a whole fleet? */
#include "base/banned.h"

#include <time.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "base/str.h"
#include "base/terminal.h"
#include "tools/merge/fleet.h"
#include "output/verdict_color.h"
#include "tools/merge/text.h"
#include "tools/merge/phrases.h"
#include "tools/merge/clusters.h"
#include "tools/merge/compare.h"
#include "tools/merge/name_folding.h"

#define COLUMNS 100
#define COLUMNS_LEAST 60 /* narrower terminals break the lines */
#define LABEL_COLUMNS 15
#define SHARED_MAX 4
#define PATTERNS_MAX 24 /* rows of the matrix, unless all are asked for */
#define MATRIX_CHECKS 40
#define LIST_MAX 10 /* refused files */
#define SINGLES_MAX 20
#define TEXT_COLUMNS 160
#define WORD_COLUMNS 10 /* two blanks and a verdict */
#define NAME_COLUMNS 32 /* of a host before its words */

struct page {
	struct str *out;
	const struct fleet *fleet;
	const struct print_options *options;
	size_t columns;
	size_t text_columns; /* of a line: what a terminal breaks would begin a line as ours do */
};

static void fleet_text_add_word(const struct page *page, enum verdict verdict)
{
	terminal_verdict(page->out, verdict, page->options->color);
	wrap_blanks(page->out, WORD_COLUMNS - 2 - strlen(verdict_text(verdict)));
}

static void fleet_text_add_title(const struct page *page)
{
	const struct fleet *fleet = page->fleet;
	struct tm utc;
	char when[64] = "";

	if (fleet->median && gmtime_r(&fleet->median, &utc))
		strftime(when, sizeof(when), ", %Y-%m-%d %H:%M UTC", &utc);
	str_addf(page->out, "Tuesday on %zu host%s%s", fleet->seen, fleet->seen == 1 ? "" : "s",
		when);
	if (fleet->n_missing)
		str_addf(page->out, ", %zu missing", fleet->n_missing);
	if (fleet->stale)
		str_addf(page->out, ", %zu stale", fleet->stale);
	if (fleet->n_refused)
		str_addf(page->out, ", %zu refused", fleet->n_refused);
	str_addf(page->out, "\n\n");
}

#define INDENT 11

/* An indented line of text that came from outside; the label is escaped already. */
static void fleet_text_add_line(const struct page *page, const char *label, const char *text)
{
	size_t at = INDENT + escape_columns(label);

	str_addf(page->out, "%*s%s", INDENT, "", label);
	escape_terminal_cut(page->out, text, page->text_columns - at);
	str_addc(page->out, '\n');
}

static void fleet_text_add_shared(const struct page *page, uint32_t check)
{
	const char *why = why_not_shared(page->fleet, check);
	const struct shared *shared;
	struct str text = STR_INIT;
	size_t n, i, said = 0;

	shared = fleet_shared(page->fleet, check, &n);
	for (i = 0; i < n && said < SHARED_MAX && !why; i++) {
		if (!shared[i].significant)
			break;
		str_clear(&text);
		say_shared(&text, page->fleet, &shared[i]);
		fleet_text_add_line(page, said++ ? "           " : "they share ", str_text(&text));
	}
	str_clear(&text);
	if (!why && say_together(&text, page->fleet, check))
		fleet_text_add_line(page, "           ", str_text(&text));
	/* What all of them have is said even if it may be chance, but not more than one. */
	if (why && n && shared->accused == shared->accused_of && shared->accused > 1) {
		say_shared(&text, page->fleet, shared);
		fleet_text_add_line(page, "they share ", str_text(&text));
	}
	if (why)
		fleet_text_add_line(page, "", why);
	str_free(&text);
}

static void fleet_text_add_accused(const struct page *page, uint32_t check)
{
	const struct fleet *fleet = page->fleet;
	const struct fleet_check *counts = &fleet->checks[check];
	const struct accusation *accusation;
	size_t n, blamed, *hosts = accused_hosts(fleet, check, &n);
	const char *culprit;
	struct str line = STR_INIT;

	str_add(page->out, "  ");
	fleet_text_add_word(page, check_worst(counts));
	str_addc(page->out, ' ');
	escape_terminal(page->out, check_name(fleet, check));
	str_addf(page->out, " on %zu of %zu: ", n, check_examined(counts));
	add_hosts(
		page->out, fleet, hosts, n, page->options->verbose ? SIZE_MAX / 2 : page->columns);
	str_addc(page->out, '\n');
	fleet_text_add_shared(page, check);
	if (common_culprit(fleet, check, &culprit, &blamed)) {
		str_addf(&line, "%s, on %zu of %zu", culprit, blamed, n);
		fleet_text_add_line(page, "blamed     ", str_text(&line));
	}
	accusation = n ? host_accusation(&fleet->hosts[hosts[0]], check) : NULL;
	if (accusation && accusation->summary) {
		str_clear(&line);
		str_add(&line, "as on      ");
		escape_name_cut(
			&line, fleet_text(fleet, fleet->hosts[hosts[0]].shown), NAME_COLUMNS);
		str_add(&line, ": ");
		fleet_text_add_line(page, str_text(&line), fleet_text(fleet, accusation->summary));
	}
	if (check_worst(counts) == VERDICT_BAD && counts->counts[VERDICT_MAYBE])
		str_addf(page->out, "           and maybe on %zu more\n",
			counts->counts[VERDICT_MAYBE]);
	str_free(&line);
	free(hosts);
}

/* What is wrong on one host alone has nothing to be compared with. */
static void fleet_text_add_single(const struct page *page, uint32_t check)
{
	const struct fleet *fleet = page->fleet;
	size_t n, *hosts = accused_hosts(fleet, check, &n);
	const struct host *host = &fleet->hosts[hosts[0]];
	const struct accusation *accusation = host_accusation(host, check);
	size_t begun;

	str_add(page->out, "  ");
	fleet_text_add_word(page, check_worst(&fleet->checks[check]));
	begun = page->out->len;
	str_addf(page->out, " %s on ", check_name(fleet, check));
	escape_name_cut(page->out, fleet_text(fleet, host->shown), NAME_COLUMNS);
	str_add(page->out, accusation && accusation->summary ? " alone: " : " alone");
	begun = WORD_COLUMNS + page->out->len - begun;
	if (accusation && accusation->summary)
		escape_terminal_cut(page->out, fleet_text(fleet, accusation->summary),
			begun + 3 < page->text_columns ? page->text_columns - begun : 3);
	str_addc(page->out, '\n');
	free(hosts);
}

/* What is wrong on several hosts, then what is on one. */
static void add_outliers(const struct page *page)
{
	const struct fleet *fleet = page->fleet;
	size_t singles = 0, i;

	for (i = 0; i < fleet->n_checks; i++)
		if (check_accused(&fleet->checks[fleet->order[i]]) > 1 ||
			(fleet->seen == 1 && check_accused(&fleet->checks[fleet->order[i]])))
			fleet_text_add_accused(page, fleet->order[i]);
	for (i = 0; i < fleet->n_checks && fleet->seen > 1; i++) {
		if (check_accused(&fleet->checks[fleet->order[i]]) != 1)
			continue;
		if (page->options->verbose || singles < SINGLES_MAX)
			fleet_text_add_single(page, fleet->order[i]);
		singles++;
	}
	if (singles > SINGLES_MAX && !page->options->verbose)
		str_addf(page->out, "  and %zu more checks, each on one host: see -v\n",
			singles - SINGLES_MAX);
	if (!fleet->hosts_by[VERDICT_BAD] && !fleet->hosts_by[VERDICT_MAYBE] && fleet->seen)
		str_addf(page->out, "  Nothing is accused on any host.\n");
}

/* The names of checks for which a condition holds, on one line. */
static void fleet_text_add_names(const struct page *page, const char *label,
	bool (*holds)(const struct fleet *fleet, const struct fleet_check *check))
{
	const struct fleet *fleet = page->fleet;
	size_t at = LABEL_COLUMNS, i;
	bool any = false;

	for (i = 0; i < fleet->n_checks; i++) {
		const struct fleet_check *check = &fleet->checks[fleet->order[i]];
		struct str name = STR_INIT;
		size_t width;

		if (!holds(fleet, check))
			continue;
		escape_terminal(&name, fleet_text(fleet, check->name));
		width = escape_columns(name.text) + 1;
		if (!any) {
			str_addf(page->out, "%-*s", LABEL_COLUMNS, label);
		} else if (at + width > page->columns) {
			str_addf(page->out, "\n%*s", LABEL_COLUMNS, "");
			at = LABEL_COLUMNS;
		}
		str_addf(page->out, "%s%s", any && at > LABEL_COLUMNS ? " " : "", name.text);
		at += width;
		any = true;
		str_free(&name);
	}
	str_add(page->out, any ? "\n" : "");
}

static bool is_cleared(const struct fleet *fleet, const struct fleet_check *check)
{
	(void)fleet;
	return check->exonerated && check->exonerated == check_examined(check);
}

static bool is_good_only(const struct fleet *fleet, const struct fleet_check *check)
{
	return check->counts[VERDICT_GOOD] &&
		check->counts[VERDICT_GOOD] == check_examined(check) && !is_cleared(fleet, check);
}

static bool is_unknown_somewhere(const struct fleet *fleet, const struct fleet_check *check)
{
	(void)fleet;
	return check->counts[VERDICT_UNKNOWN] && check_worst(check) == VERDICT_GOOD;
}

static void add_matrix_head(const struct page *page, const struct patterns *patterns, size_t n)
{
	size_t k, i;

	str_add(page->out, "\n" CELL_LEGEND "\n");
	for (k = 0; k < n; k++) {
		str_addf(page->out, "  %*s,", (int)k, "");
		for (i = k + 1; i < n; i++)
			str_addc(page->out, '-');
		str_addc(page->out, ' ');
		escape_terminal(page->out, check_name(page->fleet, patterns->columns[k]));
		str_addc(page->out, '\n');
	}
}

static void add_matrix_row(const struct page *page, const struct patterns *patterns,
	const struct pattern *pattern, size_t n)
{
	const struct fleet *fleet = page->fleet;
	const size_t *hosts = patterns->hosts + pattern->first;
	size_t k;

	str_add(page->out, "  ");
	for (k = 0; k < n; k++)
		str_addc(page->out,
			cell_sign(host_cell(&fleet->hosts[*hosts], patterns->columns[k])));
	str_addf(page->out, " %zu: ", pattern->n);
	add_hosts(page->out, fleet, hosts, pattern->n,
		page->options->verbose ? SIZE_MAX / 2 : page->columns - 20);
	str_addc(page->out, '\n');
}

/* Rows of hosts that say the same, columns of the checks that accuse somebody. */
static void add_matrix(const struct page *page)
{
	size_t most = page->options->verbose ? SIZE_MAX : PATTERNS_MAX, rest = 0, i, n;
	struct patterns patterns;

	patterns_find(&patterns, page->fleet);
	n = patterns.n_columns < MATRIX_CHECKS ? patterns.n_columns : MATRIX_CHECKS;
	if (page->fleet->seen > 1 && n) {
		add_matrix_head(page, &patterns, n);
		for (i = 0; i < patterns.n; i++)
			if (i < most)
				add_matrix_row(page, &patterns, &patterns.list[i], n);
			else
				rest += patterns.list[i].n;
		if (rest)
			str_addf(page->out, "  and %zu hosts in %zu other patterns: see -v\n", rest,
				patterns.n - most);
	}
	patterns_free(&patterns);
}

static void fleet_text_add_words(
	const struct page *page, const char *label, const uint32_t *words, size_t n)
{
	const char **names = mem_realloc_array(NULL, n + 1, sizeof(*names));
	size_t i;

	for (i = 0; i < n; i++)
		names[i] = fleet_text(page->fleet, words[i]);
	str_addf(page->out, "%-*s", LABEL_COLUMNS, label);
	fold_names(page->out, names, n, page->columns * 4);
	str_addc(page->out, '\n');
	free(names);
}

/* Hosts of which something is to be known that is no verdict. */
static void fleet_text_add_flagged(const struct page *page, const char *label, size_t n,
	bool (*holds)(const struct host *host), const char *what)
{
	uint32_t *words;
	size_t found;

	if (!n)
		return;
	words = fleet_names_where(page->fleet, holds, &found);
	fleet_text_add_words(page, label, words, found);
	str_addf(page->out, "%*s%s\n", LABEL_COLUMNS, "", what);
	free(words);
}

static void add_versions(const struct page *page)
{
	const struct fleet *fleet = page->fleet;
	uint32_t *counts = mem_zalloc(fleet->words.n * sizeof(*counts));
	size_t kinds = 0, i;

	for (i = 0; i < fleet->n_hosts; i++)
		kinds += fleet->hosts[i].version && !counts[fleet->hosts[i].version]++;
	if (kinds > 1) {
		str_addf(page->out, "%-*s", LABEL_COLUMNS, "Versions:");
		for (i = 0; i < fleet->words.n; i++) {
			if (!counts[i])
				continue;
			escape_name(page->out, fleet_text(fleet, (uint32_t)i));
			str_addf(page->out, " on %u%s", counts[i], --kinds ? ", " : "\n");
		}
	}
	free(counts);
}

static void fleet_text_add_refused(const struct page *page)
{
	const struct fleet *fleet = page->fleet;
	size_t i;

	for (i = 0; i < fleet->kept_refused && i < LIST_MAX; i++) {
		str_addf(page->out, "%-*s", LABEL_COLUMNS, i ? "" : "Refused:");
		escape_terminal(page->out, fleet->refused[i].file);
		str_addf(page->out, ": %s\n", fleet->refused[i].why);
	}
	if (fleet->n_refused > i)
		str_addf(page->out, "%*sand %zu more\n", LABEL_COLUMNS, "", fleet->n_refused - i);
}

static void fleet_text_add_conflicts(const struct page *page)
{
	const struct fleet *fleet = page->fleet;
	size_t most = page->options->verbose ? SIZE_MAX : LIST_MAX, i;
	struct str text = STR_INIT;

	for (i = 0; i < fleet->kept_conflicts && i < most; i++) {
		str_clear(&text);
		say_conflict(&text, fleet, &fleet->conflicts[i]);
		str_addf(page->out, "%-*s", LABEL_COLUMNS, i ? "" : "Conflicts:");
		escape_terminal_cut(page->out, str_text(&text), page->text_columns - LABEL_COLUMNS);
		str_addc(page->out, '\n');
	}
	if (fleet->n_conflicts > i)
		str_addf(page->out, "%*sand %zu more\n", LABEL_COLUMNS, "", fleet->n_conflicts - i);
	if (fleet->n_conflicts)
		str_addf(page->out, "%*s%s\n", LABEL_COLUMNS, "", CONFLICTS_MEAN);
	str_free(&text);
}

static void fleet_text_add_notes(const struct page *page)
{
	const struct fleet *fleet = page->fleet;

	if (fleet->n_missing)
		fleet_text_add_words(page, "Missing:", fleet->missing, fleet->n_missing);
	fleet_text_add_flagged(page, "Stale:", fleet->stale, host_is_stale,
		"their reports are much older than the others, and not counted");
	fleet_text_add_flagged(page, "Clock ahead:", fleet->ahead, host_is_ahead,
		"their reports are from the future, by the clock here");
	fleet_text_add_flagged(page, "Not expected:", fleet->unexpected, host_is_unexpected,
		"they report but are not in the list of hosts");
	add_versions(page);
	fleet_text_add_conflicts(page);
	if (fleet->namesakes)
		str_addf(page->out,
			"%-*s%zu machines have a name that another one has; ~ and their boot id "
			"tell them apart\n",
			LABEL_COLUMNS, "Namesakes:", fleet->namesakes);
	if (fleet->duplicates)
		str_addf(page->out, "%-*s%zu older reports of hosts that have a newer one\n",
			LABEL_COLUMNS, "Left out:", fleet->duplicates);
	if (fleet->replays)
		str_addf(page->out, "%-*s%zu reports are of recordings\n", LABEL_COLUMNS,
			"Replayed:", fleet->replays);
	if (fleet->n_interrupted)
		str_addf(page->out, "%-*s%zu hosts were interrupted during their run\n",
			LABEL_COLUMNS, "Interrupted:", fleet->n_interrupted);
	if (fleet->interrupted)
		str_addf(page->out, "%-*sthe merge, so this is what was read until then\n",
			LABEL_COLUMNS, "Interrupted:");
	if (fleet->left_out)
		str_addf(page->out,
			"%-*s%zu answers, labels and texts, which have no room; the verdicts of "
			"their hosts count\n",
			LABEL_COLUMNS, "Not kept:", fleet->left_out);
	fleet_text_add_refused(page);
}

void fleet_as_text(struct str *out, const struct fleet *fleet, const struct print_options *options)
{
	struct page page = {.out = out,
		.fleet = fleet,
		.options = options,
		.columns = options->columns ? options->columns : COLUMNS,
		.text_columns = options->columns ? options->columns : TEXT_COLUMNS};

	if (page.columns < COLUMNS_LEAST)
		page.columns = COLUMNS_LEAST;
	if (page.text_columns < COLUMNS_LEAST)
		page.text_columns = COLUMNS_LEAST;
	fleet_text_add_title(&page);
	add_outliers(&page);
	add_matrix(&page);
	str_addc(out, '\n');
	fleet_text_add_names(&page, "It is not:", is_cleared);
	fleet_text_add_names(&page, "Good:", is_good_only);
	fleet_text_add_names(&page, "Some unknown:", is_unknown_somewhere);
	fleet_text_add_notes(&page);
	if (fleet->type.name) {
		str_addf(out, "%-*s%s (", LABEL_COLUMNS, "Type:", fleet->type.name);
		escape_terminal_cut(out, fleet->type.why, page.text_columns - 30);
		str_add(out, ")\n");
	}
}
