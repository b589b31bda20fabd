/* SPDX-License-Identifier: GPL-2.0-only */
/* How is what a report knows said to people, on a terminal as in a browser? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "output/writer.h"
#include "tools/report/phrases.h"
#include "base/unit.h"
#include "tools/report/areas.h"
#include "tools/report/status.h"

#define STEPS_MAX 100

static void phrase_add_value(struct str *out, const char *label, double value, enum unit unit)
{
	str_add(out, label);
	value_for_people(out, value, unit);
}

void say_time(struct str *out, time_t time)
{
	struct tm utc;
	char text[64];

	if (time && gmtime_r(&time, &utc) &&
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &utc))
		str_add(out, text);
	else
		str_add(out, "an unknown time");
}

void say_culprit(struct str *out, const struct culprit *culprit)
{
	bool process = !strcmp(culprit->kind, "process");

	if (!process)
		str_addf(out, "%s ", culprit->kind);
	str_add(out, culprit->name);
	if (*culprit->id)
		str_addf(out, " (%s%s)", process ? "pid " : "", culprit->id);
	if (isfinite(culprit->share) && culprit->share >= 0)
		phrase_add_value(out, " ", culprit->share, UNIT_RATIO);
}

void say_shift(struct str *out, const struct shift *shift)
{
	bool again = shift->first == shift->last;

	str_addf(out, again ? "%s is %s again since " : "%s turned %s at ", shift->check,
		verdict_text(shift->last));
	say_time(out, shift->since);
	if (!again)
		str_addf(out, ", and was %s at first", verdict_text(shift->first));
	if (shift->changes > 1)
		str_addf(out, " (%zu changes)", shift->changes);
}

void say_metric(struct str *out, const char *check, const char *metric, const char *instance)
{
	str_addf(out, "%s %s", check, metric);
	if (instance && *instance)
		str_addf(out, "[%s]", instance);
}

void say_window(struct str *out, const struct report *report, const struct check_result *result)
{
	bool any = false;

	if (report->windows) {
		str_addf(out, "%u window%s of ", report->windows, report->windows == 1 ? "" : "s");
		value_for_people(out, report->window_seconds, UNIT_SECONDS);
		any = true;
	}
	if (result->cost.trace_ns) {
		phrase_add_value(out, any ? ", traced for " : "traced for ",
			(double)result->cost.trace_ns / 1e9, UNIT_SECONDS);
		any = true;
	}
	if (result->verdict != VERDICT_UNKNOWN && result->tier == TIER_EXPERIMENT)
		str_addf(out, "%san experiment", any ? ", " : "");
}

void say_machine(struct str *out, const struct report *report)
{
	const char *comma = "";

	if (report->kernel) {
		str_addf(out, "Linux %s", report->kernel);
		comma = ", ";
	}
	if (report->cpus) {
		str_addf(out, "%s%u CPU%s", comma, report->cpus, report->cpus == 1 ? "" : "s");
		comma = ", ";
	}
	if (isfinite(report->uptime_seconds)) {
		str_add(out, comma);
		phrase_add_value(out, "up ", report->uptime_seconds, UNIT_SECONDS);
	}
	if (report->replay)
		str_add(out, ", replayed");
}

void say_cost(struct str *out, const struct cost *cost)
{
	phrase_add_value(out, "", (double)cost->cpu_ns / 1e9, UNIT_SECONDS);
	phrase_add_value(out, " of CPU time in ", (double)cost->wall_ns / 1e9, UNIT_SECONDS);
	if (cost->rss_bytes)
		phrase_add_value(out, ", at most ", (double)cost->rss_bytes, UNIT_BYTES);
	if (cost->rss_bytes)
		str_add(out, " of memory");
	if (cost->trace_ns)
		phrase_add_value(out, ", tracing for ", (double)cost->trace_ns / 1e9, UNIT_SECONDS);
	if (cost->trace_ns && cost->bpf_known) {
		phrase_add_value(out, " (", (double)cost->bpf_ns / 1e9, UNIT_SECONDS);
		str_add(out, " in BPF)");
	}
}

void say_counts(struct str *out, const size_t at[VERDICTS])
{
	static const enum verdict order[] = {
		VERDICT_BAD, VERDICT_MAYBE, VERDICT_UNKNOWN, VERDICT_GOOD, VERDICT_SKIP};
	const char *comma = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		if (!at[order[i]])
			continue;
		str_addf(out, "%s%zu %s", comma, at[order[i]], verdict_text(order[i]));
		comma = ", ";
	}
	if (!*comma)
		str_add(out, "no check");
}

void say_area(struct str *out, const struct report *report, const struct area *area)
{
	size_t i;

	for (i = 0; i < area->n && is_accused(&report->checks[area->checks[i]]); i++)
		str_addf(out, "%s%s", i ? ", " : "", report->checks[area->checks[i]].check->name);
	str_add(out, i ? ": " : "");
	say_counts(out, area->at);
}

const char *instance_of(const struct metric_result *metric)
{
	return metric->label && *metric->label ? metric->label : metric->instance;
}

const char *first_text(const char *a, const char *b)
{
	return a && *a ? a : b ? b : "";
}

bool is_shown(const struct check_result *result, const struct metric_result *metric)
{
	if (result->verdict == VERDICT_SKIP)
		return false;
	return isfinite(metric->value) || (metric->missing && result->verdict == VERDICT_UNKNOWN);
}

const char *whose_words(const struct story *story)
{
	return story->advice
		? "This report was read from a file, not made here. Commands, remedies and "
		  "sources are those of the check files here, and commands that need a "
		  "name are left out."
		: NULL;
}

const char *unexamined_heading(const struct story *story)
{
	return story->advice ? "Not examined, and why by the report's own words" : "Not examined";
}

const char *unexamined_column(const struct story *story)
{
	return story->advice ? "Why, by the report's own words" : "Why, and what would change it";
}

static bool phrase_is_among(const char *const *list, size_t n, const char *text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i], text))
			return true;
	return false;
}

const char **next_steps(const struct report *report, size_t *n)
{
	const char **steps = mem_realloc_array(NULL, STEPS_MAX, sizeof(*steps));
	size_t *order = worst_checks(report), i, k;

	*n = 0;
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[order[i]];

		for (k = 0; k < result->n_next && *n < STEPS_MAX; k++)
			if (!phrase_is_among(steps, *n, result->next[k]))
				steps[(*n)++] = result->next[k];
	}
	free(order);
	return steps;
}
