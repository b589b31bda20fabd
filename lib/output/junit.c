/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a CI server get that reads JUnit's XML? A test case a check: bad is a failure, unknown
 * an error, what does not apply is skipped, and maybe passes with its text as output.
 */
#include "base/banned.h"

#include <time.h>

#include "base/escape.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"

/* Every character that XML 1.0 forbids is shown as \xNN by then. */
static void add_attribute(struct str *out, const char *name, const char *value)
{
	str_addf(out, " %s=\"", name);
	escape_html(out, value);
	str_addc(out, '"');
}

/* What a result is as a test: what is set aside was not asked, as far as a gate goes. */
static enum verdict junit_verdict(const struct check_result *result)
{
	return result->set_aside == ASIDE_NOT ? result->verdict : VERDICT_SKIP;
}

static size_t junit_count(const struct report *report, enum verdict verdict)
{
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++)
		n += junit_verdict(&report->checks[i]) == verdict;
	return n;
}

static const char *junit_text_of(const struct check_result *result)
{
	return result->reason ? result->reason : result->summary ? result->summary : "";
}

static void add_failure(struct str *out, const struct check_result *result)
{
	size_t i;

	str_add(out, "<failure");
	add_attribute(out, "message", junit_text_of(result));
	add_attribute(out, "type", "bad");
	str_addc(out, '>');
	for (i = 0; i < result->n_culprits; i++) {
		str_add(out, i ? "\nby " : "by ");
		escape_html(out, result->culprits[i].kind);
		str_addc(out, ' ');
		escape_html(out, result->culprits[i].name);
	}
	str_add(out, "</failure>");
}

static void junit_add_skipped(struct str *out, const struct check_result *result)
{
	char *message = result->set_aside == ASIDE_NOT
		? mem_strdup(junit_text_of(result))
		: mem_printf("%s, and %s: %s", verdict_text(result->verdict),
			  set_aside_text(result->set_aside), junit_text_of(result));

	str_add(out, "<skipped");
	add_attribute(out, "message", message);
	str_add(out, "/>");
	free(message);
}

static void add_outcome(struct str *out, const struct check_result *result)
{
	switch (junit_verdict(result)) {
	case VERDICT_GOOD:
		break;
	case VERDICT_BAD:
		add_failure(out, result);
		break;
	case VERDICT_UNKNOWN:
		str_add(out, "<error");
		add_attribute(out, "message", junit_text_of(result));
		add_attribute(out, "type", "unknown");
		str_add(out, "/>");
		break;
	case VERDICT_SKIP:
		junit_add_skipped(out, result);
		break;
	case VERDICT_MAYBE:
		str_add(out, "<system-out>maybe: ");
		escape_html(out, junit_text_of(result));
		str_add(out, "</system-out>");
		break;
	}
}

static void add_property(struct str *out, const char *name, const char *value)
{
	str_addf(out, "<property name=\"%s\"", name);
	add_attribute(out, "value", value);
	str_add(out, "/>\n");
}

/* The time has no zone there; it is UTC. */
static void add_suite(struct str *out, const struct report *report)
{
	char when[64] = "1970-01-01T00:00:00";
	struct str muted = STR_INIT;
	struct tm utc;

	if (gmtime_r(&report->time_start, &utc))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &utc);
	str_addf(out,
		"<testsuite name=\"tuesday\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		"skipped=\"%zu\" time=\"%.3f\" timestamp=\"%s\"",
		report->n_checks, junit_count(report, VERDICT_BAD),
		junit_count(report, VERDICT_UNKNOWN), junit_count(report, VERDICT_SKIP),
		report->seconds, when);
	add_attribute(out, "hostname", report->host);
	str_add(out, ">\n<properties>\n");
	add_property(out, "verdict", verdict_text(report->verdict));
	if (report->type.name)
		add_property(out, "incident_type", report->type.name);
	report_muted(&muted, report);
	if (report->n_muted)
		add_property(out, "muted", str_text(&muted));
	str_free(&muted);
	str_add(out, "</properties>\n");
}

static void junit_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	size_t i;

	(void)options;
	str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	add_suite(out, report);
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		str_add(out, "<testcase");
		add_attribute(
			out, "classname", result->check->area ? result->check->area : "tuesday");
		add_attribute(out, "name", result->check->name);
		str_add(out, " time=\"0\">");
		add_outcome(out, result);
		str_add(out, "</testcase>\n");
	}
	str_add(out, "</testsuite>\n</testsuites>\n");
}

WRITER(junit) = {
	.name = "junit",
	.what = "XML for CI servers: bad is a failure, unknown an error",
	.write = junit_write,
};
