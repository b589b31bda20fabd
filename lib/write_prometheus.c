/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does the textfile collector of a node_exporter get? A file is dropped as a whole for one
 * wrong line, so: each family once and contiguous, HELP before TYPE, no timestamps, no value that
 * is none.
 *
 * Only names from check files become labels. Processes, addresses and instances do not: each would
 * be a new time series for ever.
 */
#include <math.h>

#include "escape.h"
#include "result.h"
#include "str.h"
#include "writer.h"

static void add_family(struct str *out, const char *name, const char *help)
{
	str_addf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void add_label(struct str *out, const char *name, const char *value)
{
	str_addf(out, "%s=\"", name);
	escape_prometheus(out, value);
	str_addc(out, '"');
}

static void add_single(struct str *out, const char *name, const char *help, double value)
{
	if (!isfinite(value))
		return;
	add_family(out, name, help);
	str_addf(out, "%s %.15g\n", name, value);
}

static void add_states(struct str *out, const struct report *report)
{
	static const enum verdict verdicts[] = {
		VERDICT_GOOD, VERDICT_MAYBE, VERDICT_BAD, VERDICT_UNKNOWN, VERDICT_SKIP};
	size_t i, k;

	if (!report->n_checks)
		return;
	add_family(out, "tuesday_check_state",
		"Check verdict as a state set; exactly one state is 1.");
	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < ARRAY_SIZE(verdicts); k++) {
			str_add(out, "tuesday_check_state{");
			add_label(out, "check", report->checks[i].check->name);
			str_addc(out, ',');
			add_label(out, "state", verdict_text(verdicts[k]));
			str_addf(out, "} %d\n", report->checks[i].verdict == verdicts[k]);
		}
}

/* One sample of a family about a metric; the family's head before the first. level may be NULL. */
static void add_sample(struct str *out, const char *name, const char *help, bool *begun,
	const struct check_result *check, const struct metric *metric, const char *level,
	double value)
{
	if (!isfinite(value))
		return;
	if (!*begun)
		add_family(out, name, help);
	*begun = true;
	str_addf(out, "%s{", name);
	add_label(out, "check", check->check->name);
	str_addc(out, ',');
	add_label(out, "metric", metric->name);
	if (level) {
		str_addc(out, ',');
		add_label(out, "level", level);
	}
	str_addf(out, "} %.15g\n", value);
}

static void add_values(struct str *out, const struct report *report)
{
	bool begun = false;
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_metrics; k++) {
			const struct metric_result *metric = &report->checks[i].metrics[k];

			add_sample(out, "tuesday_check_value",
				"Measured value in the unit that ends the name of the metric; its "
				"worst instance.",
				&begun, &report->checks[i], metric->metric, NULL, metric->value);
		}
}

static void add_thresholds(struct str *out, const struct report *report)
{
	const char *name = "tuesday_check_threshold";
	const char *help = "Limit in force, after all layers of check files.";
	bool begun = false;
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_metrics; k++) {
			const struct check_result *check = &report->checks[i];
			const struct metric_result *metric = &check->metrics[k];

			add_sample(out, name, help, &begun, check, metric->metric, "acquit",
				metric->acquit);
			add_sample(out, name, help, &begun, check, metric->metric, "maybe",
				metric->maybe);
			add_sample(
				out, name, help, &begun, check, metric->metric, "bad", metric->bad);
		}
}

static void prometheus_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	(void)options;
	add_states(out, report);
	add_values(out, report);
	add_thresholds(out, report);
	add_single(out, "tuesday_last_run_timestamp_seconds", "Unix time when the last run ended.",
		(double)report->time_start + report->seconds);
	add_single(out, "tuesday_run_seconds", "How long the last run took.", report->seconds);
	add_single(out, "tuesday_run_cpu_seconds", "CPU time used by the last run.",
		(double)report->cost.cpu_ns / 1e9);
	if (!report->type.name)
		return;
	add_family(out, "tuesday_report_type_info", "Type of the incident, if there is one.");
	str_add(out, "tuesday_report_type_info{");
	add_label(out, "type", report->type.name);
	str_add(out, "} 1\n");
}

WRITER(prometheus) = {
	.name = "prometheus",
	.what = "a file for the textfile collector of node_exporter",
	.write = prometheus_write,
};
