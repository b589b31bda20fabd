/* SPDX-License-Identifier: GPL-2.0-only */
/* What check do the keys of a check file declare, and which of them are wrong? */
#include "base/banned.h"
#include "check/check_words.h"
#include "check/applies.h"
#include "check/compile.h"
#include "check/experiment.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/exec.h"
#include "check/compile_experiment.h"
#include "check/compile_metric.h"
#include "check/compile_util.h"
#include "check/keys.h"
#include "check/layer_files.h"
#include "check/next_steps.h"
#include "check/package_list.h"
#include "check/packed.h"
#include "check/seen.h"
#include "check/settings.h"
#include "check/trend_rule.h"
#include "trace/spec.h"

/* The longest that a trace may be asked to run: it is a look, not a watch. */
#define TRACE_SECONDS_MAX 60
#define TRACE_BUDGET_MAX 1e9
/* There are a hundred checks, and most are no larger. */
#define CHECK_BLOCK_BYTES ((size_t)16 << 10)

static void check_take_enabled(const struct key_job *job)
{
	struct check *check = job->thing;
	const char *value = job->setting->value;

	check->of_files = !strcmp(value, "given");
	check->opt_in = check->of_files || !strcmp(value, "named");
	if (check->opt_in)
		return;
	check->enabled = !strcmp(value, "yes");
	if (!check->enabled && strcmp(value, "no") != 0)
		complain_at(job->compile, job->setting,
			"'enabled' is yes, no, named or given, not '%s'", value);
}

/* A text that says whom the check is about, which has a form. */
static void check_take_applies(
	const struct key_job *job, int (*check)(const char *text, struct str *error))
{
	struct str error = STR_INIT;

	key_take_text(job);
	if (!compile_trusts(job->compile) && check(job->setting->value, &error))
		complain_at(job->compile, job->setting, "%s", str_text(&error));
	str_free(&error);
}

static void check_take_kernel(const struct key_job *job)
{
	check_take_applies(job, applies_check_kernel);
}

static void check_take_package(const struct key_job *job)
{
	check_take_applies(job, applies_check_package);
}

static void check_take_program(const struct key_job *job)
{
	key_take_text(job);
	if (!package_is_word(job->setting->value))
		complain_at(job->compile, job->setting,
			"'%s' is no name of a program: letters, digits and + . - : ~ _",
			job->setting->value);
}

static void check_take_expires(const struct key_job *job)
{
	check_take_applies(job, applies_check_expires);
}

#define AT(field) offsetof(struct check, field)
static const struct key check_keys[] = {
	{.name = "question", .take = key_take_text, .at = AT(question)},
	{.name = "area", .take = key_take_text, .at = AT(area)},
	{.name = "place", .take = key_take_text, .at = AT(place)},
	{.name = "headline", .take = key_take_text, .at = AT(headline)},
	{.name = "keywords", .take = key_take_text, .at = AT(keywords)},
	{.name = "needs", .take = key_take_text, .at = AT(needs)},
	{.name = "next", .take = next_step_take_key, .at = AT(next)},
	{.name = "seen", .take = key_take_seen, .at = AT(seen)},
	{.name = "kernel", .take = check_take_kernel, .at = AT(kernel)},
	{.name = "package", .take = check_take_package, .at = AT(package)},
	{.name = "program", .take = check_take_program, .at = AT(program)},
	{.name = "expires", .take = check_take_expires, .at = AT(expires)},
	{.name = "enabled", .take = check_take_enabled},
	/* These two are looked at together. */
	{.name = "exec"},
	{.name = "timeout"},
};
#undef AT

static void compile_foreign(struct compile *compile, const struct section *section)
{
	const struct setting *exec = section_find(section, "exec");
	const struct setting *timeout = section_find(section, "timeout");
	struct str error = STR_INIT;
	double seconds = 0;

	if (timeout && !exec)
		complain_at(compile, timeout, "'timeout' is about 'exec', and there is none");
	if (timeout)
		seconds = compile_number(compile, timeout, 0, FOREIGN_TIMEOUT_MAX);
	if (!exec || !*exec->value)
		return;
	compile->check->foreign = foreign_new(exec->value, exec->file, &error);
	if (!compile->check->foreign)
		complain_at(compile, exec, "%s", str_text(&error));
	else if (seconds > 0)
		foreign_set_timeout(compile->check->foreign, seconds);
	str_free(&error);
}

/*
 * An issue that is known for some versions only is written in a hurry and read by many. An area
 * of its own would hide it: it were in no part of a report, and of no incident. Other checks have
 * lint for that.
 */
static void compile_area(struct compile *compile, const struct section *section)
{
	static const char *const recent[] = {"expires", "kernel", "package"};
	const struct setting *area = section_find(section, "area");
	const char *near = NULL;
	bool is_recent = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(recent); i++)
		is_recent |= section_find(section, recent[i]) != NULL;
	if (compile_trusts(compile) || !area || !is_recent ||
		check_area_is_known(area->value, &near))
		return;
	if (near)
		complain_at(
			compile, area, "unknown area '%s'; did you mean '%s'?", area->value, near);
	else
		complain_at(compile, area,
			"unknown area '%s': it is one that a shipped check has (tuesday list)",
			area->value);
}

static void compile_check(struct compile *compile, const struct section *section)
{
	static const struct keys keys = {.list = check_keys, .n = ARRAY_SIZE(check_keys)};

	if (*section->name)
		complain_at(compile, section->list, "[check] has no name: the file's is it");
	compile_keys(compile, section, &keys, compile->check);
	compile_foreign(compile, section);
	compile_area(compile, section);
}

static void trace_take_when(const struct key_job *job)
{
	struct trace_spec *spec = job->thing;
	const char *value = job->setting->value;

	spec->always = !strcmp(value, "always");
	if (!spec->always && strcmp(value, "asked") != 0)
		complain_at(
			job->compile, job->setting, "'when' is asked or always, not '%s'", value);
}

/* "10000/s" */
static void trace_take_budget(const struct key_job *job)
{
	struct trace_spec *spec = job->thing;
	const char *value = job->setting->value;
	int n = num_with_unit(value, &spec->budget);

	if (n < 0 || strcmp(value + n, "/s") != 0)
		complain_at(job->compile, job->setting,
			"'%s' is no number of events a second, like 10000/s", value);
	else if (spec->budget < 1 || spec->budget > TRACE_BUDGET_MAX)
		complain_at(job->compile, job->setting, "'%s' is out of range for 'budget'", value);
}

#define AT(field) offsetof(struct trace_spec, field)
static const struct key trace_keys[] = {
	{.name = "tracer", .take = key_take_copy, .at = AT(tracer)},
	{.name = "begin", .take = key_take_copy, .at = AT(begin)},
	{.name = "end", .take = key_take_copy, .at = AT(end)},
	{.name = "event", .take = key_take_copy, .at = AT(event)},
	{.name = "key", .take = key_take_copy, .at = AT(key)},
	{.name = "end_key", .take = key_take_copy, .at = AT(end_key)},
	{.name = "who", .take = key_take_copy, .at = AT(who)},
	{.name = "who_kind", .take = key_take_copy, .at = AT(who_kind)},
	{.name = "by", .take = key_take_copy, .at = AT(by)},
	{.name = "value", .take = key_take_copy, .at = AT(value)},
	{.name = "where", .take = key_take_copy, .at = AT(where)},
	{.name = "since", .take = key_take_copy, .at = AT(since)},
	{.name = "ignore", .take = key_take_copy, .at = AT(ignore)},
	{.name = "when", .take = trace_take_when},
	{.name = "budget", .take = trace_take_budget},
	{.name = "slow", .take = key_take_number, .at = AT(slow_seconds), .above = -1, .most = 1e6},
	{.name = "seconds",
		.take = key_take_number,
		.at = AT(run_seconds),
		.above = 0,
		.most = TRACE_SECONDS_MAX},
	{.name = "value_unit",
		.take = key_take_number,
		.at = AT(value_unit),
		.above = 0,
		.most = 1e18},
};
#undef AT

static void compile_trace(struct compile *compile, const struct section *section)
{
	static const struct keys keys = {.list = trace_keys, .n = ARRAY_SIZE(trace_keys)};
	struct check *check = compile->check;
	struct trace_spec *spec = mem_zalloc(sizeof(*spec));
	size_t before = compile->complaints->n;
	struct str error = STR_INIT;
	const char *key = "";

	spec->check = mem_strdup(check->name);
	spec->name = mem_strdup(section->name);
	spec->value_unit = 1e-9;
	spec->run_seconds = 5;
	ARRAY_GROW(check->traces, check->n_traces, check->room_traces);
	check->traces[check->n_traces++] = spec;
	if (!is_name(section->name, "_"))
		complain_at(compile, section->list,
			"a trace is [trace NAME], the name of a-z, 0-9 and '_'");
	compile_keys(compile, section, &keys, spec);
	/* A mistake that is known already would only be said again in other words. */
	if (!compile_trusts(compile) && compile->complaints->n == before &&
		trace_spec_check(spec, &error, &key))
		complain_at(
			compile, section_place(section, key ? key : ""), "%s", str_text(&error));
	str_free(&error);
}

static void unknown_section(struct compile *compile, const struct section *section)
{
	static const char *const words[] = {"check", "metric", "trace", "experiment"};
	char *kind = mem_strndup(section->kind, section->kind_len);
	const char *near = suggest(kind, words, ARRAY_SIZE(words));
	const char *blank = *section->name ? " " : "";

	if (near)
		complain_at(compile, section->list, "unknown section [%s]; did you mean [%s%s%s]?",
			section->list->section, near, blank, section->name);
	else
		complain_at(compile, section->list,
			"unknown section [%s]: there are [check], [metric NAME], [trace NAME] and "
			"[experiment NAME]",
			section->list->section);
	free(kind);
}

static void compile_section(struct compile *compile, const struct section *section)
{
	if (section_is(section, "check"))
		compile_check(compile, section);
	else if (section_is(section, "metric"))
		compile_metric(compile, section);
	else if (section_is(section, "trace"))
		compile_trace(compile, section);
	else if (!section_is(section, "experiment"))
		unknown_section(compile, section);
	else if (!compile->only_judged)
		compile_experiment(compile, section);
}

/* From setting number at on. */
static void compile_sections(struct compile *compile, size_t at)
{
	struct section section;

	for (; at < compile->settings->n; at += section.n) {
		section = section_at(compile->settings, at);
		compile_section(compile, &section);
	}
}

/* A check that is switched off may be incomplete: it may be off for that. */
static void require_parts(struct compile *compile)
{
	const struct settings *settings = compile->settings;
	const struct check *check = compile->check;
	char *file = settings->n ? mem_strdup(settings->list[0].file)
				 : mem_printf("%s.ini", check->name);

	if (check->enabled && !check->question)
		complain(compile->complaints, file, 1,
			"[check] has no 'question': what does the check answer?");
	if (check->foreign && (check->n_metrics || check->n_traces || check->n_experiments))
		complain(compile->complaints, file, 0,
			"the program of 'exec' gives the verdict: there can be no [metric], "
			"[trace] "
			"or [experiment] beside it");
	if (check->enabled && !check->n_metrics && !check->foreign)
		complain(compile->complaints, file, 0,
			"there is no [metric NAME]: nothing would be looked at");
	free(file);
}

static void keep_settings(struct check *check, struct settings *settings)
{
	size_t i;

	check->owner = mem_alloc(sizeof(*check->owner));
	*check->owner = *settings;
	*settings = (struct settings){0};
	check->settings = check->owner->list;
	for (i = 0; i < check->owner->n; i++)
		if (*check->settings[i].key)
			check->settings[check->n_settings++] = check->settings[i];
}

static void drop_parts(struct check *check)
{
	check->n_metrics = 0;
	check->n_experiments = 0;
	while (check->n_traces)
		trace_spec_free(check->traces[--check->n_traces]);
}

static struct check *check_new(const char *name)
{
	struct check *check = mem_zalloc(sizeof(*check));

	check->name = mem_strdup(name);
	check->arena.block_bytes = CHECK_BLOCK_BYTES;
	check->enabled = true;
	return check;
}

struct check *check_compile(const char *name, bool asked, struct settings *settings,
	const struct trend_rule *trend, struct complaints *complaints)
{
	struct check *check = check_new(name);
	struct compile compile = {.check = check,
		.trend = trend ? trend_rule_copy(&check->arena, trend) : NULL,
		.settings = settings,
		.complaints = complaints};
	size_t before = complaints->n;

	compile_sections(&compile, 0);
	require_parts(&compile);
	if (settings_are_off(settings, asked)) {
		drop_parts(check);
		check->enabled = false;
	}
	keep_settings(check, settings);
	if (complaints->n == before)
		return check;
	check_free(check);
	return NULL;
}

struct check *check_compile_shipped(const struct embedded_check *shipped, bool asked,
	const struct trend_rule *trend, struct complaints *complaints)
{
	struct check *check = check_new(shipped->name);
	struct settings settings = {0};
	struct compile compile = {
		.check = check, .trend = trend, .settings = &settings, .complaints = complaints};
	size_t before = complaints->n;

	settings_from_packed(&settings, shipped->packed, shipped->file, false);
	compile_sections(&compile, 0);
	check->enabled = !settings_are_off(&settings, asked);
	check->pending = shipped;
	check->trend = trend;
	settings_free(&settings);
	if (complaints->n == before)
		return check;
	check_free(check);
	return NULL;
}

bool check_complete(struct check *check, bool all, struct complaints *complaints)
{
	const struct embedded_check *shipped = check->pending;
	struct settings settings = {0};
	struct compile compile = {.check = check,
		.trend = check->trend,
		.settings = &settings,
		.complaints = complaints,
		.only_judged = !all};
	size_t before = complaints->n;

	if (!shipped)
		return true;
	check->pending = NULL;
	settings_from_packed(&settings, shipped->packed, shipped->file, true);
	if (check->enabled)
		compile_sections(&compile, section_at(&settings, 0).n);
	if (all)
		keep_settings(check, &settings);
	settings_free(&settings);
	return complaints->n == before;
}
