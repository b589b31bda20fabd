/* SPDX-License-Identifier: GPL-2.0-only */
/* Which checks does a run judge, and what has to be read for them? */
#include "base/banned.h"

#include <stdio.h>

#include "base/diag.h"
#include "check/check.h"
#include "check/compile.h"
#include "check/layers.h"
#include "check/names.h"
#include "judge/skip.h"
#include "run/options.h"
#include "run/select.h"
#include "base/str.h"

struct check_layers run_layers(
	const struct options *options, const char *const *names, size_t n_names)
{
	return (struct check_layers){
		.root = "",
		.extra = options->dirs,
		.n_extra = options->n_dirs,
		.with_system = true,
		.only = names,
		.n_only = n_names,
		.asked = (const char *const *)options->names,
		.n_asked = options->n_names,
	};
}

struct checks *run_load(const struct options *options, const char *const *names, size_t n_names)
{
	const struct check_layers layers = run_layers(options, names, n_names);

	return checks_load(&layers);
}

struct checks *run_load_for_selection(const struct options *options)
{
	struct check_layers layers =
		run_layers(options, (const char *const *)options->names, options->n_names);

	layers.parts_later = true;
	return checks_load(&layers);
}

void run_load_names(const struct options *options, struct check_names *names)
{
	const struct check_layers layers = run_layers(options, NULL, 0);

	check_names_of_layers(names, &layers);
}

int run_check_names(const char *program, const struct options *options, const struct checks *checks)
{
	struct check_names names;
	size_t i;

	for (i = 0; i < options->n_names; i++)
		if (!checks_find(checks, options->names[i]))
			break;
	if (i == options->n_names)
		return 0;
	fputs(str_text(checks->errors), stderr);
	if (checks->n_errors)
		return 3;
	run_load_names(options, &names);
	check_names_unknown(&names, program, options->names[i]);
	check_names_free(&names);
	return EXIT_MISUSE;
}

void selection_make(struct selection *selection, const struct checks *checks)
{
	size_t i;

	*selection = (struct selection){0};
	selection->checks = mem_realloc_array(NULL, checks->n + 1, sizeof(*selection->checks));
	for (i = 0; i < checks->n; i++)
		if (checks->list[i]->enabled)
			selection->checks[selection->n++] = checks->list[i];
	selection->skipped = mem_zalloc((selection->n + 1) * sizeof(*selection->skipped));
	selection->unknown = mem_zalloc((selection->n + 1) * sizeof(*selection->unknown));
}

void selection_free(struct selection *selection)
{
	size_t i;

	for (i = 0; i < selection->n; i++)
		free(selection->skipped[i]);
	free(selection->skipped);
	free(selection->unknown);
	free(selection->checks);
}

size_t selection_not_asked(const struct checks *checks, struct capture *fs, char ***names)
{
	size_t n = 0, room = 0, i;

	for (i = 0; i < checks->n; i++) {
		const struct check *check = checks->list[i];
		bool unknown;
		char *why;

		if (check->enabled || !check->opt_in || check->of_files)
			continue;
		why = judge_why_skipped(check, fs, &unknown);
		if (!why) {
			ARRAY_GROW(*names, n, room);
			(*names)[n++] = mem_strdup(check->name);
		}
		free(why);
	}
	return n;
}

void selection_skip(struct selection *selection, struct capture *fs)
{
	size_t i;

	for (i = 0; i < selection->n; i++) {
		free(selection->skipped[i]);
		selection->skipped[i] =
			judge_why_skipped(selection->checks[i], fs, &selection->unknown[i]);
	}
}

void selection_bind(struct selection *selection, struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < selection->n; i++) {
		struct complaints complaints = {0};

		if (!selection->skipped[i] &&
			!check_complete(selection->checks[i], false, &complaints))
			selection->skipped[i] = mem_strdup(
				"its shipped check file is wrong: tuesday lint says how");
		if (!selection->skipped[i])
			check_bind(selection->checks[i], sweep);
	}
}
