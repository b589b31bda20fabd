/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a monitoring system that runs plugins get? A line of status and performance data, then
 * lines of detail. NRPE cuts what it forwards at 1024 bytes and other readers refuse a second '|'
 * on the first line, so what does not fit is left out and said to be.
 */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "report/announced_text.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"

#define TEXT_BYTES 79	/* before the '|', as the plugin guideline has it */
#define LINE_BYTES 1022 /* of the first line: 1024 less its newline and C's terminator */
#define DETAIL_BYTES 200

static const char *status_text(enum verdict verdict)
{
	static const char *const texts[] = {
		[VERDICT_GOOD] = "OK",
		[VERDICT_MAYBE] = "WARNING",
		[VERDICT_BAD] = "CRITICAL",
		[VERDICT_UNKNOWN] = "UNKNOWN",
		[VERDICT_SKIP] = "OK",
	};

	return texts[verdict];
}

/* The accused first: they are what the first line has room for. */
static const enum verdict order[] = {
	VERDICT_BAD, VERDICT_MAYBE, VERDICT_UNKNOWN, VERDICT_GOOD, VERDICT_SKIP};

static const char *nagios_summary_of(const struct check_result *result)
{
	return result->summary ? result->summary : result->reason ? result->reason : "";
}

static size_t nagios_count(const struct report *report, enum verdict verdict)
{
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].verdict == verdict;
	return n;
}

/* The bytes of one character or one escape of text that is escaped. */
static size_t unit_bytes(const char *text)
{
	size_t n = 1;

	if (*text == '\\')
		return text[1] == 'x' ? 4 : 2;
	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Appends text that is escaped already in at most that many bytes, cut between characters. */
static void nagios_add_cut(struct str *out, const char *text, size_t bytes)
{
	size_t len = strlen(text), cut = 0;

	if (len <= bytes) {
		str_add(out, text);
		return;
	}
	while (cut + unit_bytes(text + cut) + 3 <= bytes)
		cut += unit_bytes(text + cut);
	str_addn(out, text, cut);
	str_add(out, "...");
}

/* What is wrong, or what is not: "listen: 212 drops/s; disk: p99 23 ms". */
static void nagios_add_accusations(struct str *out, const struct report *report)
{
	size_t rank, i;

	for (rank = 0; rank < 3; rank++)
		for (i = 0; i < report->n_checks; i++) {
			const struct check_result *result = &report->checks[i];

			if (result->verdict != order[rank])
				continue;
			str_add(out, out->len ? "; " : "");
			escape_nagios(out, result->check->name);
			str_add(out, ": ");
			escape_nagios(out, nagios_summary_of(result));
		}
	if (!out->len)
		str_addf(out, "%zu checks good, %zu skipped", nagios_count(report, VERDICT_GOOD),
			nagios_count(report, VERDICT_SKIP));
}

static void nagios_add_status(struct str *out, const struct report *report)
{
	struct str line = STR_INIT, text = STR_INIT;
	bool single = report->n_checks == 1;

	if (single) {
		escape_nagios(&text, nagios_summary_of(&report->checks[0]));
		escape_nagios(&line, report->checks[0].check->name);
	} else {
		nagios_add_accusations(&text, report);
		str_add(&line, "TUESDAY");
	}
	str_addf(&line, " %s: %s", status_text(report->verdict), str_text(&text));
	nagios_add_cut(out, str_text(&line), TEXT_BYTES);
	str_free(&line);
	str_free(&text);
}

/* A number in plain notation: readers know no exponents. */
static bool nagios_add_number(struct str *out, double value)
{
	char text[64];
	size_t len;

	if (!isfinite(value) || fabs(value) >= 1e15)
		return false;
	snprintf(text, sizeof(text), "%.9f", value);
	len = strlen(text);
	while (text[len - 1] == '0')
		len--;
	len -= text[len - 1] == '.';
	str_addn(out, text, len);
	return true;
}

/* The range that alerts when it is left: "10" above, "10:" below, "@10:10" at, "10:10" beside it.
 */
static void add_range(struct str *out, const struct limits *limits, double value, double factor)
{
	struct str number = STR_INIT;
	enum op op;

	str_addc(out, ';');
	if (limits_op(limits, &op) && nagios_add_number(&number, value * factor)) {
		if (op == OP_LT || op == OP_LE)
			str_addf(out, "%s:", number.text);
		else if (op == OP_EQ)
			str_addf(out, "@%s:%s", number.text, number.text);
		else if (op == OP_NE)
			str_addf(out, "%s:%s", number.text, number.text);
		else
			str_addf(out, "%s%s", value < 0 ? "~:" : "", number.text);
	}
	str_free(&number);
}

/* " 'check.metric'=value[UOM];warn;crit", or nothing where there is no value. */
static void add_perfdata(
	struct str *out, const struct check_result *check, const struct metric_result *result)
{
	static const char *const units[] = {
		[UNIT_RATIO] = "%",
		[UNIT_SECONDS] = "s",
		[UNIT_BYTES] = "B",
		[UNIT_COUNT] = "",
		[UNIT_PER_SECOND] = "",
		[UNIT_BYTES_PER_SECOND] = "",
	};
	enum unit unit = result->metric->unit;
	double factor = unit == UNIT_RATIO ? 100 : 1;
	struct str number = STR_INIT;

	if (nagios_add_number(&number, result->value * factor)) {
		str_add(out, " '");
		escape_nagios_label(out, check->check->name);
		str_addc(out, '.');
		escape_nagios_label(out, metric_label(check, result));
		str_addf(out, "'=%s%s", number.text, units[unit]);
		add_range(out, &result->metric->maybe, result->maybe, factor);
		add_range(out, &result->metric->bad, result->bad, factor);
	}
	str_free(&number);
}

/* All performance data that fits into the line. Returns how many values did not. */
static size_t add_all_perfdata(struct str *out, const struct report *report, size_t start)
{
	struct str one = STR_INIT;
	size_t left_out = 0, rank, i, k;
	bool begun = false;

	for (rank = 0; rank < ARRAY_SIZE(order); rank++)
		for (i = 0; i < report->n_checks; i++) {
			const struct check_result *check = &report->checks[i];

			for (k = 0; check->verdict == order[rank] && k < check->n_metrics; k++) {
				str_clear(&one);
				add_perfdata(&one, check, &check->metrics[k]);
				if (!one.len)
					continue;
				if (out->len - start + one.len + (begun ? 0 : 2) > LINE_BYTES) {
					left_out++;
					continue;
				}
				str_addf(out, "%s%s", begun ? "" : " |", one.text);
				begun = true;
			}
		}
	str_free(&one);
	return left_out;
}

static void nagios_add_names(struct str *out, const struct report *report)
{
	bool begun = false;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		if (!report->checks[i].exonerated)
			continue;
		str_add(out, begun ? " " : "it is not: ");
		escape_nagios(out, report->checks[i].check->name);
		begun = true;
	}
	str_add(out, begun ? "\n" : "");
}

static void add_detail(struct str *out, const char *label, const char *text)
{
	struct str escaped = STR_INIT;

	escape_nagios(&escaped, text);
	str_add(out, label);
	nagios_add_cut(out, str_text(&escaped), DETAIL_BYTES);
	str_addc(out, '\n');
	str_free(&escaped);
}

static void nagios_add_details(struct str *out, const struct report *report)
{
	struct str muted = STR_INIT, announced = STR_INIT;
	size_t rank, i, k;

	for (rank = 0; rank < 3; rank++)
		for (i = 0; i < report->n_checks; i++) {
			const struct check_result *result = &report->checks[i];

			if (result->verdict != order[rank])
				continue;
			str_addf(out, "%s ", verdict_text(result->verdict));
			escape_nagios(out, result->check->name);
			add_detail(out, ": ", nagios_summary_of(result));
			for (k = 0; k < result->n_howevers; k++)
				add_detail(out, "  however: ", result->howevers[k]);
			for (k = 0; k < result->n_remedies; k++)
				add_detail(out, "  remedy: ", result->remedies[k]);
			for (k = 0; k < result->n_next; k++)
				add_detail(out, "  next: ", result->next[k]);
		}
	nagios_add_names(out, report);
	for (i = 0; i < report->n_errors; i++)
		add_detail(out, "refused: ", report->errors[i]);
	if (report->n_muted) {
		report_muted(&muted, report);
		add_detail(out, "muted: ", str_text(&muted));
	}
	str_free(&muted);
	if (report->n_announced) {
		report_announced(&announced, report);
		add_detail(out, "during what was announced: ", str_text(&announced));
	}
	str_free(&announced);
	if (report->interrupted)
		str_add(out, "interrupted: verdicts are from what was seen until then\n");
}

static void nagios_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	size_t start = out->len, left_out;

	(void)options;
	nagios_add_status(out, report);
	left_out = add_all_perfdata(out, report, start);
	str_addc(out, '\n');
	nagios_add_details(out, report);
	if (left_out)
		str_addf(out, "performance data of %zu metrics left out: the line is full\n",
			left_out);
}

WRITER(nagios) = {
	.name = "nagios",
	.what = "status line, performance data and details of a monitoring plugin",
	.write = nagios_write,
};
