/* SPDX-License-Identifier: GPL-2.0-only */
/* What check do the keys of a check file declare, and which of them are wrong? */
#include "check/applies.h"
#include "check/compile.h"
#include "check/experiment.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/exec.h"
#include "check/compile_experiment.h"
#include "check/compile_metric.h"
#include "check/compile_util.h"
#include "check/settings.h"
#include "trace/spec.h"

/* The longest that a trace may be asked to run: it is a look, not a watch. */
#define TRACE_SECONDS_MAX 60

static void compile_enabled(struct compile *compile, const struct setting *setting)
{
	struct check *check = compile->check;

	check->opt_in = !strcmp(setting->value, "named");
	if (check->opt_in)
		return;
	check->enabled = !strcmp(setting->value, "yes");
	if (!check->enabled && strcmp(setting->value, "no") != 0)
		complain_at(compile, setting, "'enabled' is yes, no or named, not '%s'",
			setting->value);
}

static void check_applies(struct compile *compile, const struct setting *setting)
{
	struct str error = STR_INIT;
	int err = 0;

	if (!strcmp(setting->key, "kernel"))
		err = applies_check_kernel(setting->value, &error);
	else if (!strcmp(setting->key, "package"))
		err = applies_check_package(setting->value, &error);
	else if (!strcmp(setting->key, "expires"))
		err = applies_check_expires(setting->value, &error);
	if (err)
		complain_at(compile, setting, "%s", str_text(&error));
	str_free(&error);
}

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

static void compile_check(struct compile *compile, const struct section *section)
{
	static const char *const words[] = {"question", "area", "needs", "next", "kernel",
		"package", "expires", "enabled", "exec", "timeout"};
	struct check *check = compile->check;
	const char **const texts[] = {&check->question, &check->area, &check->needs, &check->next,
		&check->kernel, &check->package, &check->expires};
	size_t i, k;

	if (*section->name)
		complain_at(compile, section->list, "[check] has no name: the file's is it");
	for (i = 1; i < section->n; i++) {
		const struct setting *setting = &section->list[i];

		for (k = 0; k < ARRAY_SIZE(words); k++)
			if (!strcmp(setting->key, words[k]))
				break;
		if (k == ARRAY_SIZE(words))
			complain_unknown_key(compile, setting, words, ARRAY_SIZE(words));
		else if (is_empty(compile, setting))
			continue;
		else if (k < ARRAY_SIZE(texts))
			*texts[k] = setting->value;
		else if (!strcmp(setting->key, "enabled"))
			compile_enabled(compile, setting);
		if (k < ARRAY_SIZE(words))
			check_applies(compile, setting);
	}
	compile_foreign(compile, section);
}

static void compile_trace_key(
	struct compile *compile, struct trace_spec *spec, const struct setting *setting)
{
	static const char *const words[] = {"tracer", "begin", "end", "event", "key", "end_key",
		"who", "who_kind", "by", "value", "ignore", "slow", "seconds", "value_unit"};
	char **const texts[] = {&spec->tracer, &spec->begin, &spec->end, &spec->event, &spec->key,
		&spec->end_key, &spec->who, &spec->who_kind, &spec->by, &spec->value,
		&spec->ignore};
	size_t k;

	for (k = 0; k < ARRAY_SIZE(words); k++)
		if (!strcmp(setting->key, words[k]))
			break;
	if (k == ARRAY_SIZE(words))
		complain_unknown_key(compile, setting, words, ARRAY_SIZE(words));
	else if (is_empty(compile, setting))
		return;
	else if (k < ARRAY_SIZE(texts))
		*texts[k] = mem_strdup(setting->value);
	else if (!strcmp(setting->key, "slow"))
		spec->slow_seconds = compile_number(compile, setting, -1, 1e6);
	else if (!strcmp(setting->key, "seconds"))
		spec->run_seconds = compile_number(compile, setting, 0, TRACE_SECONDS_MAX);
	else
		spec->value_unit = compile_number(compile, setting, 0, 1e18);
}

static void compile_trace(struct compile *compile, const struct section *section)
{
	struct check *check = compile->check;
	struct trace_spec *spec = mem_zalloc(sizeof(*spec));
	size_t before = compile->complaints->n, i;
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
	for (i = 1; i < section->n; i++)
		compile_trace_key(compile, spec, &section->list[i]);
	/* A mistake that is known already would only be said again in other words. */
	if (compile->complaints->n == before && trace_spec_check(spec, &error, &key))
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

static void compile_sections(struct compile *compile)
{
	struct section section;
	size_t at;

	for (at = 0; at < compile->settings->n; at += section.n) {
		section = section_at(compile->settings, at);
		if (section_is(&section, "check"))
			compile_check(compile, &section);
		else if (section_is(&section, "metric"))
			compile_metric(compile, &section);
		else if (section_is(&section, "trace"))
			compile_trace(compile, &section);
		else if (section_is(&section, "experiment"))
			compile_experiment(compile, &section);
		else
			unknown_section(compile, &section);
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
	while (check->n_metrics)
		metric_free(check->metrics[--check->n_metrics]);
	while (check->n_traces)
		trace_spec_free(check->traces[--check->n_traces]);
	while (check->n_experiments)
		experiment_free(check->experiments[--check->n_experiments]);
}

struct check *check_compile(
	const char *name, bool asked, struct settings *settings, struct complaints *complaints)
{
	struct check *check = mem_zalloc(sizeof(*check));
	struct compile compile = {check, settings, complaints};
	size_t before = complaints->n;

	check->name = mem_strdup(name);
	check->enabled = true;
	compile_sections(&compile);
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
