/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a test harness get? TAP version 13, a test a check. Bad fails. Maybe and unknown are
 * not ok and marked TODO, which a harness shows and does not fail for. What does not apply is
 * skipped.
 */
#include "base/banned.h"
#include "base/escape.h"
#include "report/announced_text.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"

/* A '#' would begin a directive, in a name as in what follows one. */
static void tap_add_text(struct str *out, const char *text)
{
	struct str shown = STR_INIT;
	const char *at;

	escape_terminal(&shown, text);
	for (at = str_text(&shown); *at; at++) {
		if (*at == '#')
			str_addc(out, '\\');
		str_addc(out, *at);
	}
	str_free(&shown);
}

static const char *tap_summary_of(const struct check_result *result)
{
	return result->summary ? result->summary : result->reason ? result->reason : "";
}

static void add_directive(struct str *out, const struct check_result *result)
{
	static const char *const directives[] = {
		[VERDICT_GOOD] = NULL,
		[VERDICT_MAYBE] = " # TODO maybe: ",
		[VERDICT_BAD] = NULL,
		[VERDICT_UNKNOWN] = " # TODO unknown: ",
		[VERDICT_SKIP] = " # SKIP ",
	};
	const char *reason = result->reason ? result->reason : tap_summary_of(result);

	if (result->set_aside != ASIDE_NOT)
		str_addf(out, " # SKIP %s, and %s: ", verdict_text(result->verdict),
			set_aside_text(result->set_aside));
	else if (!directives[result->verdict])
		return;
	else
		str_add(out, directives[result->verdict]);
	tap_add_text(out, result->verdict == VERDICT_MAYBE ? tap_summary_of(result) : reason);
}

/* YAML; a JSON string is one of its own. */
static void add_diagnostics(struct str *out, const struct check_result *result)
{
	size_t i;

	str_addf(out, "  ---\n  verdict: %s\n  summary: ", verdict_text(result->verdict));
	escape_script(out, tap_summary_of(result));
	for (i = 0; i < result->n_culprits; i++) {
		char *culprit =
			mem_printf("%s %s", result->culprits[i].kind, result->culprits[i].name);

		str_add(out, i ? "\n    - " : "\n  culprits:\n    - ");
		escape_script(out, culprit);
		free(culprit);
	}
	str_add(out, "\n  ...\n");
}

static void tap_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	struct str muted = STR_INIT, announced = STR_INIT;
	size_t i;

	(void)options;
	str_addf(out, "TAP version 13\n1..%zu\n", report->n_checks);
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];
		enum verdict counts = result_counts_as(result);
		bool ok = counts == VERDICT_GOOD || counts == VERDICT_SKIP;

		str_addf(out, "%sok %zu - ", ok ? "" : "not ", i + 1);
		tap_add_text(out, result->check->name);
		add_directive(out, result);
		str_addc(out, '\n');
		if (!ok)
			add_diagnostics(out, result);
	}
	report_muted(&muted, report);
	if (report->n_muted) {
		str_add(out, "# muted: ");
		tap_add_text(out, str_text(&muted));
		str_addc(out, '\n');
	}
	report_announced(&announced, report);
	if (report->n_announced) {
		str_add(out, "# during what was announced: ");
		tap_add_text(out, str_text(&announced));
		str_addc(out, '\n');
	}
	str_free(&announced);
	str_free(&muted);
}

WRITER(tap) = {
	.name = "tap",
	.what = "TAP 13, one test per check; only bad fails",
	.write = tap_write,
};
