/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stage holds a build back, by the limits of the check span? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "run/options.h"
#include "run/run.h"
#include "sources/span/span_source.h"
#include "spans/analysis.h"
#include "spans/stages.h"
#include "tools/span/files.h"
#include "tools/span/text.h"

#define FILES_MAX 64

/* One file: each is a build of its own. */
struct span_build {
	struct span_table table;
	struct span_analysis analysis;
	struct span_stages stages;
};

struct span_health {
	struct options common;
	const char *stages; /* a file, or NULL */
	struct span_build builds[FILES_MAX];
	size_t n;
};

static int spanhealth_add(struct span_health *health, const char *program, char *path)
{
	struct span_build *build = &health->builds[health->n++];
	const int err = span_files_read(&build->table, program, &path, 1);

	if (err || span_files_stages(&build->stages, program, health->stages))
		return -EINVAL;
	span_analyse(&build->analysis, &build->table);
	span_stages_share(&build->stages, &build->analysis);
	span_source_add(path, &build->analysis, &build->stages);
	return 0;
}

/* Whether its data can be believed, before what they say; other forms than that for people have a
 * place for it. */
static void spanhealth_say_data(const struct span_health *health)
{
	const struct options *options = &health->common;
	struct str out = STR_INIT;
	size_t i;

	if (strcmp(options->format, "text") != 0 || options->to || options->quiet ||
		options->explain)
		return;
	for (i = 0; i < health->n; i++) {
		str_add(&out, "Data of ");
		escape_terminal(&out, options->names[i]);
		str_add(&out, ": ");
		span_write_data(&out, &health->builds[i].analysis);
	}
	fputs(str_text(&out), stdout);
	str_free(&out);
}

/* A look at files takes no time that could be sampled, and asks this machine nothing. */
static int spanhealth_run(struct span_health *health, const char *program)
{
	char name[] = "span", *names[] = {name};
	struct options *options = &health->common;
	size_t i;

	if (!options->explain && span_files_confine(program))
		return 3;
	for (i = 0; i < options->n_names; i++)
		if (spanhealth_add(health, program, options->names[i]))
			return 3;
	spanhealth_say_data(health);
	options->names = names;
	options->n_names = 1;
	options->windows = 1;
	options->window_seconds = 0.001;
	options->no_trace = true;
	options->no_history = true;
	return run_named(program, options, NULL);
}

static int spanhealth(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "stages", "FILE", "another map of names to stages: docs/spandiagnose.md",
			OPTION_TEXT(struct span_health, stages)},
	};
	struct span_health *health = mem_zalloc(sizeof(*health));
	const struct usage usage = {
		.line = "spanhealth FILE...",
		.what = "Which stage holds a build, or a request, back? FILE has its spans: lines "
			"of JSON,\n"
			"OTLP, Jaeger or Chrome JSON; - is standard input.",
		.groups = OPTIONS_REPORT | OPTIONS_CHECKS | OPTIONS_EXPLAIN,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = health,
	};
	const int err = options_parse_usage(&health->common, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;
	size_t i;

	if (!err && !health->common.explain &&
		(!health->common.n_names || health->common.n_names > FILES_MAX)) {
		fprintf(stderr, "%s: 1 to %d files of spans; see --help\n", argv[0], FILES_MAX);
	} else if (!err) {
		progress_catch_signals();
		status = spanhealth_run(health, argv[0]);
	}
	span_source_clear();
	for (i = 0; i < health->n; i++) {
		span_stages_free(&health->builds[i].stages);
		span_analysis_free(&health->builds[i].analysis);
		span_table_free(&health->builds[i].table);
	}
	options_free(&health->common);
	free(health);
	return status;
}

PROGRAM(spanhealth);
