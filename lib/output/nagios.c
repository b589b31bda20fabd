/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a monitoring system that runs plugins get? A line of status and performance data, then
 * lines of detail. NRPE cuts what it forwards at 1024 bytes and other readers refuse a second '|'
 * on the first line. Graphs are made by label, and some by place: the labels of a command are the
 * same in the same order whatever the verdict is, and a value that is not there is U.
 */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "report/announced_text.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"

#define LINE_BYTES 1022	      /* of the first line: 1024 less its newline and C's terminator */
#define TEXT_BYTES 380	      /* before the '|' */
#define SINGLE_TEXT_BYTES 120 /* of these, for one check, whose numbers come first */
#define HEADLINES_MOST 860    /* of headline numbers, were each as long as can be */
#define VALUE_BYTES 60	      /* that can be: "=value[UOM];warn;crit" */
#define DETAIL_BYTES 200
#define NAMES_MAX 8

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

/* Of those that count. */
static size_t nagios_count(const struct report *report, enum verdict verdict)
{
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].verdict == verdict &&
			report->checks[i].set_aside == ASIDE_NOT;
	return n;
}

static size_t nagios_count_aside(const struct report *report, enum set_aside set_aside)
{
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].set_aside == set_aside;
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

/* Appends text that is escaped already in at most that many bytes, cut between words, or between
 * characters where a word is that long. */
static void nagios_add_cut(struct str *out, const char *text, size_t bytes)
{
	size_t len = strlen(text), cut = 0, word = 0;

	if (len <= bytes) {
		str_add(out, text);
		return;
	}
	while (cut + unit_bytes(text + cut) + 4 <= bytes) {
		cut += unit_bytes(text + cut);
		if (text[cut] == ' ')
			word = cut;
	}
	str_addn(out, text, word > bytes / 2 ? word : cut);
	str_addc(out, ' ');
	str_add(out, "...");
}

/* " (memory disk)": as many names as there is room for. */
static void nagios_add_names_of(struct str *out, const struct report *report, enum verdict verdict)
{
	size_t i, n = 0;

	for (i = 0; i < report->n_checks && n < NAMES_MAX; i++) {
		if (result_counts_as(&report->checks[i]) != verdict)
			continue;
		str_add(out, n++ ? " " : " (");
		escape_nagios(out, report->checks[i].check->name);
	}
	str_add(out, nagios_count(report, verdict) > NAMES_MAX ? " and more)" : n ? ")" : "");
}

/* "1 bad (memory), 0 maybe, 2 unknown, 46 good, 2 expected gaps" */
static void nagios_add_counts(struct str *out, const struct report *report)
{
	size_t gaps = nagios_count_aside(report, ASIDE_EXPECTED), i;
	size_t muted = nagios_count_aside(report, ASIDE_MUTED);

	for (i = 0; i < 4; i++) {
		str_addf(out, "%s%zu %s", i ? ", " : "", nagios_count(report, order[i]),
			verdict_text(order[i]));
		if (i < 2)
			nagios_add_names_of(out, report, order[i]);
	}
	if (gaps)
		str_addf(out, ", %zu expected gap%s", gaps, gaps == 1 ? "" : "s");
	if (muted)
		str_addf(out, ", %zu muted", muted);
}

/* What is wrong: ": listen: 212 drops/s; disk: p99 23 ms". */
static void nagios_add_accusations(struct str *out, const struct report *report)
{
	const char *before = ": ";
	size_t rank, i;

	for (rank = 0; rank < 3; rank++)
		for (i = 0; i < report->n_checks; i++) {
			const struct check_result *result = &report->checks[i];

			if (result_counts_as(result) != order[rank])
				continue;
			str_add(out, before);
			before = "; ";
			escape_nagios(out, result->check->name);
			str_add(out, ": ");
			escape_nagios(out, nagios_summary_of(result));
		}
}

/* bytes: what the performance data leaves of the line. */
static void nagios_add_status(struct str *out, const struct report *report, size_t bytes)
{
	struct str line = STR_INIT;

	if (report->n_checks == 1) {
		const struct check_result *result = &report->checks[0];
		const char *aside = set_aside_text(result->set_aside);

		escape_nagios(&line, result->check->name);
		str_addf(&line, " %s: ", status_text(report->verdict));
		if (aside)
			str_addf(&line, "%s, and %s: ", verdict_text(result->verdict), aside);
		escape_nagios(&line, nagios_summary_of(result));
	} else {
		str_addf(&line, "TUESDAY %s: ", status_text(report->verdict));
		nagios_add_counts(&line, report);
		nagios_add_accusations(&line, report);
	}
	nagios_add_cut(out, str_text(&line), bytes < TEXT_BYTES ? bytes : TEXT_BYTES);
	str_free(&line);
}

/* Nine digits, in plain notation: readers know no exponents. */
static bool nagios_add_number(struct str *out, double value)
{
	double magnitude = fabs(value) > 0 ? floor(log10(fabs(value))) : 0;
	int decimals = magnitude >= 8 ? 0 : 8 - (int)magnitude;
	char text[64];
	size_t len;

	if (!isfinite(value) || fabs(value) >= 1e15)
		return false;
	snprintf(text, sizeof(text), "%.*f", decimals < 15 ? decimals : 15, value);
	len = strlen(text);
	while (decimals && text[len - 1] == '0')
		len--;
	len -= text[len - 1] == '.';
	str_addn(out, text, len);
	return true;
}

/* The range that alerts when it is left: "10" above, "10:" below, "@10:10" at, "10:10" beside it.
 */
static void add_range(struct str *out, const struct check_result *check,
	const struct metric_result *metric, enum verdict of, double factor)
{
	const struct limits *limits =
		of == VERDICT_BAD ? &metric->metric->bad : &metric->metric->maybe;
	double value = of == VERDICT_BAD ? metric->bad : metric->maybe;
	struct str number = STR_INIT;
	enum op op;

	str_addc(out, ';');
	if (threshold_agrees(check, metric, of) && limits_op(limits, &op) &&
		nagios_add_number(&number, value * factor)) {
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

static void nagios_add_label(struct str *out, const char *check, const char *metric)
{
	str_add(out, " '");
	escape_nagios_label(out, check);
	str_addc(out, '.');
	escape_nagios_label(out, metric);
	str_add(out, "'=");
}

/* " 'check.metric'=value[UOM];warn;crit"; U where there is no value. */
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

	nagios_add_label(out, check->check->name, metric_label(check, result));
	if (!nagios_add_number(out, result->value * factor)) {
		str_addc(out, 'U');
		return;
	}
	str_add(out, units[unit]);
	add_range(out, check, result, VERDICT_MAYBE, factor);
	add_range(out, check, result, VERDICT_BAD, factor);
}

/* All numbers of one check, in the order of its file. Returns how many did not fit. */
static size_t nagios_add_all_of(struct str *out, const struct check_result *check)
{
	const struct check *of = check->check;
	struct str one = STR_INIT;
	size_t left_out = 0, i;

	for (i = 0; i < check->n_metrics || (!check->n_metrics && i < of->n_metrics); i++) {
		str_clear(&one);
		if (check->n_metrics) {
			add_perfdata(&one, check, &check->metrics[i]);
		} else {
			nagios_add_label(&one, of->name, of->metrics[i]->name);
			str_addc(&one, 'U');
		}
		if (out->len + one.len > LINE_BYTES - SINGLE_TEXT_BYTES)
			left_out++;
		else
			str_add(out, str_text(&one));
	}
	str_free(&one);
	return left_out;
}

static void nagios_add_headline(
	struct str *out, const struct check_result *check, const char *name, size_t len)
{
	char *metric = mem_strndup(name, len);
	size_t i;

	for (i = 0; i < check->n_metrics; i++)
		if (!strcmp(check->metrics[i].metric->name, metric))
			break;
	if (i < check->n_metrics) {
		add_perfdata(out, check, &check->metrics[i]);
	} else {
		nagios_add_label(out, check->check->name, metric);
		str_addc(out, 'U');
	}
	free(metric);
}

/* The numbers that check files call their headlines. Which of them there is room for depends on
 * their names alone: what a value is moves no other one. */
static void nagios_add_headlines(struct str *out, const struct report *report)
{
	size_t bytes = 0, i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *check = &report->checks[i];
		const char *at = check->check->headline ? check->check->headline : "";

		while (*(at += strspn(at, " \t"))) {
			size_t len = strcspn(at, " \t");

			bytes += strlen(check->check->name) + len + VALUE_BYTES;
			if (bytes <= HEADLINES_MOST)
				nagios_add_headline(out, check, at, len);
			at += len;
		}
	}
}

/* " 'bad'=1;;0 'maybe'=0;0 … 'seconds'=10.2s": how many checks are what. */
static void nagios_add_count_data(struct str *out, const struct report *report)
{
	str_addf(out, " 'bad'=%zu;;0 'maybe'=%zu;0", nagios_count(report, VERDICT_BAD),
		nagios_count(report, VERDICT_MAYBE));
	str_addf(out, " 'unknown'=%zu 'good'=%zu 'skip'=%zu", nagios_count(report, VERDICT_UNKNOWN),
		nagios_count(report, VERDICT_GOOD), nagios_count(report, VERDICT_SKIP));
	str_addf(out,
		" 'gaps'=%zu 'muted'=%zu 'seconds'=", nagios_count_aside(report, ASIDE_EXPECTED),
		nagios_count_aside(report, ASIDE_MUTED));
	str_add(out, nagios_add_number(out, report->seconds) ? "s" : "U");
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
			if (result->set_aside != ASIDE_NOT)
				str_addf(out, " (%s)", set_aside_text(result->set_aside));
			add_detail(out, ": ", nagios_summary_of(result));
			for (k = 0; k < result->n_howevers; k++)
				add_detail(out, "  however: ", result->howevers[k]);
			for (k = 0; k < result->n_remedies; k++)
				add_detail(out, "  remedy: ", result->remedies[k]);
			/* A bar would be written as something else, and the command be another one.
			 */
			for (k = 0; k < result->n_next; k++)
				if (!strchr(result->next[k], '|'))
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
	struct str data = STR_INIT;
	size_t left_out = 0;

	(void)options;
	if (report->n_checks == 1) {
		left_out = nagios_add_all_of(&data, &report->checks[0]);
	} else {
		nagios_add_count_data(&data, report);
		nagios_add_headlines(&data, report);
	}
	nagios_add_status(out, report, data.len + 2 < LINE_BYTES ? LINE_BYTES - data.len - 2 : 0);
	if (data.len)
		str_addf(out, " |%s", data.text);
	str_addc(out, '\n');
	nagios_add_details(out, report);
	if (left_out)
		str_addf(out, "performance data of %zu metrics left out: the line is full\n",
			left_out);
	str_free(&data);
}

WRITER(nagios) = {
	.name = "nagios",
	.what = "status line, performance data and details of a plugin",
	.write = nagios_write,
};
