/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does the textfile collector of a node_exporter get? A file is dropped as a whole for one
 * wrong line, so: each family once and contiguous, HELP before TYPE, no timestamps, no value that
 * is none.
 *
 * Only names from check files become labels. Processes, addresses and instances do not: each would
 * be a new time series for ever.
 */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "report/report.h"
#include "base/str.h"
#include "output/writer.h"

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

static void prometheus_add_single(struct str *out, const char *name, const char *help, double value)
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

struct prometheus_label {
	const char *name, *value;
};

/* One sample of a family about a metric; the family's head before the first. more may be NULL. */
static void prometheus_add_sample(struct str *out, const char *name, const char *help, bool *begun,
	const struct check_result *check, const struct metric *metric,
	const struct prometheus_label *more, double value)
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
	if (more) {
		str_addc(out, ',');
		add_label(out, more->name, more->value);
	}
	str_addf(out, "} %.15g\n", value);
}

/*
 * Whether this one is the sample of its metric. The values of another program share names, one for
 * each unit, and a sample that stands twice breaks the whole scrape: the worst is it, as for
 * instances.
 */
static bool is_sample(const struct check_result *check, size_t k)
{
	const struct metric_result *metric = &check->metrics[k];
	size_t i;

	if (!check->check->foreign)
		return true;
	if (!isfinite(metric->value))
		return false;
	for (i = 0; i < check->n_metrics; i++) {
		const struct metric_result *other = &check->metrics[i];

		if (i == k || !isfinite(other->value) ||
			strcmp(other->metric->name, metric->metric->name) != 0)
			continue;
		if (verdict_is_worse(other->verdict, metric->verdict) ||
			(i < k && other->verdict == metric->verdict))
			return false;
	}
	return true;
}

static void add_values(struct str *out, const struct report *report)
{
	bool begun = false;
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_metrics; k++) {
			const struct metric_result *metric = &report->checks[i].metrics[k];

			if (!is_sample(&report->checks[i], k))
				continue;
			prometheus_add_sample(out, "tuesday_check_value",
				"Measured value in the unit that ends the name of the metric; its "
				"worst instance.",
				&begun, &report->checks[i], metric->metric, NULL, metric->value);
		}
}

static void add_thresholds(struct str *out, const struct report *report)
{
	bool begun = false;
	size_t i, k, n;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_metrics; k++) {
			const struct check_result *check = &report->checks[i];
			const struct metric_result *metric = &check->metrics[k];
			const struct {
				struct prometheus_label label;
				double limit;
			} levels[] = {
				{{"level", "acquit"}, metric->acquit},
				{{"level", "maybe"}, metric->maybe},
				{{"level", "bad"}, metric->bad},
			};

			for (n = 0; is_sample(check, k) && n < ARRAY_SIZE(levels); n++)
				prometheus_add_sample(out, "tuesday_check_threshold",
					"Limit in force, after all layers of check files.", &begun,
					check, metric->metric, &levels[n].label, levels[n].limit);
		}
}

static void add_forecasts(struct str *out, const struct report *report)
{
	bool begun = false;
	size_t i, k;

	for (i = 0; i < report->n_checks; i++)
		for (k = 0; k < report->checks[i].n_metrics; k++) {
			const struct check_result *check = &report->checks[i];
			const struct metric_result *metric = &check->metrics[k];

			if (!metric->forecast.known || !is_sample(check, k))
				continue;
			prometheus_add_sample(out, "tuesday_limit_reached_in_seconds",
				"Time until a limit is reached if it goes on as in the windows of "
				"this run, or as in earlier runs (source); absent where it does "
				"not grow.",
				&begun, check, metric->metric,
				&(struct prometheus_label){
					"source", forecast_source_text(metric->forecast.source)},
				metric->forecast.seconds);
		}
}

/* Whether the time since the run before has accused this metric, and worse than this run. */
static bool is_past(const struct check_result *check, const struct metric *metric)
{
	size_t i;

	for (i = 0; i < check->n_past; i++)
		if (check->past[i].metric == metric)
			return true;
	return false;
}

static void add_accuser(struct str *out, bool *begun, const struct check_result *check,
	const struct metric_result *metric)
{
	if (metric->verdict != VERDICT_MAYBE && metric->verdict != VERDICT_BAD)
		return;
	if (!*begun)
		add_family(out, "tuesday_metric_accuses",
			"A metric beyond a limit, now or since the run before; absent where none "
			"is.");
	*begun = true;
	str_add(out, "tuesday_metric_accuses{");
	add_label(out, "check", check->check->name);
	str_addc(out, ',');
	add_label(out, "metric", metric->metric->name);
	str_addc(out, ',');
	add_label(out, "class", metric_class_text(metric->metric->class));
	str_addc(out, ',');
	add_label(out, "state", verdict_text(metric->verdict));
	str_add(out, "} 1\n");
}

/* By their class an alert knows an event, which is over in the next run, from what has to last. */
static void add_accusers(struct str *out, const struct report *report)
{
	bool begun = false;
	size_t i, k;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *check = &report->checks[i];

		for (k = 0; k < check->n_metrics; k++)
			if (is_sample(check, k) && !is_past(check, check->metrics[k].metric))
				add_accuser(out, &begun, check, &check->metrics[k]);
		for (k = 0; k < check->n_past; k++)
			add_accuser(out, &begun, check, &check->past[k]);
	}
}

static void add_mutes(struct str *out, const struct report *report)
{
	size_t i;

	if (!report->n_muted)
		return;
	add_family(out, "tuesday_check_muted_until_timestamp_seconds",
		"Unix time when a check that a person has muted is told of again.");
	for (i = 0; i < report->n_muted; i++) {
		str_add(out, "tuesday_check_muted_until_timestamp_seconds{");
		add_label(out, "check", report->muted[i].check);
		str_addf(out, "} %lld\n", (long long)report->muted[i].until);
	}
}

/* By these an alert knows a gap that is no fault. */
static void prometheus_add_set_aside(struct str *out, const struct report *report)
{
	bool begun = false;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->set_aside == ASIDE_NOT)
			continue;
		if (!begun)
			add_family(out, "tuesday_check_set_aside",
				"1 for a check whose verdict does not count: a gap that "
				"tuesday.ini "
				"expects, or a mute that is honoured; else absent.");
		begun = true;
		str_add(out, "tuesday_check_set_aside{");
		add_label(out, "check", result->check->name);
		str_addc(out, ',');
		add_label(out, "why", set_aside_text(result->set_aside));
		str_add(out, "} 1\n");
	}
}

/* Without labels: what people write would be a series each time. */
static void prometheus_add_announced(struct str *out, const struct report *report)
{
	time_t until = 0;
	size_t i;

	for (i = 0; i < report->n_announced; i++)
		until = report->announced[i].until > until ? report->announced[i].until : until;
	if (report->n_announced)
		prometheus_add_single(out, "tuesday_announced_until_timestamp_seconds",
			"Unix time when the last of what was announced for this machine, as a "
			"rollout, is over.",
			(double)until);
}

static void prometheus_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	(void)options;
	add_states(out, report);
	add_values(out, report);
	add_thresholds(out, report);
	add_forecasts(out, report);
	add_accusers(out, report);
	add_mutes(out, report);
	prometheus_add_set_aside(out, report);
	prometheus_add_announced(out, report);
	prometheus_add_single(out, "tuesday_refused_check_files",
		"Check files, or folders of them, that are wrong: these checks do not run, or not "
		"as "
		"the file says.",
		(double)report->n_refused);
	prometheus_add_single(out, "tuesday_last_run_timestamp_seconds",
		"Unix time when the last run ended.", (double)report->time_start + report->seconds);
	prometheus_add_single(
		out, "tuesday_run_seconds", "How long the last run took.", report->seconds);
	prometheus_add_single(out, "tuesday_run_cpu_seconds", "CPU time used by the last run.",
		(double)report->cost.cpu_ns / 1e9);
	if (!report->type.name)
		return;
	add_family(out, "tuesday_report_type_info", "Type of the incident, if there is one.");
	str_add(out, "tuesday_report_type_info{");
	add_label(out, "type", report->type.name);
	if (report->type.derived) {
		str_addc(out, ',');
		add_label(out, "derived", report->type.derived);
	}
	str_add(out, "} 1\n");
}

WRITER(prometheus) = {
	.name = "prometheus",
	.what = "a file for the textfile collector of node_exporter",
	.write = prometheus_write,
	.is_collected = true,
};
