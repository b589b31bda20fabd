/* SPDX-License-Identifier: GPL-2.0-only */
/* A word that stands for a check, or for all that are about one area. */
#include "base/banned.h"

#include "base/escape.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/check.h"
#include "check/layers.h"
#include "check/names.h"
#include "run/asked.h"
#include "run/options.h"
#include "run/select.h"

bool asked_is_check(const char *word)
{
	const struct options none = {0};
	struct check_names names;
	bool have;

	if (*word == '@')
		return true;
	run_load_names(&none, &names);
	have = check_names_have(&names, word);
	check_names_free(&names);
	return have;
}

char *asked_suggest(const char *word)
{
	const struct options none = {0};
	struct check_names names;
	const char *near;
	char *found;

	run_load_names(&none, &names);
	near = suggest(word, (const char *const *)names.list, names.n);
	found = near ? mem_strdup(near) : NULL;
	check_names_free(&names);
	return found;
}

static void asked_add(char ***list, size_t *n, const char *name)
{
	*list = mem_realloc_array(*list, *n + 2, sizeof(**list));
	(*list)[(*n)++] = mem_strdup(name);
	(*list)[*n] = NULL;
}

static int asked_refuse_area(const char *program, const struct checks *checks, const char *area)
{
	char **areas = NULL, *shown = escape_word(area);
	struct str all = STR_INIT;
	size_t n = 0, i, k;

	for (i = 0; i < checks->n; i++) {
		for (k = 0; k < n; k++)
			if (checks->list[i]->area && !strcmp(areas[k], checks->list[i]->area))
				break;
		if (k == n && checks->list[i]->area)
			asked_add(&areas, &n, checks->list[i]->area);
	}
	for (i = 0; i < n; i++) {
		str_add(&all, " @");
		escape_terminal(&all, areas[i]);
	}
	fprintf(stderr, "%s: there is no area '%s'; there are%s\n", program, shown, str_text(&all));
	str_free(&all);
	asked_free(areas);
	free(shown);
	return EXIT_MISUSE;
}

/* Returns how many the area has. */
static size_t asked_add_area(char ***list, size_t *n, const struct checks *checks, const char *area)
{
	size_t added = 0, i;

	for (i = 0; i < checks->n; i++) {
		const struct check *check = checks->list[i];

		if (!check->enabled || !check->area || strcmp(check->area, area) != 0)
			continue;
		asked_add(list, n, check->name);
		added++;
	}
	return added;
}

static bool asked_any_area(const struct options *options)
{
	size_t i;

	for (i = 0; i < options->n_names; i++)
		if (*options->names[i] == '@')
			return true;
	return false;
}

int asked_expand(const char *program, struct options *options, char ***owned)
{
	struct options all = *options;
	struct checks *checks;
	size_t n = 0, i;
	int status = 0;

	*owned = NULL;
	if (!asked_any_area(options))
		return 0;
	all.n_names = 0;
	checks = run_load(&all, NULL, 0);
	for (i = 0; i < options->n_names && !status; i++) {
		const char *name = options->names[i];

		if (*name != '@')
			asked_add(owned, &n, name);
		else if (!asked_add_area(owned, &n, checks, name + 1))
			status = asked_refuse_area(program, checks, name);
	}
	checks_free(checks);
	if (!status) {
		options->names = *owned;
		options->n_names = n;
	}
	return status;
}

void asked_free(char **owned)
{
	size_t i;

	for (i = 0; owned && owned[i]; i++)
		free(owned[i]);
	free(owned);
}
