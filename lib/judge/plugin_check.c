/* SPDX-License-Identifier: GPL-2.0-only */
/* What does somebody else's program say, and which verdict is that? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "judge/plugin_check.h"
#include "judge/perfdata.h"
#include "sys/subprocess.h"
#include "capture/capture.h"
#include "base/str.h"
#include "base/unit.h"
#include "check/exec.h"
#include "check/check.h"
#include "report/report.h"

#define BLOB "plugin-"

static void plugin_check_refuse(struct foreign *foreign, const char *why)
{
	plugin_report_failure(&foreign->report, why);
	foreign->answered = true;
}

static void start_one(struct foreign *foreign)
{
	struct str why = STR_INIT;
	int err;

	str_clear(&foreign->report);
	foreign->answered = false;
	if (foreign_trusted(foreign, &why)) {
		char *phrase = mem_printf("was not run: %s", str_text(&why));

		plugin_check_refuse(foreign, phrase);
		free(phrase);
		str_free(&why);
		return;
	}
	err = plugin_start(&foreign->plugin);
	foreign->started = !err;
	if (err)
		plugin_check_refuse(foreign, strerror(-err));
}

void foreign_start(struct check *const *checks, char *const *skipped, size_t n, struct capture *fs)
{
	size_t i;

	for (i = 0; i < n && capture_is_live(fs); i++)
		if (checks[i]->foreign && !skipped[i])
			start_one(checks[i]->foreign);
}

void foreign_collect(struct check *const *checks, size_t n, struct capture *fs,
	bool (*tick)(void *arg), void *arg)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct foreign *foreign = checks[i]->foreign;
		char *name;

		if (!foreign || (!foreign->started && !foreign->answered))
			continue;
		if (foreign->started)
			plugin_collect(&foreign->plugin, tick, arg, &foreign->report);
		foreign->started = false;
		foreign->answered = true;
		name = mem_printf(BLOB "%s", checks[i]->name);
		capture_put_blob(fs, name, str_text(&foreign->report), foreign->report.len);
		free(name);
	}
}

/* What was said just now, or in the recording. */
static int get_report(const struct check *check, struct capture *fs, struct bytes *out)
{
	const struct str *report = &check->foreign->report;
	char *name;
	int err;

	if (check->foreign->answered) {
		*out = (struct bytes){str_text(report), report->len};
		return 0;
	}
	name = mem_printf(BLOB "%s", check->name);
	err = capture_get_blob(fs, name, out);
	free(name);
	return err;
}

static struct metric *new_metric(struct foreign *foreign, const struct perf *perf)
{
	struct metric *metric = mem_zalloc(sizeof(*metric));

	metric->name = mem_printf("perfdata_%s", unit_text(perf->unit));
	metric->unit = perf->unit;
	metric->class = CLASS_HARM;
	metric->source = mem_printf("the thresholds of %s", foreign->words[0]);
	ARRAY_GROW(foreign->metrics, foreign->n_metrics, foreign->room_metrics);
	foreign->metrics[foreign->n_metrics++] = metric;
	return metric;
}

/* The end of a range that the value is nearer to, as a limit to be shown. */
static double nearest_end(const struct perf_range *range, double value, struct limit *limit)
{
	bool low = !isfinite(range->high) ||
		(isfinite(range->low) && value - range->low < range->high - value);
	double end = low ? range->low : range->high;

	/* "10" means 0:10, and nearly always the 10. */
	if (range->low == 0 && isfinite(range->high) && value >= 0) {
		low = false;
		end = range->high;
	}
	if (!range->set || range->inside || !isfinite(end))
		return NAN;
	limit->set = true;
	limit->op = low ? OP_LT : OP_GT;
	return end;
}

static void judge_perf(struct foreign *foreign, const struct perf *perf, struct metric_result *out)
{
	struct metric *metric = new_metric(foreign, perf);

	*out = (struct metric_result){.metric = metric,
		.instance = mem_strdup(perf->label),
		.label = mem_strdup(perf->label),
		.value = perf->value,
		.acquit = NAN,
		.look = NAN,
		.verdict = VERDICT_GOOD,
		.instances = 1};
	out->maybe = nearest_end(&perf->warn, perf->value, &metric->maybe.plain);
	out->bad = nearest_end(&perf->crit, perf->value, &metric->bad.plain);
	if (isnan(perf->value)) {
		out->verdict = VERDICT_UNKNOWN;
		out->missing = mem_strdup("the program does not know it");
	} else if (perf_range_alerts(&perf->crit, perf->value)) {
		out->verdict = VERDICT_BAD;
	} else if (perf_range_alerts(&perf->warn, perf->value)) {
		out->verdict = VERDICT_MAYBE;
	}
	out->accused = out->verdict == VERDICT_MAYBE || out->verdict == VERDICT_BAD;
}

static void judge_output(
	struct foreign *foreign, const struct plugin_output *output, struct check_result *result)
{
	size_t i;

	result->metrics = mem_zalloc((output->n + 1) * sizeof(*result->metrics));
	for (i = 0; i < output->n; i++)
		judge_perf(foreign, &output->list[i], &result->metrics[result->n_metrics++]);
}

/* The program knows its thresholds better than its performance data says them. */
static void hold_back(struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		struct metric_result *metric = &result->metrics[i];

		if (metric->verdict == VERDICT_UNKNOWN ||
			!verdict_is_worse(metric->verdict, result->verdict))
			continue;
		metric->verdict = result->verdict;
		metric->capped = true;
		metric->accused = 0;
	}
}

static void not_known(struct check_result *result, char *reason)
{
	result->verdict = VERDICT_UNKNOWN;
	result->reason = reason;
	result->summary = mem_strdup(reason);
}

static void judge_exit(const struct plugin_report *report, const struct plugin_output *output,
	const char *program, struct check_result *result)
{
	static const enum verdict verdicts[] = {
		VERDICT_GOOD, VERDICT_MAYBE, VERDICT_BAD, VERDICT_UNKNOWN};
	const char *text = *output->text ? output->text : "said nothing";

	if (report->status >= (int)ARRAY_SIZE(verdicts)) {
		not_known(result,
			mem_printf("%s ended with exit status %d, which is none of a plugin's: %s",
				program, report->status, text));
		return;
	}
	result->verdict = verdicts[report->status];
	if (result->verdict == VERDICT_UNKNOWN) {
		not_known(result, mem_strdup(text));
		return;
	}
	result->summary = mem_strdup(text);
	result->exonerated = result->verdict == VERDICT_GOOD;
	if (result->exonerated)
		result->evidence = mem_strdup(text);
}

void foreign_judge(const struct check *check, struct capture *fs, struct check_result *result)
{
	struct foreign *foreign = check->foreign;
	struct plugin_output output = {0};
	struct plugin_report report;
	struct bytes text;
	int err = get_report(check, fs, &text);

	foreign_clear_metrics(foreign);
	result->tier = TIER_COUNTERS;
	result->confidence = CONFIDENCE_MEDIUM;
	if (!err)
		err = plugin_report_parse(&report, text.data, text.len);
	if (err == -EBADMSG)
		not_known(result, mem_strdup("what its program said was recorded otherwise"));
	else if (err && capture_is_replay(fs))
		not_known(result, mem_strdup("the recording has no answer of its program"));
	else if (err)
		not_known(result, mem_strdup("a program runs only on the machine itself"));
	else if (report.end == PLUGIN_FAILED)
		not_known(result, mem_printf("%s %s", foreign->words[0], report.why));
	if (err || report.end == PLUGIN_FAILED)
		return;
	plugin_output_parse(&output, report.output, report.output_len);
	judge_output(foreign, &output, result);
	judge_exit(&report, &output, foreign->words[0], result);
	if (result->verdict != VERDICT_UNKNOWN)
		hold_back(result);
	plugin_output_free(&output);
}
