/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does Kubernetes' node-problem-detector get from a custom plugin? One short line, in ASCII
 * since it is cut by bytes, and an exit status of its own: 0 no problem, 1 a problem, 2 unknown. A
 * plugin of the monitoring kind would tell it the contrary.
 */
#include "base/banned.h"
#include "base/escape.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"

#define LINE_BYTES 200

static void add_verdict(struct str *out, const struct report *report, enum verdict verdict)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];
		const char *text = result->reason ? result->reason : result->summary;

		if (result_counts_as(result) != verdict)
			continue;
		str_addf(out, "%s%s %s: %s", out->len ? "; " : "", result->check->name,
			verdict_text(verdict), text ? text : "");
	}
}

static void npd_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	struct str text = STR_INIT, shown = STR_INIT, muted = STR_INIT;
	size_t i;

	(void)options;
	add_verdict(&text, report, VERDICT_BAD);
	add_verdict(&text, report, VERDICT_MAYBE);
	add_verdict(&text, report, VERDICT_UNKNOWN);
	if (!text.len)
		str_addf(&text, "not accused by %zu checks", report->n_checks);
	escape_terminal(&shown, str_text(&text));
	/* A number has room whatever the names are. */
	if (report->n_muted)
		str_addf(&muted, " (%zu muted)", report->n_muted);
	for (i = 0; i < shown.len && i < LINE_BYTES - muted.len; i++)
		str_addc(out, (unsigned char)shown.text[i] < 0x80 ? shown.text[i] : '?');
	str_addf(out, "%s\n", str_text(&muted));
	str_free(&muted);
	str_free(&text);
	str_free(&shown);
}

static int npd_exit_status(enum verdict verdict)
{
	return verdict == VERDICT_BAD ? 1 : verdict == VERDICT_UNKNOWN ? 2 : 0;
}

WRITER(npd) = {
	.name = "npd",
	.what = "for node-problem-detector; ends with 0, 1 bad, 2 unknown",
	.write = npd_write,
	.exit_status = npd_exit_status,
};
