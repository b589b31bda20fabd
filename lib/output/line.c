/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How do the verdicts of a thousand machines fold into a few lines? One line that is the same
 * wherever the same is wrong: sorted, without host, number, process or time, for sort | uniq -c.
 */
#include "base/banned.h"
#include "base/escape.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"

#define RESOURCE_COLUMNS 32

static int line_compare_names(const void *a, const void *b)
{
	const struct check_result *const *x = a, *const *y = b;

	return strcmp((*x)->check->name, (*y)->check->name);
}

/* What would read as the line's own punctuation, or break it. */
static void line_add_name(struct str *out, const char *text)
{
	struct str word = STR_INIT;
	char *at;

	escape_terminal_cut(&word, text, RESOURCE_COLUMNS);
	for (at = word.text; *at; at++)
		if (strchr(" ()|", *at))
			*at = '_';
	str_add(out, word.text);
	str_free(&word);
}

/* Devices and interfaces are few and have the same names on many machines; nothing else that is
 * accused does, so nothing else is named. */
static void add_resource(struct str *out, const struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_culprits; i++) {
		const struct culprit *culprit = &result->culprits[i];

		if (strcmp(culprit->kind, "device") != 0 && strcmp(culprit->kind, "interface") != 0)
			continue;
		str_addc(out, '(');
		line_add_name(out, culprit->name);
		str_addc(out, ')');
		return;
	}
}

/* " | verdict name name(resource)", nothing where there is none. */
static void add_part(struct str *out, const char *label, const struct check_result *const *sorted,
	size_t n, bool (*belongs)(const struct check_result *result))
{
	bool first = true;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!belongs(sorted[i]))
			continue;
		if (first)
			str_addf(out, "%s%s", out->len ? " | " : "", label);
		first = false;
		str_addc(out, ' ');
		line_add_name(out, sorted[i]->check->name);
		if (verdict_is_worse(sorted[i]->verdict, VERDICT_UNKNOWN))
			add_resource(out, sorted[i]);
	}
}

/* " | changed disk/less_read_ahead": what experiments answered, as far as they did. */
static void add_answers(
	struct str *out, const struct check_result *const *sorted, size_t n, enum answer answer)
{
	bool first = true;
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < sorted[i]->n_experiments; k++) {
			const struct experiment_result *experiment = &sorted[i]->experiments[k];

			if (experiment->answer != answer)
				continue;
			if (first)
				str_addf(out, "%s%s", out->len ? " | " : "", answer_text(answer));
			first = false;
			str_addc(out, ' ');
			line_add_name(out, sorted[i]->check->name);
			str_addf(out, "/%s", experiment->name);
		}
	}
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* " | muted disk", after what there is besides. */
static void line_add_muted(struct str *out, const struct report *report)
{
	const char **names = mem_realloc_array(NULL, report->n_muted + 1, sizeof(const char *));
	size_t i;

	for (i = 0; i < report->n_muted; i++)
		names[i] = report->muted[i].check;
	qsort(names, report->n_muted, sizeof(*names), compare_words);
	if (report->n_muted)
		str_addf(out, "%s | muted", out->len ? "" : verdict_text(report->verdict));
	for (i = 0; i < report->n_muted; i++) {
		str_addc(out, ' ');
		line_add_name(out, names[i]);
	}
	free(names);
}

static bool is_bad(const struct check_result *result)
{
	return result->verdict == VERDICT_BAD;
}

static bool is_maybe(const struct check_result *result)
{
	return result->verdict == VERDICT_MAYBE;
}

static bool line_is_unknown(const struct check_result *result)
{
	return result->verdict == VERDICT_UNKNOWN && result->set_aside != ASIDE_EXPECTED;
}

static bool line_is_gap(const struct check_result *result)
{
	return result->set_aside == ASIDE_EXPECTED;
}

static bool is_exonerated(const struct check_result *result)
{
	return result->exonerated;
}

static void line_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	const struct check_result **sorted =
		mem_realloc_array(NULL, report->n_checks + 1, sizeof(const struct check_result *));
	struct str line = STR_INIT;
	size_t n = report->n_checks, i;

	(void)options;
	for (i = 0; i < n; i++)
		sorted[i] = &report->checks[i];
	qsort(sorted, n, sizeof(*sorted), line_compare_names);
	add_part(&line, "bad", sorted, n, is_bad);
	add_part(&line, "maybe", sorted, n, is_maybe);
	add_part(&line, "unknown", sorted, n, line_is_unknown);
	add_part(&line, "gaps", sorted, n, line_is_gap);
	add_part(&line, "not", sorted, n, is_exonerated);
	add_answers(&line, sorted, n, ANSWER_CHANGED);
	add_answers(&line, sorted, n, ANSWER_SAME);
	if (report->under_way)
		str_add(&line, line.len ? " | under experiment" : "under experiment");
	if (report->interrupted)
		str_add(&line, line.len ? " | interrupted" : "interrupted");
	line_add_muted(&line, report);
	str_addf(out, "%s\n", line.len ? line.text : verdict_text(report->verdict));
	str_free(&line);
	free(sorted);
}

WRITER(line) = {
	.name = "line",
	.what = "one line without numbers, the same wherever the trouble is",
	.write = line_write,
};
