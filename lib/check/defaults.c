/* SPDX-License-Identifier: GPL-2.0-only */
/* What has a metric that does not say it itself? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "check/check.h"
#include "check/compile_metric.h"
#include "check/compile_util.h"
#include "check/defaults.h"
#include "check/read_file.h"

extern const char check_defaults_ini[], check_defaults_ini_end[];

struct check_defaults {
	struct settings settings;
	struct trend_rule limit;
};

static bool defaults_compile(
	const struct settings *settings, struct complaints *complaints, struct trend_rule *limit)
{
	struct compile compile = {.settings = settings, .complaints = complaints};
	struct metric metric = {.class = CLASS_LIMIT};
	size_t before = complaints->n, at;
	struct section section;

	for (at = 0; at < settings->n; at += section.n) {
		section = section_at(settings, at);
		if (section_is(&section, "limit") && !*section.name)
			compile_trend(&compile, &section, &metric);
		else
			complain_at(&compile, section.list,
				"unknown section [%s]: there is [limit], for metrics of class "
				"limit",
				section.list->section);
	}
	if (complaints->n != before)
		return false;
	*limit = metric.trend;
	return true;
}

bool check_defaults_lay(struct check_defaults *defaults, const struct settings *layer,
	struct complaints *complaints)
{
	struct settings merged = {0};
	struct trend_rule limit;

	settings_merge(&merged, &defaults->settings);
	settings_merge(&merged, layer);
	if (!defaults_compile(&merged, complaints, &limit)) {
		settings_free(&merged);
		return false;
	}
	settings_free(&defaults->settings);
	defaults->settings = merged;
	defaults->limit = limit;
	return true;
}

struct check_defaults *check_defaults_new(void)
{
	struct check_defaults *defaults = mem_zalloc(sizeof(*defaults));
	struct str errors = STR_INIT;
	struct complaints complaints = {.out = &errors};
	struct settings own = {0};

	if (!settings_parse(&own, DEFAULTS_NAME ".ini", check_defaults_ini,
		    (size_t)(check_defaults_ini_end - check_defaults_ini), &complaints) ||
		!check_defaults_lay(defaults, &own, &complaints))
		abort();
	settings_free(&own);
	str_free(&errors);
	return defaults;
}

void check_defaults_free(struct check_defaults *defaults)
{
	settings_free(&defaults->settings);
	free(defaults);
}

const struct trend_rule *check_defaults_trend(const struct check_defaults *defaults)
{
	return &defaults->limit;
}
