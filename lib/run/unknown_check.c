/* SPDX-License-Identifier: GPL-2.0-only */
/* Which check was meant? */
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/check.h"
#include "run/options.h"
#include "run/unknown_check.h"

int run_unknown_check(const char *program, const struct checks *all, const char *name)
{
	const char **names = mem_realloc_array(NULL, all->n, sizeof(*names));
	char *shown = escape_word(name);
	const char *near;
	size_t i;

	for (i = 0; i < all->n; i++)
		names[i] = all->list[i]->name;
	near = suggest(name, names, all->n);
	fprintf(stderr, "%s: there is no check '%s'", program, shown);
	if (near)
		fprintf(stderr, "; did you mean '%s'?", near);
	fprintf(stderr, "\n");
	free(shown);
	free(names);
	return EXIT_MISUSE;
}
