/* SPDX-License-Identifier: GPL-2.0-only */
/* Is there a check of that name, and if not, which was meant? */
#include "base/banned.h"

#include "check/check.h"
#include "check/layer_files.h"
#include "check/names.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/suggest.h"

static void names_add(struct check_names *names, const char *name)
{
	ARRAY_GROW(names->list, names->n, names->room);
	names->list[names->n++] = mem_strdup(name);
}

static void names_add_embedded(void *arg, const struct embedded_check *embedded)
{
	names_add(arg, embedded->name);
}

static void names_add_file(void *arg, const char *path, const char *name)
{
	(void)path;
	names_add(arg, name);
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Several layers may speak about one check. */
static void names_sort(struct check_names *names)
{
	size_t i, n = 0;

	if (names->n)
		qsort(names->list, names->n, sizeof(*names->list), names_compare);
	for (i = 0; i < names->n; i++) {
		if (n && !strcmp(names->list[n - 1], names->list[i]))
			free(names->list[i]);
		else
			names->list[n++] = names->list[i];
	}
	names->n = n;
}

void check_names_of_layers(struct check_names *names, const struct check_layers *layers)
{
	/* What is wrong with a directory is said by whoever reads its files. */
	struct checks *unsaid = mem_zalloc(sizeof(*unsaid));
	const struct layer_walk walk = {.checks = unsaid,
		.embedded = names_add_embedded,
		.file = names_add_file,
		.arg = names};

	*names = (struct check_names){0};
	unsaid->errors = mem_zalloc(sizeof(*unsaid->errors));
	layer_files_each(layers, &walk);
	checks_free(unsaid);
	names_sort(names);
}

void check_names_of_checks(struct check_names *names, const struct checks *checks)
{
	size_t i;

	*names = (struct check_names){0};
	for (i = 0; i < checks->n; i++)
		names_add(names, checks->list[i]->name);
}

void check_names_free(struct check_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
}

bool check_names_have(const struct check_names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->list[i], name))
			return true;
	return false;
}

void check_names_unknown(const struct check_names *names, const char *program, const char *name)
{
	const char *near = suggest(name, (const char *const *)names->list, names->n);
	char *shown = escape_word(name);

	fprintf(stderr, "%s: there is no check '%s'", program, shown);
	if (near)
		fprintf(stderr, "; did you mean '%s'?", near);
	fprintf(stderr, "\n");
	free(shown);
}
