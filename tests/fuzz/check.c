/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any check file, or any pile of layers, break us or get through half understood?
 *
 * A NUL byte in the input ends one layer and begins the next.
 */
#include "base/banned.h"

#include <stdint.h>

#include "check/lint.h"
#include "check/compile.h"
#include "base/diag.h"
#include "check/experiment.h"
#include "sample/sweep.h"
#include "base/str.h"
#include "check/layers.h"
#include "check/settings.h"
#include "check/read_file.h"
#include "trace/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_metric(const struct check *check, const struct metric *metric)
{
	size_t i;

	require(metric->name && *metric->name && metric->value && metric->source);
	require(metric->file && metric->line > 0);
	require(metric->sustained_k <= metric->sustained_n);
	for (i = 0; i < metric->n_howevers; i++)
		require(metric->howevers[i].when && metric->howevers[i].say);
	if (!metric->trace)
		return;
	for (i = 0; i < check->n_traces; i++)
		if (!strcmp(check->traces[i]->name, metric->trace))
			return;
	abort();
}

static void check_experiment(const struct experiment *experiment)
{
	static const char *const values[] = {
		"", "0", "8192", "none", "max 100000", "18446744073709551616"};
	size_t i;

	require(experiment->name && *experiment->name && experiment->line > 0);
	require(experiment->margin > 0 && experiment->margin <= 1 && experiment->rounds >= 8 &&
		experiment->measure_seconds > 0 && experiment->settle_seconds >= 0 &&
		experiment->bound > 1 && experiment->risk <= EXPERIMENT_RISK_MAX);
	for (i = 0; i < experiment->guards.n; i++)
		require(experiment->guards.list[i].when && experiment->guards.list[i].say);
	for (i = 0; i < experiment->refuse.n; i++)
		require(experiment->refuse.list[i].when && experiment->refuse.list[i].say);
	if (experiment->refused)
		return;
	require((experiment->knob != NULL) + (experiment->apply != NULL) +
			(experiment->hold != NULL) ==
		1);
	require(experiment->risk >= 1 && !experiment->say == !experiment->say_worse);
	for (i = 0; experiment->knob && i < ARRAY_SIZE(values); i++) {
		char *out = NULL;
		int err = experiment_new_value(experiment, values[i], &out);

		require(!err == (out != NULL));
		free(out);
	}
}

/* Whatever is accepted is whole. */
static void check_whole(const struct check *check)
{
	struct sweep *sweep = sweep_new();
	size_t i;

	if (check->enabled)
		require(check->question && check->n_metrics);
	else
		require(!check->n_metrics && !check->n_traces && !check->n_experiments);
	for (i = 0; i < check->n_metrics; i++)
		check_metric(check, check->metrics[i]);
	for (i = 0; i < check->n_experiments; i++)
		check_experiment(check->experiments[i]);
	for (i = 0; i < check->n_settings; i++)
		require(*check->settings[i].key && *check->settings[i].value);
	check_lint(check, NULL);
	check_lint_meaning(check, NULL, 0, NULL);
	check_bind(check, sweep);
	sweep_free(sweep);
}

static void check_alone(const char *text, size_t len)
{
	struct str errors = STR_INIT;
	struct check *check = check_parse("x", text, len, &errors);

	require(!check == (errors.len != 0));
	if (check)
		check_whole(check);
	check_free(check);
	str_free(&errors);
}

/* Layers as they come, the wrong ones left out as checks_load does. */
static void check_layers(const char *text, const char *end)
{
	struct complaints complaints = {0};
	struct settings merged = {0};
	struct check *check;

	while (text < end) {
		const char *stop = memchr(text, 0, (size_t)(end - text));
		struct settings layer = {0};

		stop = stop ? stop : end;
		if (settings_parse(&layer, "x.ini", text, (size_t)(stop - text), &complaints))
			settings_merge(&merged, &layer);
		settings_free(&layer);
		text = stop + 1;
	}
	check = check_compile("x", true, &merged, NULL, &complaints);
	if (check)
		check_whole(check);
	check_free(check);
	settings_free(&merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	check_alone(text, size);
	check_layers(text, text + size);
	return 0;
}
