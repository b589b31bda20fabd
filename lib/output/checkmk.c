/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a Checkmk agent get from a local check? A line a service: its state, its name in
 * quotes, values or '-', and a text. The agent does not look at the exit status.
 */
#include "base/banned.h"

#include <ctype.h>
#include <math.h>

#include "base/escape.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"

#define TEXT_COLUMNS 200
#define NAME_BYTES 64

/* Checkmk reads it as Python does: 22 ns are 2.2e-08, and not 0.000000. Nothing is below nothing.
 */
static void checkmk_add_number(struct str *out, double value)
{
	str_addf(out, "%.9g", value < 0 || value > 0 ? value : 0.0);
}

/* "1 bad (listen), 2 maybe (cpu disk), 46 good, 0 unknown of 63 checks" */
static void checkmk_add_counts(struct str *out, const struct report *report)
{
	static const enum verdict told[] = {
		VERDICT_BAD, VERDICT_MAYBE, VERDICT_GOOD, VERDICT_UNKNOWN};
	size_t i, k, n;

	for (k = 0; k < ARRAY_SIZE(told); k++) {
		struct str names = STR_INIT;

		for (i = n = 0; i < report->n_checks; i++) {
			if (report->checks[i].verdict != told[k])
				continue;
			str_add(&names, n++ ? " " : " (");
			str_add(&names, report->checks[i].check->name);
		}
		str_addf(out, "%s%zu %s", k ? ", " : "", n, verdict_text(told[k]));
		if (n && k < 2)
			str_addf(out, "%s)", str_text(&names));
		str_free(&names);
	}
	str_addf(out, " of %zu checks", report->n_checks);
}

/* Levels there are upper ones only. */
static bool is_upper(const struct limits *limits)
{
	enum op op;

	return limits_op(limits, &op) && (op == OP_GT || op == OP_GE);
}

/* Names of values are identifiers there. */
static void add_value_name(struct str *out, const char *name)
{
	const char *at;

	for (at = name; *at && at - name < NAME_BYTES; at++)
		str_addc(out, isascii(*at) && isalnum((unsigned char)*at) ? *at : '_');
}

static bool checkmk_add_value(struct str *out, const struct check_result *check,
	const struct metric_result *metric, bool begun)
{
	const char *name = metric_label(check, metric);

	if (!isfinite(metric->value) || !name || !*name)
		return begun;
	str_add(out, begun ? "|" : "");
	add_value_name(out, name);
	str_addc(out, '=');
	checkmk_add_number(out, metric->value);
	str_addc(out, ';');
	if (is_upper(&metric->metric->maybe) && isfinite(metric->maybe) &&
		threshold_agrees(check, metric, VERDICT_MAYBE))
		checkmk_add_number(out, metric->maybe);
	str_addc(out, ';');
	if (is_upper(&metric->metric->bad) && isfinite(metric->bad) &&
		threshold_agrees(check, metric, VERDICT_BAD))
		checkmk_add_number(out, metric->bad);
	return true;
}

static void checkmk_add_line(struct str *out, enum verdict verdict, const char *name,
	const struct check_result *result, const char *text)
{
	bool begun = false;
	size_t i;

	str_addf(out, "%d \"Tuesday%s", verdict_exit_status(verdict), *name ? " " : "");
	escape_nagios_label(out, name);
	str_add(out, "\" ");
	for (i = 0; result && i < result->n_metrics; i++)
		begun = checkmk_add_value(out, result, &result->metrics[i], begun);
	str_add(out, begun ? " " : "- ");
	escape_terminal_cut(out, text, TEXT_COLUMNS);
	str_addc(out, '\n');
}

static const char *checkmk_first_text(const char *a, const char *b)
{
	return a ? a : b;
}

/* Whether a check is to be a service of its own. What does not apply here is none: it would be
 * green for ever. */
static bool checkmk_is_service(const struct check_result *result, const char *services)
{
	const char *at = services ? services : "", *name = result->check->name;
	size_t len;

	if (!strcmp(at, "all"))
		return result->verdict != VERDICT_SKIP;
	while (*(at += strspn(at, " ,"))) {
		len = strcspn(at, " ,");
		if (strlen(name) == len && !strncmp(at, name, len))
			return true;
		at += len;
	}
	return false;
}

static void checkmk_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	struct str text = STR_INIT;
	size_t i;

	checkmk_add_counts(&text, report);
	if (report->n_muted) {
		str_add(&text, " (muted: ");
		report_muted(&text, report);
		str_addc(&text, ')');
	}
	if (report->type.name)
		str_addf(&text, ", looks %s: %s",
			checkmk_first_text(report->type.derived, report->type.name),
			checkmk_first_text(report->type.why, ""));
	if (report->type.n_changes) {
		const struct type_change *change =
			&report->type.changes[report->type.n_changes - 1];

		str_addf(&text, "; is %s, says %s", change->type, change->by);
	}
	checkmk_add_line(out, report->verdict, "", NULL, str_text(&text));
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];
		const char *why = result->reason ? result->reason : result->summary;

		if (!checkmk_is_service(result, options->services))
			continue;
		str_clear(&text);
		str_addf(&text, "%s%s%s: %s", verdict_text(result->verdict),
			result->set_aside == ASIDE_NOT ? "" : ", ",
			result->set_aside == ASIDE_NOT ? "" : set_aside_text(result->set_aside),
			why ? why : "");
		checkmk_add_line(out, result_counts_as(result), result->check->name, result,
			str_text(&text));
	}
	str_free(&text);
}

static int checkmk_exit_status(enum verdict verdict)
{
	(void)verdict;
	return 0;
}

WRITER(checkmk) = {
	.name = "checkmk",
	.what = "a local check of Checkmk, with --services; always ends with 0",
	.write = checkmk_write,
	.exit_status = checkmk_exit_status,
};
